/** The world of the demo in a temporary folder: a repository, a simulated cluster behind an API, an agent, and the time. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { at } from '../api/json.ts';
import type { Instant } from '../api/time.ts';
import { commonOptions, type Io, UsageError } from '../options.ts';
import type { Clock } from '../ports/clock.ts';
import type { Forge } from '../ports/forge.ts';
import type { FileWrite, Oid } from '../ports/git.ts';
import type { Ports } from '../reconcile/pass.ts';
import type { Intent } from '../rollout/orders/intent.ts';
import { type Cluster, createCluster } from '../simulator/cluster-model.ts';
import { GROUP_INDEX, isLeader, LWS_NAME } from '../simulator/objects/labels.ts';
import { type KubeObject, labelsOf } from '../simulator/objects/objects.ts';
import { PODS } from '../simulator/objects/resource-table.ts';
import { Clients } from '../simulator/traffic/clients.ts';
import { openPorts } from '../wiring.ts';
import { type Agent, startAgent } from './agent/start-agent.ts';
import { openDrill } from './drill.ts';
import { GROUPS, IMAGE, NAME, NAMESPACE, NEW_TAG, SERVICE_NAME } from './files.ts';
import { readFleet } from './fleet.ts';
import { openDemoServers } from './servers.ts';
import { type DemoStrategy, filesOf, STRATEGIES, type StrategyPlan } from './strategies.ts';

export const BRANCH = 'main';
/** How long ago the story starts, so that it is over before the time that it is now. */
const HEAD_START_SECONDS = 3600;
const TERMINATION_SECONDS = 20;
const FIRST_LOAD_SECONDS = 600;
/** A completion takes less than a pod is given to end, and than the request timeout of the route. */
const HABITS = { perSecond: 10, seconds: 15, gatewayLags: 3 } as const;

export type DemoWorld = {
  /** Gives an order in somebody's name, as the command line does. */
  readonly order: (wish: Intent, by: string) => Promise<void>;
  readonly folder: string;
  readonly repository: string;
  readonly kubeconfig: string;
  readonly apiUrl: string;
  readonly model: Cluster;
  readonly agent: Agent;
  /** The production adapters, with the time of the model. */
  readonly ports: Ports;
  readonly plan: StrategyPlan;
  readonly clients: Clients;
  /** The real time. */
  readonly system: Clock;
  readonly startedAt: Instant;
  /** The commit that the story starts with. */
  readonly firstCommit: Oid;
  /** Lets simulated time go on. */
  readonly letPass: (seconds: number) => void;
  /** The leader of the only group of the new version falls down, and does not get up. */
  readonly crash: () => void;
  /** From now on groups load in seconds: somebody waits in real time. */
  readonly hurry: () => void;
  /** Stops the servers; the folder stays. */
  readonly close: () => Promise<void>;
  readonly removeFolder: () => Promise<void>;
};

type WorldWish = {
  readonly strategy: DemoStrategy;
  /** The second group that gets the new version in place never becomes ready on it. */
  readonly broken: boolean;
  /** How an order is given: the verb of the command line. */
  readonly giveOrder: GiveOrder;
  /** Without: a new repository in the folder of the demo. */
  readonly home?: Home;
};

/** Gives an order to Git, in the name of `by`; throws where the verb refuses it. */
export type GiveOrder = (
  wish: Intent,
  by: string,
  world: { readonly ports: Ports; readonly repository: string; readonly folder: string },
) => Promise<void>;

/** A repository that somebody else serves. */
export type Home = {
  /** It is on this disk, and empty. */
  readonly repository: string;
  readonly files: readonly FileWrite[];
  /** Who takes its pull requests, by the clock of the model. */
  readonly forge: (clock: Clock) => Forge;
};

/** A running service on the old version, with the agent on it; nothing has been adopted yet. */
export async function openWorld(wish: WorldWish, io: Io): Promise<DemoWorld> {
  const folder = await newFolder();
  const { home, strategy } = wish;
  const [repository, kubeconfig] = [home?.repository ?? join(folder, 'repo.git'), join(folder, 'kubeconfig')];
  const plan = STRATEGIES[strategy];
  const { clock: system, ...rest } = portsFor(plan, { repo: repository, kubeconfig }, io);
  const pace = { slow: true, broken: wish.broken && !plan.routed ? 2 : undefined };
  const model = createModel(system.now() - HEAD_START_SECONDS, pace);
  const clock: Clock = { now: () => Math.floor(model.nowSeconds), sleep: async (seconds) => model.tick(seconds) };
  const servers = await openDemoServers({
    newRepository: home === undefined ? repository : undefined,
    branch: BRANCH,
    model,
    also: openDrill(model),
  });
  await writeFile(kubeconfig, servers.kubeconfig);
  const ports: Ports = { ...rest, clock, forge: home?.forge(clock) };
  const agent = startAgent({ ...ports, ...plan.layout, model, branch: BRANCH });
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const [{ apiUrl }, clients] = [servers, clientsOf(plan)];
  const firstCommit = await install({ ports, agent, model, apiUrl }, home?.files ?? filesOf(plan)).catch(
    async (error: unknown) => {
      await servers.close();
      await removeFolder();
      throw error;
    },
  );
  return {
    folder,
    repository,
    kubeconfig,
    model,
    agent,
    ports,
    system,
    firstCommit,
    apiUrl,
    plan,
    clients,
    startedAt: clock.now(),
    ...motions({ model, clients, plan, pace }),
    order: (intent, by) => wish.giveOrder(intent, by, { ports, repository, folder }),
    hurry: () => {
      pace.slow = false;
    },
    close: servers.close,
    removeFolder,
  };
}

