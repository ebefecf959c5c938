/** The same where requests are shared: nothing that one file of another folder says makes a rollback with a share wait. */

import { expect, test } from 'vitest';
import { NO_OVERRIDES } from '../../src/api/config.ts';
import { order } from '../../src/reconcile/order.ts';
import { planIntent } from '../../src/rollout/orders/intent.ts';
import { commonFiles, ownFiles } from '../scenarios/check-stories.ts';
import { sampled } from '../support/sampled.ts';
import { World } from '../support/world.ts';

const PASSES_MOST = 30;
const [OLD, NEW] = ['v0.10.0', 'v0.10.1'];
const LWS = 'apps/vllm/lws.yaml';
const ROLLOUT = 'rollouts/vllm.yaml';

const parts = (...names: readonly string[]): Record<string, string> => Object.assign({}, ...names.map(commonFiles));
const SERVED = ['vllm-without-requests', 'vllm-service'];
const STYLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  canary: parts(...SERVED, 'vllm-routed', 'canary-steps'),
  blueGreen: parts(...SERVED, 'vllm-routed', 'blue-green-steps'),
  'partition with a route': parts(...SERVED, 'vllm-routed', 'partition-routed-steps'),
  'canary with a RouteProvider': { ...parts(...SERVED), ...ownFiles('canary-with-a-route-provider') },
};

async function passed(world: World): Promise<string> {
  const before = world.repository.head('main');
  world.sync();
  world.tick(60);
  await world.pass();
  return world.repository.head('main') === before ? '' : world.subject();
}

/** The new version has a share, or the Service. */
async function delivering(files: Readonly<Record<string, string>>): Promise<World> {
  const world = new World({ files });
  for (let pass = 0; pass < 3; pass += 1) await passed(world);
  world.edit(LWS, OLD, NEW);
  for (let pass = 0; pass < PASSES_MOST; pass += 1) {
    await passed(world);
    if (/tranche.dev\/rung: "(traffic|switch)"/.test(world.repository.text('main', LWS) ?? '')) return world;
  }
  throw new Error(`no share after ${PASSES_MOST} passes: ${world.repository.text('main', LWS)}`);
}

async function rollback(world: World): Promise<readonly string[]> {
  const done = await order(
    world.ports(),
    { target: { name: 'vllm', namespace: 'llm' }, overrides: NO_OVERRIDES, by: 'ana' },
    ({ snapshot }) => planIntent({ kind: 'abort', keepNewer: false }, { snapshot, digestOf: () => '5be07c11' }),
  );
  const subjects: string[] = [done.kind];
  for (let pass = 0; pass < PASSES_MOST; pass += 1) {
    const subject = await passed(world);
    if (subject !== '') subjects.push(subject);
  }
  return subjects;
}

type Files = Readonly<Record<string, string>>;
type Hostile = (files: Files) => string | undefined;

/** A kind of the same name may be of another API group: of a Service, that of Knative. */
const OTHER_VERSIONS: Readonly<Record<string, readonly string[]>> = {
  [LWS]: ['example.com/v1', 'leaderworkerset.x-k8s.io/x/v1'],
  [ROLLOUT]: ['argoproj.io/v1alpha1', 'rollouts.kruise.io/x/v1beta1'],
  'apps/vllm/service.yaml': ['serving.knative.dev/v1', 'tranche.dev/v1alpha1'],
  'apps/vllm/route.yaml': ['example.com/v1', 'gateway.networking.k8s.io/x/v1', 'tranche.dev/v1alpha1', 'v1'],
  'apps/vllm/split.yaml': ['example.com/v1', 'split.smi-spec.io/x/v1'],
};

const as =
  (file: string, version: string): Hostile =>
  (files) =>
    files[file]?.replace(/^apiVersion: .*$/m, `apiVersion: ${version}`);

const ofVersions = Object.entries(OTHER_VERSIONS).flatMap(([file, versions]) =>
  versions.map((version) => [`${file} as ${version}`, as(file, version)] as const),
);

/** A file of another folder that says something of this delivery, by the files that it has; undefined: it has none such. */
const HOSTILE: Readonly<Record<string, Hostile>> = {
  'the workload again': (files) => files[LWS],
  'the Rollout again': (files) => files[ROLLOUT],
  'the Service again': (files) => files['apps/vllm/service.yaml'],
  'the route again': (files) => files['apps/vllm/route.yaml'] ?? files['apps/vllm/split.yaml'],
  'a RouteProvider for the same kind': (files) =>
    files['tranche/routes.yaml']?.replace('name: smi', 'name: evil').replaceAll('/weight', '/evil'),
  'a second workload that says that it was made for it': (files) =>
    files[LWS]?.replace('name: vllm\n', 'name: vllm-canary\n  annotations: {tranche.dev/made-for: vllm}\n'),
  ...Object.fromEntries(ofVersions),
  'a route of another API group, and a RouteProvider for that': (files) => {
    const route = as('apps/vllm/route.yaml', 'example.com/v1')(files);
    const provider = ownFiles('canary-with-a-route-provider')['tranche/routes.yaml'] ?? '';
    const others = provider
      .replace(/group: .*?([,}\n])/, 'group: example.com$1')
      .replace(/kind: TrafficSplit/, 'kind: HTTPRoute');
    return route && `${route}---\n${others}`;
  },
};

