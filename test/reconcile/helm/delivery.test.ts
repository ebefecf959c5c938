/** A workload that a Flux HelmRelease renders, taken over and delivered: marks and one entry are all that is written. */

import { expect, test } from 'vitest';
import { RELEASE_FILE, RELEASE_TEXT } from '../../support/helm-files.ts';
import { HelmWorld, RUNNING_FILES } from '../../support/helm-world.ts';

const AT_REST = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';

/** The document without what is ours. */
function withoutOwn(text: string): string {
  const lines = text.split('\n').filter((line) => !/^ {4}tranche\.dev\/|^ {2}annotations:$/.test(line));
  return lines.join('\n').replace(/ {2}postRenderers:\n {2}- kustomize:\n {6}patches:\n {6}- patch: '.*'\n/, '');
}

test('one commit takes it over, nothing restarts, and the next passes write nothing', async () => {
  const world = new HelmWorld();
  world.apply();
  world.tick(120);
  expect(await world.play()).toEqual(['0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): adopt, partition 0 → 1000000']);
  const { [RELEASE_FILE]: written = '', ...others } = world.repository.files('main');
  const { [RELEASE_FILE]: _, ...before } = RUNNING_FILES;
  expect(others).toEqual(before);
  expect(withoutOwn(written)).toBe(RELEASE_TEXT);
  expect(written).toMatchSnapshot();
  const commits = world.commits();
  await world.pass();
  await world.pass();
  expect([world.commits(), world.groups(), world.failed]).toEqual([commits, AT_REST, 0]);
});

test('a tag in the values: its digest is seen live before the first step, and then it goes in steps', async () => {
  const world = await HelmWorld.adopted();
  world.edit(RELEASE_FILE, 'v0.10.0', 'v0.10.1');
  world.apply();
  expect(await world.play()).toEqual([
    '0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): inputs written',
    '0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): step 1/3, partition 1000000 → 3',
    '0:0+ 1:0+ 2:0+ 3:1+ PauseDuration: Step 1 is done; its pause lasts another 1 s',
    '0:0+ 1:0+ 2:0+ 3:1+ rollout(llm/vllm): step 2/3, partition 3 → 2',
    '0:0+ 1:0+ 2:1+ 3:1+ PauseDuration: Step 2 is done; its pause lasts another 1 s',
    '0:0+ 1:0+ 2:1+ 3:1+ rollout(llm/vllm): step 3/3, partition 2 → 0',
    '0:1+ 1:1+ 2:1+ 3:1+ rollout(llm/vllm): step 3/3, locked, partition 0 → 1000000',
    '0:1+ 1:1+ 2:1+ 3:1+ rollout(llm/vllm): settled',
  ]);
  expect(withoutOwn(world.release())).toBe(RELEASE_TEXT.replace('v0.10.0', 'v0.10.1'));
  expect(world.repository.log('main').map(({ message }) => message)).toContainEqual(
    expect.stringContaining('Rollout-Reason: InputsWritten\n'),
  );
  const commits = world.commits();
  await world.pass();
  expect(world.commits()).toBe(commits);
});

test('no step while Flux has not rendered it: the digest is not live, whatever else is', async () => {
  const world = await HelmWorld.adopted();
  world.edit(RELEASE_FILE, 'v0.10.0', 'v0.10.1');
  world.apply();
  await world.pass();
  expect(world.subject()).toBe('rollout(llm/vllm): inputs written');
  // The values are live by now, and the patch that names them is not.
  world.tick(60);
  const { outcomes } = await world.pass();
  expect(outcomes[0]?.plan?.holds.map(({ reason }) => reason)).toEqual(['NotApplied']);
  expect(world.subject()).toBe('rollout(llm/vllm): inputs written');
  world.apply();
  await world.pass();
  expect(world.subject()).toBe('rollout(llm/vllm): step 1/3, partition 1000000 → 3');
});

test('values that change no object are delivered at once', async () => {
  const world = await HelmWorld.adopted();
  world.edit(RELEASE_FILE, 'multiNode: {workers: 2}', 'multiNode: {workers: 2}\n    telemetry: off');
  world.apply();
  expect(await world.play()).toEqual([
    '0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): inputs written',
    '0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): settled',
  ]);
});

test('a chart that renders no such workload fails the upgrade: nothing moves, and the hold says so', async () => {
  const world = await HelmWorld.adopted();
  world.edit(RELEASE_FILE, 'multiNode: {workers: 2}', 'multiNode: {enabled: false}');
  world.apply();
  expect(await world.step(700)).toBe('rollout(llm/vllm): inputs written');
  await world.step(700);
  const said = await world.step();
  expect([world.groups(), world.failed > 0]).toEqual([AT_REST, true]);
  expect(said).toContain('AgentNotApplying');
  expect(said).toContain('is rendered of');
  await world.order({ kind: 'abort', keepNewer: false, from: undefined });
  await world.play();
  expect(withoutOwn(world.release())).toBe(RELEASE_TEXT);
});

test.each([
  ['none', RELEASE_TEXT],
  [
    'a block',
    `${RELEASE_TEXT}  postRenderers:\n    # Ours, of the platform.\n    - kustomize: {patches: []}  # first\n  # the end\n`,
  ],
  ['flow', `${RELEASE_TEXT}  postRenderers: [{kustomize: {patches: []}}]\n`],
  [
    'before the values',
    RELEASE_TEXT.replace('  values:', '  postRenderers:\n    - kustomize:\n        patches: []\n  values:'),
  ],
  ['line breaks of Windows', RELEASE_TEXT.replaceAll('\n', '\r\n')],
  ['annotations', RELEASE_TEXT.replace('  name: vllm\n', '  annotations:\n    team: search # theirs\n  name: vllm\n')],
])('handed back, every byte is as before: %s', async (_, text) => {
  const files = { ...RUNNING_FILES, [RELEASE_FILE]: text };
  const world = await HelmWorld.adopted({ files });
  expect(world.release()).not.toBe(text);
  expect(await world.order({ abort: false, partition: undefined })).toContain('eject, entry removed');
  const { [RELEASE_FILE]: after } = world.repository.files('main');
  expect(after).toBe(text);
  world.apply();
  world.tick(120);
  expect(world.groups()).toBe(AT_REST);
  const { outcomes, failed } = await world.pass();
  expect([outcomes[0]?.plan?.holds.map(({ reason }) => reason), failed]).toEqual([['Disabled'], false]);
});
