/** The alerts that an Analysis waits for, each by its name: one that fires holds the step. */

import { checkLabel } from './analysis-values.ts';
import type { FieldReader } from './field-reader.ts';

export const ALERTS_LIMIT = 10;
/** Of the rule, as Prometheus calls it. */
export const ALERT_NAME_FIELD = 'alertname';

/** The names of `spec.alerts`, each once; what is wrong is among its faults. */
export function readAlerts(spec: FieldReader): readonly string[] {
  const key = ALERT_NAME_FIELD;
  const readers = spec.objects('alerts', ALERTS_LIMIT);
  const names = readers.map((reader) => {
    reader.allow([key]);
    const name = reader.text(key);
    checkLabel(reader, key, [name]);
    return name;
  });
  for (const [at, name] of names.entries())
    if (name !== '' && names.indexOf(name) !== at)
      readers[at]?.fault(key, 'AlertTwice', `is ${JSON.stringify(name)}, as another alert is`, 'Take one of them out.');
  return names;
}
