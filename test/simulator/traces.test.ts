/** The recorded traces of the real controllers, settled state for settled state. */

import { expect, test } from 'vitest';
import { asWritten } from '../../src/api/json.ts';
import { runScenario } from '../../src/simulator/scenario/scenario.ts';
import { parseScenario, type Scenario } from '../../src/simulator/scenario/scenario-file.ts';
import { type Trace, traces } from './trace-files.ts';

const all = traces();

function scenarioOf(trace: Trace): Scenario {
  const parsed = parseScenario(trace.file, asWritten(trace.raw));
  if (parsed.kind !== 'ok') throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

test('the fixtures hold every mode', () => {
  const modes = new Set(all.map((trace) => trace.file.split('/')[0]));
  expect(modes).toEqual(new Set(['0.10-off', '0.10-on', '0.8-off', '0.8-on', 'upgrade-0.8-to-0.10']));
  expect(all.length).toBeGreaterThanOrEqual(258);
});

test.each(all.map((trace) => [trace.file, trace] as const))('%s', (_, trace) => {
  const steps = runScenario(scenarioOf(trace));
  // Event by event, so that the first difference names its event.
  for (const [at, wanted] of trace.steps.entries()) expect({ at, ...steps[at] }).toEqual({ at, ...wanted });
  expect(steps).toHaveLength(trace.steps.length);
});

test('the model is deterministic: the same scenario twice gives the same text', () => {
  const trace = all.find(({ file }) => file.endsWith('20-gated-surge.json'))!;
  const [first, second] = [runScenario(scenarioOf(trace)), runScenario(scenarioOf(trace))];
  expect(JSON.stringify(first)).toBe(JSON.stringify(second));
});
