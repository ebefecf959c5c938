/** An Ingress, as far as it says which Services its paths send to. */

import { type FieldFault, FieldReader } from './field-reader.ts';
import { at } from './json.ts';

const RULES_LIMIT = 256;

export type IngressPath = {
  readonly rule: number;
  readonly place: number;
  /** The Service; undefined: another kind of backend. */
  readonly service: string | undefined;
  /** Keys to `backend.service`. */
  readonly serviceAt: readonly string[];
  readonly port: number | string | undefined;
};

type Ingress = {
  /** How many rules there are, those without paths too. */
  readonly rules: number;
  readonly paths: readonly IngressPath[];
  /** The Service of `defaultBackend`. */
  readonly defaultService: string | undefined;
  readonly annotations: Readonly<Record<string, string>>;
  readonly faults: readonly FieldFault[];
};

/** Reads the paths of all rules. */
export function parseIngress(value: unknown): Ingress {
  const root = new FieldReader(value, '');
  const rules = root.object('spec').objects('rules', RULES_LIMIT);
  const paths = rules.flatMap((rule, number) => {
    const list = rule.has('http') ? rule.object('http').objects('paths', RULES_LIMIT) : [];
    return list.map((_, place): IngressPath => {
      const serviceAt = ['spec', 'rules', String(number), 'http', 'paths', String(place), 'backend', 'service'];
      const service = at(value, [...serviceAt, 'name']);
      const port = at(value, [...serviceAt, 'port', 'number']) ?? at(value, [...serviceAt, 'port', 'name']);
      return {
        rule: number,
        place,
        service: typeof service === 'string' ? service : undefined,
        serviceAt,
        port: typeof port === 'string' || typeof port === 'number' ? port : undefined,
      };
    });
  });
  const service = at(value, ['spec', 'defaultBackend', 'service', 'name']);
  const annotations = root.object('metadata').stringMap('annotations');
  const defaultService = typeof service === 'string' ? service : undefined;
  return { rules: rules.length, paths, defaultService, annotations, faults: root.faults };
}
