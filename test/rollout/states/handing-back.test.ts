/** Handing a workload back that a second one was made for: what is refused, in which words, and what is written. */

import { expect, test } from 'vitest';
import { MADE_FOR } from '../../../src/api/marks.ts';
import { releaseContent } from '../../../src/api/release-content.ts';
import { versionIn } from '../../../src/api/version-label.ts';
import { parseManifestFile } from '../../../src/manifests/parse-file.ts';
import type { Texts } from '../../../src/reconcile/ladder/delivery-parts.ts';
import { render } from '../../../src/reconcile/write/render.ts';
import { annotationsOf, replicasOf } from '../../../src/rollout/ladders/delivery.ts';
import { planEject } from '../../../src/rollout/orders/eject.ts';
import type { EjectWish, MadeDocument } from '../../../src/rollout/orders/eject-scene.ts';
import { subsetMadeFor } from '../../../src/rollout/traffic/destination-rule.ts';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { passed, passes, type Stand, settledOn, snapshotAt } from '../../support/ladder-pass.ts';
import { abort, after, asked, edited, files, requested, stands } from '../../support/ladder-stands.ts';
import { FAMILIES, familyFiles, poolFiles } from '../../support/route-families.ts';
import { ROUTE_FILE, SERVICE_FILE } from '../../support/traffic-files.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE } from '../../support/vllm.ts';

type Style = Parameters<typeof familyFiles>[0];

/** What is annotated as made by us. */
function madeIn({ texts }: Stand): readonly MadeDocument[] {
  const all = [...texts].flatMap(
    ([file, text]) =>
      parseManifestFile(file, text, ['LeaderWorkerSet', 'Service', 'Ingress', 'DestinationRule']).documents,
  );
  const subsets = all.flatMap(({ file, object, value }) => {
    const path = object.kind === 'DestinationRule' ? subsetMadeFor(value, 'vllm-canary') : undefined;
    return path === undefined ? [] : [{ file, object, item: { path, called: 'the subset' }, groups: 0, namedBy: [] }];
  });
  const documents = all
    .filter((document) => annotationsOf(document)[MADE_FOR] !== undefined)
    .map(({ file, object, value }) => ({
      file,
      object,
      groups: object.kind === 'LeaderWorkerSet' ? replicasOf({ file, object, value }) : 0,
      template: { content: releaseContent(value), version: versionIn(value) },
      namedBy: [],
    }));
  return [...documents, ...subsets];
}

const settled = passes(requested).stand;
const BLUE_GREEN = [
  'replicas: 1, traffic: 5%, pause: {duration: 60}',
  'replicas: 100%, traffic: 50%, pause: {duration: 60}',
];
const green = passes(
  asked(passed(settledOn(ladderFiles(ladderRollout('blueGreen', BLUE_GREEN)))).stand, OLD, NEW),
).stand;
const scaled = edited(settled, LWS_FILE, /(vllm-canary[\s\S]*replicas: )0/, '$12');
const back = passed(stands.second, abort(stands.second)).stand;

const SHARES = ladderRollout('partition', ['replicas: 1, traffic: 5%, pause: {duration: 60}', 'replicas: 100%']);
const routed = asked(passed(settledOn(ladderFiles(SHARES))).stand, OLD, NEW);
const shared = after('step 1/2, traffic: – → 5%', routed);
const whole = after('step 2/2, pods, partition 3 → 0', routed);
const routedRest = passes(routed).stand;

const PLAIN: EjectWish = { abort: false, partition: undefined };
const ABORT: EjectWish = { ...PLAIN, abort: true };
const AS_IS: EjectWish = { ...PLAIN, asIs: true };

const GREEN = /(name: vllm-green[^]*?)v0.10.1/;
const RESTARTS = 'than its 4 groups run: handed back, they would restart on that';
const elsewhere = ({ record, ...stand }: Stand): Stand => ({
  ...stand,
  record: record && { ...record, holds: [...record.holds, { reason: 'GroupsElsewhere', message: '' }] },
});

const ownElsewhere = ({ record, ...stand }: Stand): Stand => ({
  ...stand,
  record: record && { ...record, holds: [{ reason: 'GroupsElsewhere', message: '', facts: { groups: '2 3' } }] },
});

