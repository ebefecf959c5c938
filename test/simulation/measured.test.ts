/**
 * Measured deliveries of good and bad versions, by a provider that is often not whole: never forward on a step that has failed, is
 * undecided or was not seen; never back by data that is missing, partial or refused. `MEASURED_SEEDS=40` lives more worlds. A test
 * run plants one bug; `POLICY_BUGS=all` every one, as `.ci/run` does.
 */

import { afterAll, expect, test } from 'vitest';
import { wrongAnswers } from '../rollout/measured-answers.ts';
import { type Bug, fits, newPlanting, patchesOf, planted } from '../support/planted-bugs.ts';
import { lived } from './measured-world.ts';

const bugs: readonly Bug[] = [
  [
    'a step is left by what is not decided',
    'events/step-standing.ts',
    'const measured = done ? analysing(situation) : [];',
    'const measured = done ? [] : [];',
  ],
  [
    'metrics that have failed hold nothing',
    'gates/analysis.ts',
    'return [failed, both, outlier].filter((one) => one !== undefined);',
    'return [both, outlier].filter((one) => one !== failed && one === undefined);',
  ],
  [
    'a series that is missing is passed',
    'gates/analysis.ts',
    "const why = metrics.flatMap(({ name, said }) => said.kind === kind && 'why' in said ? [`${name}: ${said.why}`] : [],);",
    'const why = metrics.flatMap(({ name, said }) => said.kind === kind && name === undefined ? [name] : []);',
  ],
];
const patches = patchesOf(bugs);
const tried = planted(patches);
const { wrongUnder, end } = newPlanting('measured-answers.ts', tried);
afterAll(end);

test('the laws hold, and worlds move', async () => {
  for await (const wrong of wrongAnswers()) expect.fail(wrong);
  const more = Number(process.env['MEASURED_SEEDS'] ?? 0);
  const { broken } = await lived(
    Array.from({ length: more }, (_, at) => at + 100),
    40,
  );
  expect(broken).toEqual([]);
});

test.each(patches)('$name: it can be planted', (patch) => expect(fits(patch)).toBe(true));

test.each(tried)('$name is told', async (patch) => {
  expect(await wrongUnder(patch)).toBeDefined();
});
