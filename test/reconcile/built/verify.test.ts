/** A pull request where kustomize builds the workload: what a merge does, and what of it is refused. */

import { expect, test } from 'vitest';
import { NO_OVERRIDES } from '../../../src/reconcile/pass.ts';
import { verify } from '../../../src/reconcile/verify.ts';
import { adopted, COMPONENT, NEW_TAG, OLD_TAG, OVERLAY, PATCH } from '../../support/built-world.ts';

test.each<
  readonly [what: string, file: string, from: string, to: string, broken: readonly string[], effects: readonly string[]]
>([
  ['a tag in a shared component', COMPONENT, OLD_TAG, NEW_TAG, [], ['LocksRelease']],
  ['nothing that is delivered', 'apps/vllm/base/service.yaml', 'port: 80', 'port: 81', [], []],
  ['the entry of ours is lost', OVERLAY, 'transformers:\n  - tranche/apply.yaml\n', '', ['PatchNotApplied'], []],
  ['a base that is gone', OVERLAY, '../base', '../gone', ['UnsupportedLayout'], []],
  ['a mark that is taken out', PATCH, '    tranche.dev/stable', '    other.example/stable', ['PatchEdited'], []],
])('%s', async (_, file, from, to, broken, effects) => {
  const world = await adopted();
  const [base] = await world.repository.open().heads(['main']);
  world.edit(file, from, to);
  const verdict = await verify(world.ports(), { overrides: NO_OVERRIDES, ref: 'main', base });
  expect([...new Set(verdict.broken.map(({ reason }) => reason))]).toEqual(broken);
  expect(verdict.effects.map(({ reason }) => reason)).toEqual(effects);
});
