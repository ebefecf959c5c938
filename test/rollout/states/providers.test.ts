/** A delivery through every kind of route: snapshot, plan, bytes and the last check, up, withdrawn, and route restored again. */

import { expect, test } from 'vitest';
import type { Texts } from '../../../src/reconcile/ladder/delivery-parts.ts';
import { isRestored } from '../../../src/rollout/ladders/shares.ts';
import { begunIn } from '../../support/begun.ts';
import { deliveryAt, partsIn } from '../../support/ladder.ts';
import { type Found, passed, passes, releaseIn, type Stand, settledOn, snapshotAt } from '../../support/ladder-pass.ts';
import { edited } from '../../support/ladder-stands.ts';
import { under } from '../../support/ladder-ticks.ts';
import { atRest, FAMILIES, familyFiles, fileOf } from '../../support/route-families.ts';
import { LWS_FILE, NEW, OLD } from '../../support/vllm.ts';

const STEPS = ['replicas: 1, traffic: 5%, pause: {duration: 60}', 'replicas: 50%, traffic: 50%, pause: {duration: 60}'];

type Style = Parameters<typeof familyFiles>[0];

/** Adopted, and a newer template asked for. */
function requested(routing: string, folders: readonly string[], steps = STEPS, style: Style = 'canary'): Stand {
  const { stand } = passed(settledOn(familyFiles(style, steps, routing, ...folders)));
  const asked = (stand.texts.get(LWS_FILE) ?? '').replace(OLD, NEW);
  return { ...stand, texts: new Map([...stand.texts, [LWS_FILE, asked]]) };
}

function routesIn(texts: Texts, folders: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(folders.map((folder) => [fileOf(folder), texts.get(fileOf(folder)) ?? '']));
}

function deliveryOfStand({ texts }: Stand) {
  const parts = partsIn(texts);
  return { delivery: deliveryAt(texts, parts) };
}

function until(start: Stand, subject: string): Stand {
  let stand = start;
  for (let count = 0; count < 20; count += 1) {
    const now = passed(stand);
    stand = now.stand;
    if (now.plan.commit?.subject.endsWith(`): ${subject}`) === true) return stand;
  }
  throw new Error(`no commit ${subject}`);
}

const HEALTHY = [
  'StepReady: step 1/2, template: vllm-canary',
  'RungReady: step 1/2, pods: canary 0 → 1',
  'RungReady: step 1/2, traffic: – → 5%',
  'hold GracePeriod',
  'hold PauseDuration',
  'StepReady: step 2/2, pods: canary 1 → 2',
  'RungReady: step 2/2, traffic: 5% → 50%',
  'hold GracePeriod',
  'hold PauseDuration',
  'Promoted: promote, primary',
  'RouteRestored: promote, route-restored',
  'hold GracePeriod Draining',
  'Settled: settled',
  'hold ',
];

type Family = {
  readonly name: string;
  readonly folders: readonly string[];
  readonly start: Stand;
  /** With a group and no share yet; with its first share. */
  readonly filled: Stand;
  readonly shared: Stand;
};

const families = Object.entries(FAMILIES).map(([name, [routing, ...folders]]): Family => {
  const start = requested(routing, folders);
  const filled = until(start, 'step 1/2, pods: canary 0 → 1');
  return { name, folders, start, filled, shared: until(filled, 'step 1/2, traffic: – → 5%') };
});

test('up: every rung, and the routes byte for byte as before', () => {
  for (const { name, folders, start, shared } of families) {
    const { told, stand } = passes(start);
    expect(told, name).toEqual(HEALTHY);
    expect(routesIn(stand.texts, folders), name).toEqual(atRest(folders, true));
    expect(routesIn(shared.texts, folders), name).not.toEqual(atRest(folders, true));
  }
});

const SHARED = [
  'StepReady: step 1/2, template',
  'hold GracePeriod',
  'RungReady: step 1/2, pods, partition 1000000 → 3',
  'RungReady: step 1/2, traffic: – → 5%',
];

