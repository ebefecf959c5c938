/** `tranche repair` of the file that applies our patches: hand-edited or broken, it is as tranche wrote it, byte for byte. */

import { expect, test } from 'vitest';
import { APPLY, halfDelivered, OVERLAY } from '../../support/built-world.ts';

const OPEN = `apiVersion: builtin
kind: PatchTransformer
metadata: {name: open}
patch: |-
  apiVersion: leaderworkerset.x-k8s.io/v1
  kind: LeaderWorkerSet
  metadata: {name: prod-vllm, namespace: llm}
  spec: {rolloutStrategy: {rollingUpdateConfiguration: {partition: 0}}}
`;

const EDITS: readonly (readonly [what: string, edit: (text: string) => string])[] = [
  ['it is no YAML', () => 'a: [\n'],
  ['it is empty', () => ''],
  ['no YAML behind what is ours', (text) => `${text}a: [\n`],
  ['another path', (text) => text.replace('path: tranche/llm-prod-vllm.yaml', 'path: other.yaml')],
  ['a target that meets nothing', (text) => `${text}target: {kind: Deployment}\n`],
  ['another transformer', (text) => text.replace('kind: PatchTransformer', 'kind: LabelTransformer')],
  ['an option', (text) => `${text}options: {allowNameChange: true}\n`],
  ['a document of somebody behind it', (text) => `${text}---\n${OPEN}`],
  ['a document of somebody in front of it', (text) => `${OPEN}---\n${text}`],
  ['it is there twice', (text) => `${text}---\n${text}`],
];

test.each(EDITS)('%s: said, no step, and written again by one order', async (_, edit) => {
  const world = await halfDelivered();
  const whole = world.files();
  world.repository.commit('main', { writes: [{ path: APPLY, text: edit(whole[APPLY] ?? '') }], message: 'by hand' });
  const head = world.repository.head('main');
  const { outcomes } = await world.pass();
  const issues = outcomes.flatMap(({ plan }) => plan?.issues ?? []);
  expect(issues.map(({ hint }) => hint).join('\n')).toContain('repair vllm');
  expect(world.repository.head('main')).toBe(head);
  expect(await world.order({ kind: 'repair' })).toContain('as tranche wrote');
  expect(world.files()).toEqual(whole);
  expect(await world.order({ kind: 'repair' })).toContain('there is nothing to repair');
});

const LABELS =
  'apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: l}\nlabels: {a: b}\nfieldSpecs: [{path: metadata/labels, create: true}]\n';
const OWN = 'transformers:\n  - tranche/apply.yaml\n';
const OTHER = 'transformers:\n  - labels.yaml\n  - tranche/apply.yaml\n';

/** Our entry as somebody has left it, and the kustomization as a repair makes it. */
const ENTRIES: readonly (readonly [what: string, edit: (text: string) => string, after: (text: string) => string])[] = [
  [
    'not the last, in one line',
    (text) => text.replace(OWN, 'transformers: [tranche/apply.yaml, labels.yaml]\n'),
    (text) => text.replace(OWN, 'transformers: [labels.yaml, tranche/apply.yaml]\n'),
  ],
  [
    'not the last, with a remark of somebody',
    (text) => text.replace(OWN, 'transformers:\n  - tranche/apply.yaml\n  - labels.yaml # of team search\n'),
    (text) => text.replace(OWN, OTHER.replace('labels.yaml', 'labels.yaml # of team search')),
  ],
  [
    'not the last, in a file with CRLF',
    (text) => text.replace(OWN, `${OWN}  - labels.yaml\n`).replaceAll('\n', '\r\n'),
    (text) => text.replace(OWN, OTHER).replaceAll('\n', '\r\n'),
  ],
  [
    'twice',
    (text) => text.replace(OWN, `${OWN}  - labels.yaml\n  - tranche/apply.yaml\n`),
    (text) => text.replace(OWN, OTHER),
  ],
  ['twice, one behind the other', (text) => text.replace(OWN, `${OWN}  - tranche/apply.yaml\n`), (text) => text],
  ['lost, and the list is empty', (text) => text.replace(OWN, 'transformers: []\n'), (text) => text],
  ['written otherwise', (text) => text.replace('  - tranche/apply.yaml', '  - ./tranche/apply.yaml'), (text) => text],
];

test.each(ENTRIES)('the entry %s: said, no step, and written again by one order', async (_, edit, after) => {
  const world = await halfDelivered();
  const whole = world.files();
  const text = whole[OVERLAY] ?? '';
  const writes = [
    { path: 'apps/vllm/prod/labels.yaml', text: LABELS },
    { path: OVERLAY, text: edit(text) },
  ];
  world.repository.commit('main', { writes, message: 'by hand' });
  const head = world.repository.head('main');
  const { outcomes } = await world.pass();
  const issues = outcomes.flatMap(({ plan }) => plan?.issues ?? []);
  expect(issues.map(({ hint }) => hint).join('\n')).toContain('repair vllm');
  expect(world.repository.head('main')).toBe(head);
  expect(await world.order({ kind: 'repair' })).toContain('as tranche wrote');
  expect(world.files()).toEqual({ ...whole, 'apps/vllm/prod/labels.yaml': LABELS, [OVERLAY]: after(text) });
  expect(await world.order({ kind: 'repair' })).toContain('there is nothing to repair');
});

const ABORTED = ['it is no YAML', 'another path', 'a target that meets nothing', 'a document of somebody behind it'];

test.each(EDITS.filter(([what]) => ABORTED.includes(what)))(
  '%s, and an abort: the rollback goes to its end once the order to repair was given',
  async (what, edit) => {
    const world = await halfDelivered();
    const whole = world.files()[APPLY] ?? '';
    world.repository.commit('main', { writes: [{ path: APPLY, text: edit(whole) }], message: 'by hand' });
    await world.order({ kind: 'abort', keepNewer: false, from: undefined });
    // A patch that a target keeps away from its workload would bring no rollback: nothing is written as if it did.
    const first = what.includes('target') ? 'would not build as planned' : 'rollback';
    expect(await world.step()).toContain(first);
    if (world.files()[APPLY] !== whole) await world.order({ kind: 'repair' });
    for (let step = 0; step < 8; step += 1) {
      await world.apply();
      await world.step();
    }
    expect(world.files()[APPLY]).toBe(whole);
    expect(world.groups('prod-vllm')).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
  },
);