/** Somebody who asks for the layout of kustomize has named it by that. */
function portsFor(wish: StrategyPlan, given: Parameters<typeof commonOptions>[0], io: Io) {
  const common = commonOptions(given, io);
  return openPorts({ ...common, kustomize: common.kustomize ?? (wish.layout.isBuilt ? 'kustomize' : undefined) }, io);
}

/** How fast groups load, and which one never does. */
type Pace = { readonly broken: number | undefined; slow: boolean };

function createModel(nowSeconds: number, pace: Pace): Cluster {
  return createCluster({
    lws: '0.10',
    gate: 'off',
    nowSeconds,
    readiness: (pod) => loadSeconds(pod, pace),
    terminationSeconds: TERMINATION_SECONDS,
  });
}

async function newFolder(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), 'tranche-demo-'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `the demo needs a folder of its own, and ${tmpdir()} takes none: ${why}. Name another in TMPDIR`,
    );
  }
}

/** How time goes on for all, and how the new version goes wrong. */
function motions(of: {
  readonly model: Cluster;
  readonly clients: Clients;
  readonly plan: StrategyPlan;
  readonly pace: { broken: number | undefined };
}): Pick<DemoWorld, 'letPass' | 'crash'> {
  const { model, clients, plan, pace } = of;
  return {
    letPass: (seconds) => {
      for (let second = 0; second < seconds; second++) {
        model.tick(1);
        clients.second(model.objects);
      }
      startContainers(model);
    },
    crash: () => {
      // Of one workload the highest group is the first to go.
      const group = plan.second === undefined ? GROUPS - 1 : 0;
      const first = { namespace: NAMESPACE, name: plan.second ?? NAME, group, pods: 'leader' } as const;
      pace.broken = group;
      model.setPods(first, { kind: 'crashing', restarts: 1 });
    },
  };
}

/** The first commit, applied, and all groups of it ready. */
async function install(
  of: Pick<DemoWorld, 'ports' | 'agent' | 'model' | 'apiUrl'>,
  writes: readonly FileWrite[],
): Promise<Oid> {
  const first = await commit(of.ports, { writes, message: 'vllm: Llama 3.1 405B on four groups' });
  await of.agent.sync();
  of.model.tick(FIRST_LOAD_SECONDS);
  const { groups } = await readFleet(of.apiUrl, NAME);
  if (!groups.every((group) => group.ready)) throw new Error('the simulated workload did not come up');
  return first;
}

/** Weights are loaded by all pods of a group at once; the leader answers only when its workers have joined. */
function loadSeconds(pod: KubeObject, of: Pace): number | 'never' {
  const group = Number(labelsOf(pod)[GROUP_INDEX]);
  const isNew = JSON.stringify(pod['spec']).includes(`${IMAGE}:${NEW_TAG}`);
  if (isNew && group === of.broken && isLeader(pod)) return 'never';
  if (!of.slow) return 3;
  return isLeader(pod) ? 180 + 15 * group : 120;
}

/** Servers run long before they answer: what is still missing then is their readiness, not their containers. */
function startContainers(model: Cluster): void {
  for (const pod of model.objects.list(PODS, NAMESPACE)) {
    if (at(pod, ['status', 'phase']) !== 'Pending') continue;
    const { [GROUP_INDEX]: group, [LWS_NAME]: name = NAME } = labelsOf(pod);
    model.setPods(
      { namespace: NAMESPACE, name, group: Number(group), pods: isLeader(pod) ? 'leader' : 1 },
      { kind: 'running' },
    );
  }
}

/** Without a route, anyone who asks the Service. */
function clientsOf({ routed }: StrategyPlan): Clients {
  return new Clients(routed ? HABITS : { ...HABITS, service: { namespace: NAMESPACE, name: SERVICE_NAME } });
}

/** Someone's commit on top of the branch. */
export async function commit(
  { git, clock }: Ports,
  change: { readonly writes: readonly FileWrite[]; readonly message: string },
): Promise<Oid> {
  const [head] = await git.heads([BRANCH]);
  const signature = { name: 'Ana Ortiz', email: 'ana@example.com', atSeconds: clock.now() };
  const result = await git.push([
    { branch: BRANCH, expectedOld: head, base: head, commits: [{ ...change, signature }] },
  ]);
  if (result.kind !== 'pushed') throw new Error(`the commit "${change.message}" was not taken: ${result.kind}`);
  return result.heads[0] ?? '';
}
