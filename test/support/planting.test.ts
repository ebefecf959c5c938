/** A planted bug survives other names, comments and forms of the source; what it does not fit any more it says. */

import { expect, test } from 'vitest';
import { needsItsOwnBundle, plant, switched } from '../../scripts/planted-switch.mjs';
import { planted } from '../../scripts/planting.mjs';

const source = `
import { most } from './most.ts';

/** Whether it fits. */
function fits(groups: number, up: boolean) {
  // As many as allowed.
  const own = groups.toString() + \`\${most} of \${/a\\/b/.test('x') ? 1 : 2}\`;
  return groups <= most && own !== '' && up;
}
`;

test.each([
  // what of it → what it becomes
  ['as it is', 'groups <= most', 'groups < most', 'return groups < most &&'],
  ['other spaces and comments', 'groups // all\n  <=   most', 'groups < most', 'return groups < most &&'],
  ['a name that is gone', 'many <= most', 'many < most', 'return groups < most &&'],
  ['two names that are gone', 'many <= limit && own', 'many < limit && own', 'return groups < most && own'],
  ['a name that is gone, twice', 'fits(many: number, is: boolean)', 'fits(many: number)', 'fits(groups: number) {'],
  ['inside of a template', "/a\\/b/.test('x') ? 1 : 2", '2', '`${most} of ${2}`'],
  ['with a name of its own', '&& up;', '&& [up].some((one) => one);', '&& [up].some((one) => one);'],
])('planted: %s', (_, from, to, wanted) => {
  expect(planted(source, { name: 'bug', file: 'src/a.ts', from, to })).toContain(wanted);
});

test.each([
  ['nowhere', 'groups >= most', '', 'has its place 0 times'],
  ['twice', '&&', '||', 'has its place 2 times'],
  ['one name for two', 'many <= many', '', 'has its place 0 times'],
  ['of nothing but a comment', '// As many as allowed.', '', 'has its place 0 times'],
  ['with a name that is not there', 'groups <= most', 'groups <= least', 'does not know least'],
])('not planted: %s', (_, from, to, wanted) => {
  expect(() => planted(source, { name: 'bug', file: 'src/a.ts', from, to })).toThrow(wanted);
});

test('one bundle: what a file exports is that of the bug that is in, and a bug in more than calls is named', () => {
  // What a file asks while it loads is kept, whichever bug is in later.
  const early = switched({ make: () => 1, other: () => 1 }, new Map([[7, { make: () => 2, other: () => 1 }]]));
  expect([early.make(), needsItsOwnBundle(7)]).toEqual([1, true]);
  const file = (least: number, gates: readonly string[]) => ({
    fits: (groups: number) => groups >= least,
    provider: { kind: 'a', fits: (groups: number) => groups >= least },
    gates,
  });
  const sound = file(1, ['a', 'b']);
  const { fits, provider, gates } = switched(
    sound,
    new Map([
      [1, file(2, ['a', 'b'])],
      [2, file(1, ['a'])],
    ]),
  );
  const answers = [0, 1, 0].map((bug) => {
    plant(bug);
    return [fits(1), provider.fits(1)];
  });
  expect(answers).toEqual([
    [true, true],
    [false, false],
    [true, true],
  ]);
  expect([1, 2].map(needsItsOwnBundle)).toEqual([false, true]);
  expect(gates).toBe(sound.gates);
});