test('two versions of one workload: each kind is given what it needs, its share, and every byte back', () => {
  const steps = ['replicas: 1, traffic: 5%, pause: {duration: 60}', 'replicas: 100%'];
  for (const { name, folders } of families.filter((one) => !one.folders.includes('DestinationRule'))) {
    const { told, stand } = passes(requested(FAMILIES[name]![0], folders, steps, 'partition'));
    expect(told.slice(0, 4), name).toEqual(SHARED);
    expect(told.slice(-2), name).toEqual(['Settled: settled', 'hold ']);
    expect(routesIn(stand.texts, folders), name).toEqual(atRest(folders, true));
  }
});

test('another share: what the cluster has otherwise than Git is waited for', () => {
  for (const { name, folders, filled, shared } of families) {
    const routes = snapshotAt(filled).traffic?.routes ?? [];
    expect(routes.length, name).toBeGreaterThanOrEqual(folders.length);
    expect(passed(shared, { view: { traffic: { routes } } }).told, name).toBe('hold NotApplied');
  }
});

test('withdrawn: nothing serves the share, so the routes go to stable in one commit', () => {
  const dead: Found = { view: { second: '0:G-' } };
  for (const { name, folders, shared } of families) {
    const { told, stand } = passed(shared, dead);
    expect(told, name).toBe('TrafficWithdrawn: step 1/2, traffic withdrawn');
    expect(routesIn(stand.texts, folders), name).toEqual(atRest(folders, true));
  }
});

test('route restored: aborted with a share, the rollback', () => {
  for (const { name, folders, shared } of families) {
    const { told, stand } = passes(shared, { found: (at) => ({ intents: { abort: releaseIn(at) } }) });
    expect(told[0], name).toBe('Aborted: rollback, route-restored');
    expect(told.slice(-2), name).toEqual(['RolledBack: rolled back', 'hold AbortRefused']);
    expect(routesIn(stand.texts, folders), name).toEqual(atRest(folders, true));
  }
});

test('route restored: a key of each route is there twice, and the rollback goes on', () => {
  for (const { name, folders, shared } of families) {
    const twice = (text: string, times: number): string =>
      text.replace(/^metadata:\n/m, `metadata:\n${'  finalizers: []\n'.repeat(times)}`);
    const texts = new Map(shared.texts);
    for (const folder of folders) texts.set(fileOf(folder), twice(shared.texts.get(fileOf(folder)) ?? '', 2));
    const { told, stand } = passes({ ...shared, texts }, { found: (at) => ({ intents: { abort: releaseIn(at) } }) });
    expect(told[0], name).toBe('Aborted: rollback, route-restored');
    expect(told.slice(-2), name).toEqual(['RolledBack: rolled back', 'hold AbortRefused']);
    // An Ingress as such is not written: its copy for the new version is taken out.
    const own = Object.values(routesIn(stand.texts, folders)).map((text) =>
      text.replaceAll(/( *finalizers: \[\]\n)+/g, ''),
    );
    expect(own, name).toEqual(Object.values(atRest(folders, true)));
  }
});

/** By a rule of ours alone, where a route of the kind can have one. */
const MATCHING = ['replicas: 1, matches: [{headers: [{name: a, value: b}]}], pause: {}', 'replicas: 50%, traffic: 50%'];
const UNMATCHED = /^(AWS ALB action|TraefikService|a RouteProvider.*|.* at once)$/;

type Sharing = readonly [what: string, folders: readonly string[], stand: Stand];
const sharing = Object.entries(FAMILIES).flatMap(([name, [routing, ...folders]]): readonly Sharing[] => {
  const { shared } = families.find((family) => family.name === name)!;
  const byWeight: Sharing = [`${name}, a weight`, folders, shared];
  if (UNMATCHED.test(name)) return [byWeight];
  const matched = until(requested(routing, folders, MATCHING), 'step 1/2, traffic: – → matches');
  return [byWeight, [`${name}, a rule of ours`, folders, matched]];
});

function withoutMarks(stand: Stand, marks: RegExp, left = ''): Stand {
  const text = stand.texts.get(LWS_FILE) ?? '';
  const end = text.indexOf('---');
  const own = text.slice(0, end).replaceAll(marks, left);
  return { ...stand, texts: new Map([...stand.texts, [LWS_FILE, own + text.slice(end)]]) };
}

