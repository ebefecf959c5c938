/** The law about parts of commits can fail: commits made by hand that are safe as a whole, and not in part. */

import { expect, test } from 'vitest';
import { ClusterLaws } from './cluster-laws.ts';
import { lwsFile, withNumber, withVersion } from './files.ts';
import { partsSafe } from './part-laws.ts';
import type { Setup } from './setup.ts';
import { baseStory, configurations, setupOfStory } from './story-setup.ts';
import { Universe } from './universe.ts';

const SERVICE = 'apps/service.yaml';
const serviceText = (selector: string): string =>
  `apiVersion: v1\nkind: Service\nmetadata: {name: chat, namespace: llm}\nspec: {selector: ${selector}}\n`;
const BOTH = '{app: vllm, role: leader}';
const only = (name: string): string => `{leaderworkerset.sigs.k8s.io/name: ${name}}`;

type Commit = {
  readonly vllm?: number;
  readonly embed?: number | 'removed';
  readonly service?: string;
  /** The version that vllm gets in a file in which the laws do not see it released for update. */
  readonly unseen?: number;
  /** ConfigMaps that nobody reads. */
  readonly besides?: number;
};

/** Two workloads behind one Service. */
function worldOf(vllm: number, embed: number, service: string): Universe {
  const story = setupOfStory(baseStory(configurations[0]!));
  const [first] = story.workloads;
  const workloads = [
    { ...first!, replicas: vllm },
    { ...first!, name: 'embed', replicas: embed },
  ];
  const universe = new Universe({ ...story, workloads } satisfies Setup);
  universe.commit(SERVICE, serviceText(service), 'a Service');
  universe.sync('main');
  universe.tick(200);
  universe.observe();
  return universe;
}

function commit(universe: Universe, { vllm, embed, service, unseen, besides = 0 }: Commit): void {
  const scaled = Object.entries({ vllm, embed }).flatMap(([name, to]) => {
    const text = typeof to === 'number' ? withNumber(universe.lws(name) ?? '', 'replicas', to) : undefined;
    return to === undefined ? [] : [{ path: lwsFile(name), text }];
  });
  const served = service === undefined ? [] : [{ path: SERVICE, text: serviceText(service) }];
  const first = universe.setup.workloads[0]!;
  const moved =
    unseen === undefined
      ? []
      : [
          { path: lwsFile(first.name), text: undefined },
          { path: 'apps/moved.yaml', text: withVersion(universe.lws(first.name) ?? '', unseen, first) },
        ];
  const others = Array.from({ length: besides }, (_, i) => ({
    path: `apps/map-${i}.yaml`,
    text: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map-${i}, namespace: llm}\n`,
  }));
  universe.repository.commit('main', { writes: [...scaled, ...served, ...moved, ...others], message: 'by hand' });
}

type Row = {
  readonly what: string;
  /** The groups of both workloads, and whom the Service selects. */
  readonly from: readonly [number, number, string];
  readonly commits: readonly Commit[];
  readonly wrong?: string;
};

test.each<Row>([
  {
    what: 'capacity goes from one object to the other',
    from: [4, 1, BOTH],
    commits: [{ vllm: 1, embed: 4 }],
    wrong: 'LeaderWorkerSet vllm alone: 2 ready groups serve chat, where 3 must',
  },
  { what: 'capacity is added in both', from: [2, 1, BOTH], commits: [{ vllm: 4, embed: 4 }] },
  { what: 'one object loses less than the budget', from: [4, 1, BOTH], commits: [{ vllm: 3, embed: 2 }] },
  { what: 'one object, whatever it says', from: [4, 1, BOTH], commits: [{ vllm: 1 }] },
  {
    what: 'a Service goes over while the groups behind it go',
    from: [2, 2, only('vllm')],
    commits: [{ vllm: 0, service: only('embed') }],
    wrong: 'LeaderWorkerSet vllm alone: 0 ready groups serve chat, where 1 must',
  },
  { what: 'a Service goes over alone', from: [2, 2, only('vllm')], commits: [{ service: only('embed') }] },
  {
    what: 'a commit rests on one that the agent may skip',
    from: [4, 1, BOTH],
    commits: [{ embed: 4 }, { vllm: 1 }],
    wrong: 'LeaderWorkerSet vllm alone: 2 ready groups serve chat, where 3 must',
  },
  {
    what: 'capacity comes while an object goes',
    from: [1, 4, BOTH],
    commits: [{ vllm: 4, embed: 'removed' }],
    wrong: 'LeaderWorkerSet embed alone: 1 ready groups serve chat, where 2 must',
  },
  {
    what: 'a part starts what no step released for update',
    from: [2, 2, BOTH],
    commits: [{ unseen: 1, embed: 3 }],
    wrong: 'LeaderWorkerSet embed, then the rest: C3 locked is inert',
  },
  {
    what: 'more objects than are tried in every combination',
    from: [4, 1, BOTH],
    commits: [{ vllm: 1, embed: 4, besides: 4 }],
    wrong: '2 ready groups serve chat, where 3 must',
  },
])('$what', ({ from, commits, wrong }) => {
  const universe = worldOf(...from);
  const laws = universe.setup.workloads.map((workload) => new ClusterLaws(universe, workload));
  const clusterLaws = (fork: Universe): readonly ClusterLaws[] => laws.map((law) => law.fork(fork));
  for (const one of commits) commit(universe, one);
  const [head, parent] = universe.repository.log('main');
  const told = partsSafe({ universe, oid: head!.oid, parent: parent!.oid, reason: 'StepReady', clusterLaws });
  if (wrong === undefined) expect(told).toBeUndefined();
  else expect(told).toContain(wrong);
});
