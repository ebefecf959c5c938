/** What `show-stable` says of a HelmRelease that an overlay patches, in mid-delivery. */

import { expect, test } from 'vitest';
import { showStable } from '../../../src/commands/show-stable.ts';
import { NO_OVERRIDES } from '../../../src/reconcile/pass.ts';
import { OverlayWorld, ROOT } from '../../support/overlay-world.ts';

test('the version before comes out of a build of then, and no file has it', async () => {
  const world = await OverlayWorld.half();
  let said = '';
  const note = (text: string): void => void (said += text);
  const io = { env: {}, folder: '', out: note, err: note, isTerminal: false, signal: new AbortController().signal };
  const target = { namespace: 'llm', name: 'vllm' };
  const options = {
    repo: '',
    kubeconfig: undefined,
    context: '',
    inCluster: false,
    output: 'text',
    overrides: NO_OVERRIDES,
  } as const;
  expect(await showStable({ ...options, target }, world.ports(), io)).toBe(0);
  const [, commit] = /tranche.dev\/stable: "([0-9a-f]{40})@/.exec(world.patch()) ?? [];
  expect(said.split('\n')[1]).toBe(`# kustomize build ${ROOT} # at ${commit}`);
  expect(said).toContain('tag: v0.10.0\n');
});