test('orphans: what has a share is found without a Rollout, and without what was put aside', () => {
  for (const [what, folders, stand] of sharing) {
    // Their RouteProvider says what their fields mean: it is not among these files.
    if (what.startsWith('a RouteProvider')) continue;
    // The strategy alone is left in the mark: main says it where that is gone as well.
    const bare = withoutMarks(stand, /^( *tranche\.dev\/restore: ).*$/gm, `$1'{"style":"canary"}'`);
    for (const { texts } of [stand, bare]) {
      const { plan } = begunIn(texts) ?? {};
      expect(plan?.routing?.service, what).toBe('vllm-svc');
      const found = plan?.routing?.routes.map(({ kind }) => kind) ?? [];
      const files = folders.map((folder) => /^kind: (.*)$/m.exec(stand.texts.get(fileOf(folder)) ?? '')?.[1] ?? '');
      expect(found.toSorted(), what).toEqual(files.toSorted());
    }
  }
});

test('at rest: a route that sends to the new version goes to stable at once', () => {
  for (const [what, folders, stand] of sharing) {
    const rest = withoutMarks(stand, /^ *tranche\.dev\/(step|rung|restore): .*\n/gm);
    const { told, stand: home } = passed({ ...rest, record: undefined });
    expect(told, what).toBe('TrafficWithdrawn: traffic withdrawn');
    const { delivery } = deliveryOfStand(home);
    expect(isRestored(delivery), what).toBe(true);
    expect(routesIn(home.texts, folders), what).not.toEqual(routesIn(stand.texts, folders));
  }
});

test('marks gone: the record has them, and a route that sends to the new version goes to stable at once', () => {
  for (const [what, , stand] of sharing) {
    const gone = withoutMarks(stand, /^ *tranche\.dev\/.*\n/gm);
    const lostMarks = snapshotAt(stand).workload?.workload.marks;
    const { told, stand: home } = passed(gone, { snapshot: { lostMarks } });
    expect(told, what).toBe('TrafficWithdrawn: traffic withdrawn');
    expect(isRestored(deliveryOfStand(home).delivery), what).toBe(true);
  }
});

test('subsets: aborted without a Rollout, the requests go to stable before the second workload is emptied', () => {
  const [, folders, start] = sharing.find(
    ([what]) => what === 'VirtualService by subsets of a DestinationRule, a rule of ours',
  )!;
  const stand = edited(
    start,
    LWS_FILE,
    'annotations:\n',
    `annotations:\n    tranche.dev/abort: "${releaseIn(start)}"\n`,
  );
  const orphan = (at: Stand): Found => {
    const { plan } = begunIn(at.texts) ?? {};
    const { ladder } = snapshotAt(at);
    const begun = plan === undefined ? undefined : { name: 'vllm', style: plan.style, strategy: plan.strategy };
    return { snapshot: { rollout: undefined, ladder: ladder === undefined ? undefined : { ...ladder, begun } } };
  };
  const { told, stand: end } = passes(stand, { found: orphan });
  expect(told.slice(0, 3)).toEqual(['Aborted: rollback, route-restored', 'hold Draining', 'RolledBack: rolled back']);
  expect(routesIn(end.texts, folders)).toEqual(atRest(folders, true));
});

test('subsets: the one of the new version taken out by hand is named, and the rollback goes on', () => {
  const { shared } = families.find(({ folders }) => folders.includes('DestinationRule'))!;
  const file = fileOf('DestinationRule');
  const text = shared.texts.get(file) ?? '';
  const without = text.slice(0, text.indexOf('    - name: canary'));
  expect(without).not.toBe(text);
  const changed = { ...shared, texts: new Map([...shared.texts, [file, without]]) };
  const { plan } = passed(changed);
  expect(plan.commit).toBeUndefined();
  expect(plan.holds.find(({ reason }) => reason === 'CanaryEdited')?.message).toContain(
    'DestinationRule chat: its subset of the new version is not there',
  );
  expect(passed(changed, { intents: { abort: releaseIn(changed) } }).told).toBe('Aborted: rollback, route-restored');
});

test.each(families)('$name: how much its next share may be more is counted from what its files say', ({ shared }) => {
  const reasons = (limit: number): readonly string[] =>
    passed(shared, under({ maxStepTrafficPercent: limit })).plan.holds.map(({ reason }) => reason);
  expect(reasons(45)).not.toContain('ShareTooLarge');
  expect(reasons(44)).toContain('ShareTooLarge');
});
