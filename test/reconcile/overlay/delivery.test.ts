/** A HelmRelease of a base that overlays patch, taken over and delivered: a patch of ours over the folder is all that is written. */

import { expect, test } from 'vitest';
import { APPLY, BASE, OVERLAY, OVERLAY_FILES, OverlayWorld, PATCH, ROOT, VALUES } from '../../support/overlay-world.ts';
import { ROLLOUT_FILE } from '../../support/vllm.ts';

const LABELS =
  'apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: l}\nlabels: {a: b}\nfieldSpecs: [{path: metadata/labels, create: true}]\n';
const AT_REST = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';

test('one commit takes it over, nothing restarts, and the next passes write nothing', async () => {
  const world = new OverlayWorld();
  await world.deploy();
  world.tick(120);
  expect(await world.play()).toEqual(['0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): adopt, partition 0 → 1000000']);
  const files = world.files();
  const people = Object.keys(OVERLAY_FILES).filter((file) => file !== OVERLAY);
  for (const file of people) expect(files[file], file).toBe(OVERLAY_FILES[file]);
  expect(files[OVERLAY]).toBe(`${OVERLAY_FILES[OVERLAY]}transformers:\n  - tranche/apply.yaml\n`);
  expect([files[APPLY], files[PATCH]]).toMatchSnapshot();
  const [commits, built] = [world.commits(), world.builder.built.length];
  await world.pass();
  await world.pass();
  expect([world.commits(), world.groups(), world.failed]).toEqual([commits, AT_REST, 0]);
  expect(world.builder.built.length, 'nothing is built again').toBe(built);
});

const DELIVERED = [
  '0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): inputs written',
  '0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): step 1/3, partition 1000000 → 3',
  '0:0+ 1:0+ 2:0+ 3:1+ PauseDuration: Step 1 is done; its pause lasts another 1 s',
  '0:0+ 1:0+ 2:0+ 3:1+ rollout(llm/vllm): step 2/3, partition 3 → 2',
  '0:0+ 1:0+ 2:1+ 3:1+ PauseDuration: Step 2 is done; its pause lasts another 1 s',
  '0:0+ 1:0+ 2:1+ 3:1+ rollout(llm/vllm): step 3/3, partition 2 → 0',
  '0:1+ 1:1+ 2:1+ 3:1+ rollout(llm/vllm): step 3/3, locked, partition 0 → 1000000',
  '0:1+ 1:1+ 2:1+ 3:1+ rollout(llm/vllm): settled',
];

test.each([
  ['of the base', BASE, '', ''],
  ['of the overlay', VALUES, '    telemetry: off\n', '    telemetry: off\n    image: {tag: v0.10.1}\n'],
])('a tag in the values %s is a release in steps, and the patch alone is written', async (_, file, from, to) => {
  const world = await OverlayWorld.taken();
  if (from === '') world.edit(file, 'v0.10.0', 'v0.10.1');
  else world.edit(file, from, to);
  const before = world.files();
  await world.deploy();
  expect(await world.play()).toEqual(DELIVERED);
  const after = world.files();
  expect(Object.keys(after).filter((path) => after[path] !== before[path])).toEqual([PATCH]);
  const commits = world.commits();
  await world.pass();
  expect([world.commits(), world.failed]).toEqual([commits, 0]);
});

test('no step while Flux has not rendered it: the digest is not live, whatever else is', async () => {
  const world = await OverlayWorld.taken();
  world.edit(BASE, 'v0.10.0', 'v0.10.1');
  await world.deploy();
  await world.pass();
  expect(world.subject()).toBe('rollout(llm/vllm): inputs written');
  world.tick(60);
  const { outcomes } = await world.pass();
  expect(outcomes[0]?.plan?.holds.map(({ reason }) => reason)).toEqual(['NotApplied']);
  await world.deploy();
  await world.pass();
  expect(world.subject()).toBe('rollout(llm/vllm): step 1/3, partition 1000000 → 3');
});

test.each([
  ['none', OVERLAY_FILES[OVERLAY] ?? ''],
  ['transformers of people', `${OVERLAY_FILES[OVERLAY]}transformers: [labels.yaml] # ours\n`],
  ['line breaks of Windows', (OVERLAY_FILES[OVERLAY] ?? '').replaceAll('\n', '\r\n')],
])('handed back, every byte is as before: %s', async (_, text) => {
  const files: Readonly<Record<string, string>> = {
    ...OVERLAY_FILES,
    [OVERLAY]: text,
    [`${ROOT}/labels.yaml`]: LABELS,
  };
  const world = await OverlayWorld.taken({ files });
  expect(world.patch()).not.toBe('');
  expect(await world.order({ abort: false, partition: undefined })).toContain(
    'eject, patch removed, partition 1000000 → that of the chart',
  );
  const { [ROLLOUT_FILE]: _rollout, ...after } = world.files();
  const { [ROLLOUT_FILE]: _before, ...before } = files;
  expect(after).toEqual(before);
  await world.deploy();
  world.tick(120);
  expect(world.groups()).toBe(AT_REST);
  const { outcomes, failed } = await world.pass();
  expect([outcomes[0]?.plan?.holds.map(({ reason }) => reason), failed]).toEqual([['Disabled'], false]);
});