const CASES = Object.entries(STYLES).flatMap(([style, files]) =>
  Object.entries(HOSTILE).flatMap(([what, of]) => (of(files) === undefined ? [] : [[style, what] as const])),
);
const worlds = new Map<string, Promise<{ readonly base: World; readonly wanted: readonly string[] }>>();

/** The world of a style, and the rollback without any file of others: made once. */
function ofStyle(style: string): Promise<{ readonly base: World; readonly wanted: readonly string[] }> {
  const make = async () => {
    const base = await delivering(STYLES[style] ?? {});
    return { base, wanted: await rollback(base.fork()) };
  };
  const known = worlds.get(style) ?? make();
  worlds.set(style, known);
  return known;
}

test.each(sampled(CASES, 3))('%s: %s', async (style, what) => {
  const { base, wanted } = await ofStyle(style);
  expect(wanted[0]).toBe('written');
  expect(wanted.at(-1)).toMatch(/rolled back|settled/);
  const text = HOSTILE[what]?.(STYLES[style] ?? {});
  if (text === undefined) throw new Error(`${style} has no file for ${what}`);
  // Where it comes first alone: which of two counts is the same question for each of them.
  for (const path of what.includes(' as ') ? ['a.yaml'] : ['a.yaml', 'teams/b/evil.yaml']) {
    const world = base.fork();
    world.repository.commit('main', { writes: [{ path, text }], message: 'a file of others' });
    expect(await rollback(world), path).toEqual(wanted);
    expect(world.repository.text('main', path)).toBe(text);
  }
});

/** What becomes of the namespace while the new version has a share. */
const OWNERS: Readonly<Record<string, string>> = {
  'taken from its folders': '[platform]',
  'left to the folder of the workload': '[apps]',
  'left to the folder of the Rollout': '[rollouts]',
  'given to the folder of others as well': '[apps, rollouts, tranche, teams]',
};

const EDITED = Object.keys(STYLES).flatMap((style) => Object.keys(OWNERS).map((what) => [style, what] as const));

test.each(sampled(EDITED, 2))(
  '%s: owners are edited in the middle of a share, the namespace is %s: a rollback goes',
  async (style, what) => {
    const { base, wanted } = await ofStyle(style);
    const world = base.fork();
    const text = `${world.repository.text('main', 'tranche.yaml') ?? ''}\nowners:\n  llm: ${OWNERS[what]}\n`;
    world.repository.commit('main', { writes: [{ path: 'tranche.yaml', text }], message: 'owners' });
    expect(await rollback(world)).toEqual(wanted);
  },
);

test('a RouteProvider for a kind that another one is for already counts for nothing, and stops no step', async () => {
  const { base } = await ofStyle('canary with a RouteProvider');
  const [twin, alone] = [base.fork(), base.fork()];
  const text = HOSTILE['a RouteProvider for the same kind']?.(STYLES['canary with a RouteProvider'] ?? {});
  twin.repository.commit('main', { writes: [{ path: 'a.yaml', text }], message: 'a file of others' });
  const { issues, outcomes } = await twin.pass();
  expect(issues).toEqual([
    expect.objectContaining({
      file: 'a.yaml',
      reason: 'DuplicateObject',
      message: expect.stringMatching(/tranche\/routes\.yaml is for the same kind; tranche\/routes\.yaml had it first/),
    }),
  ]);
  expect(outcomes[0]?.plan?.issues).toEqual([]);
  await alone.pass();
  const went = async (world: World): Promise<readonly string[]> => {
    const subjects: string[] = [];
    for (let pass = 0; pass < PASSES_MOST; pass += 1) subjects.push(await passed(world));
    return subjects;
  };
  expect(await went(twin)).toEqual(await went(alone));
});

/** Each ended the process of everybody, or would without a budget. */
const GROWING = {
  'split and join': `'"a".split("").join("bb").split("")[0]'`,
  'a list of lists': `'${'[1,2,3,4,5,6,7,8,9,10].map(a, '.repeat(6)}1${')'.repeat(6)}.size()'`,
};

test.each(Object.entries(GROWING))(
  'its RouteProvider asks for %s in the middle of a share: the pass ends, and an abort goes back',
  async (_, cel) => {
    const { base } = await ofStyle('canary with a RouteProvider');
    const world = base.fork();
    const provider = world.repository.text('main', 'tranche/routes.yaml') ?? '';
    const patch = `  patch:\n    - op: add\n      path: /spec/backends/0/note\n      cel: ${cel}\n`;
    world.repository.commit('main', {
      writes: [{ path: 'tranche/routes.yaml', text: `${provider.trimEnd()}\n${patch}` }],
      message: 'a patch that grows',
    });
    const { outcomes } = await world.pass();
    expect(outcomes.map(({ error, plan }) => [error, plan?.commit])).toEqual([[undefined, undefined]]);
    const subjects = await rollback(world);
    expect(subjects.at(-1), subjects.join('\n')).toMatch(/rolled back/);
    expect(world.repository.text('main', LWS)?.split('\n---\n')[0]).not.toContain(NEW);
  },
);