test.each<readonly [what: string, stand: Stand, wish: EjectWish, why: string]>([
  [
    'own groups are on another template',
    ownElsewhere(settled),
    PLAIN,
    '(GroupsElsewhere): at partition 0 they would restart on it. To have that: tranche eject vllm --abort',
  ],
  [
    'in a step',
    stands.second,
    PLAIN,
    'a second LeaderWorkerSet is being filled (vllm-canary, 2 groups), and requests may go to it. It takes two steps: tranche eject vllm --abort',
  ],
  ['in a step, as far as a partition', stands.second, { ...PLAIN, partition: 0 }, 'that is ended by --abort alone'],
  ['in the primary', stands.primary, PLAIN, 'It takes two steps'],
  ['in the rollback', back, ABORT, 'it is going back already; once tranche status vllm says that it is settled'],
  ['the copy has groups at rest', scaled, PLAIN, 'vllm-canary, which tranche has added, has replicas 2'],
  ['the second one serves', green, PLAIN, 'which starts 4 groups of vllm next to them'],
  ['the second one serves, abort', green, ABORT, 'tranche eject vllm --as-is'],
  [
    'the second one serves, and the strategy is another by now',
    { ...green, texts: new Map([...green.texts, [ROLLOUT_FILE, SHARES]]) },
    PLAIN,
    'vllm-green serves with 4 groups, and vllm has none',
  ],
  ['as it is, and the first one serves', settled, AS_IS, 'here your own does'],
  ['as it is, and a hand has edited its template', edited(green, LWS_FILE, GREEN, '$1v0.10.9'), AS_IS, RESTARTS],
  [
    'as it is, and a hand has given it a label of ours',
    edited(green, LWS_FILE, /(name: vllm-green[^]*?labels: \{)/, '$1tranche.dev/version: "1", '),
    AS_IS,
    RESTARTS,
  ],
  ['as it is, and its groups run another one', elsewhere(green), AS_IS, RESTARTS],
  ['versions share the requests', shared, PLAIN, 'two versions share its requests. It takes two steps'],
  ['versions share, as far as a partition', shared, { ...PLAIN, partition: 0 }, 'that is ended by --abort alone'],
  ['versions share, every group released for update', whole, PLAIN, 'tranche eject vllm --abort'],
  ['versions share, in the rollback', passed(shared, abort(shared)).stand, ABORT, 'it is going back already'],
])('refused: %s', (_, stand, wish, why) => {
  const ordered = planEject(wish, { snapshot: snapshotAt(stand), made: madeIn(stand) });
  expect(ordered.kind === 'refused' ? ordered.why : ordered).toContain(why);
});

test('own groups on another template, with --abort: they are to follow, and it goes', () => {
  const stand = ownElsewhere(settled);
  const ordered = planEject(ABORT, { snapshot: snapshotAt(stand), made: madeIn(stand) });
  expect(ordered.kind === 'refused' ? ordered.why : ordered.kind).toBe('write');
});

test('refused: a newer tranche has written the record', () => {
  for (const wish of [PLAIN, ABORT]) {
    const ordered = planEject(wish, { snapshot: { ...snapshotAt(settled), newerRecord: 2 }, made: [] });
    expect(ordered.kind === 'refused' ? ordered.why : '').toContain('Run the newer tranche');
  }
});

test('refused: a route names what would be gone', () => {
  const made = madeIn(settled).map((one) => ({ ...one, namedBy: ['HTTPRoute chat'] }));
  const ordered = planEject(PLAIN, { snapshot: snapshotAt(settled), made });
  expect(ordered.kind === 'refused' ? ordered.why : '').toContain('is named by HTTPRoute chat');
});

test('in a step with --abort: the release is aborted, and the rest is for later', () => {
  const ordered = planEject(ABORT, { snapshot: snapshotAt(stands.second), made: madeIn(stands.second) });
  expect(ordered).toMatchObject({
    kind: 'write',
    commits: [{ what: expect.stringMatching(/^eject, at first abort [0-9a-f]{8}\.2$/) }],
    next: 'Then, once tranche status vllm says that it is settled: tranche eject vllm',
  });
});

test('versions share, with --abort: the release is aborted, with or without its Rollout', () => {
  const made = madeIn(shared);
  const inRollout = planEject(ABORT, { snapshot: snapshotAt(shared), made });
  const alone = planEject(ABORT, { snapshot: snapshotAt(shared, { snapshot: { rollout: undefined } }), made });
  const objects = [inRollout, alone].map((one) => (one.kind === 'write' ? one.commits[0]?.edits[0]?.object.kind : one));
  expect(objects).toEqual(['Rollout', 'LeaderWorkerSet']);
});

test('after shares nothing of ours is left but the label of the version, which stays in the template', () => {
  const texts = handedBack(routedRest, PLAIN);
  const label = /, tranche.dev\/version: "[0-9a-f]{32}\.2"/;
  expect(texts.get(LWS_FILE)).toMatch(label);
  expect(texts.get(LWS_FILE)?.replace(label, '')).toBe(
    files.get(LWS_FILE)?.replace(OLD, NEW).replace('partition: 1000000', 'partition: 0'),
  );
  expect(texts.get(SERVICE_FILE)).toBe(files.get(SERVICE_FILE));
  expect(texts.get(ROUTE_FILE)).toBe(files.get(ROUTE_FILE));
});

/** The texts after both commits. */
function handedBack(stand: Stand, wish: EjectWish): ReadonlyMap<string, string> {
  const ordered = planEject(wish, { snapshot: snapshotAt(stand), made: madeIn(stand) });
  if (ordered.kind === 'refused') throw new Error(ordered.why);
  const texts = new Map(stand.texts);
  for (const { edits } of ordered.commits) {
    const rendered = render(edits, texts);
    if (rendered.kind === 'refused') throw new Error(rendered.issue.message);
    for (const { path, text } of rendered.writes) texts.set(path, text ?? '');
  }
  return texts;
}

test('at rest nothing of ours is left in the files: every byte is as it was, but for the template', () => {
  const texts = handedBack(settled, PLAIN);
  expect(texts.get(LWS_FILE)).toBe(
    files.get(LWS_FILE)?.replace(OLD, NEW).replace('partition: 1000000', 'partition: 0'),
  );
  expect(texts.get(SERVICE_FILE)).toBe(files.get(SERVICE_FILE));
  expect(texts.get(ROUTE_FILE)).toBe(files.get(ROUTE_FILE));
});

test('as it is: the second one serves, is free, and nobody’s copy', () => {
  const texts = handedBack(green, AS_IS);
  const [own, second] = parseManifestFile(LWS_FILE, texts.get(LWS_FILE) ?? '', ['LeaderWorkerSet']).documents;
  expect(texts.get(LWS_FILE)).not.toContain('tranche.dev/');
  expect([own, second].map((one) => [one?.object.name, replicasOf(one)])).toEqual([
    ['vllm', 0],
    ['vllm-green', 4],
  ]);
  expect(texts.get(LWS_FILE)).not.toContain('1000000');
  expect(texts.get(SERVICE_FILE)).toBe(files.get(SERVICE_FILE)?.replace('name: vllm\n', 'name: "vllm-green"\n'));
});

/** Those that make a document of their own, that share a Service, that write into a template, that need no Service. */
const KINDS = [
  'Ingress of MSE',
  'VirtualService by subsets of a DestinationRule',
  'AWS ALB action',
  'a RouteProvider, JSON in a template',
  'HTTPRoute, GRPCRoute and HTTPProxy at once',
];
const QUICK = [
  'replicas: 1, traffic: 5%, pause: {duration: 60}',
  'replicas: 100%, traffic: 50%, pause: {duration: 60}',
];

test.each<readonly [kind: string, style: Style, files: (style: Style) => Texts]>([
  ...KINDS.map((kind) => [kind, 'canary', (style: Style) => familyFiles(style, QUICK, ...FAMILIES[kind]!)] as const),
  ['InferencePools', 'canary', (style) => poolFiles(style, QUICK)],
  [
    'Ingress of nginx',
    'partition',
    (style) =>
      familyFiles(
        style,
        ['replicas: 1, traffic: 5%, pause: {duration: 60}', 'replicas: 100%'],
        ...FAMILIES['Ingress of nginx']!,
      ),
  ],
])('handed back after shares by %s, %s: one workload serves, and the routes are as they were', (_, style, filesOf) => {
  const before = filesOf(style);
  const rest = passes(asked(passed(settledOn(before)).stand, OLD, NEW)).stand;
  const texts = handedBack(rest, PLAIN);
  for (const [path, text] of before)
    if (path.startsWith('apps/') && path !== LWS_FILE) expect(texts.get(path), path).toBe(text);
  const left = [...texts.values()].join('').match(/tranche\.dev\/(?!version|v1)\w+/g) ?? [];
  expect(left).toEqual([]);
});
