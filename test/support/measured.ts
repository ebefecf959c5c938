/** A world whose deliveries are measured: a policy that names an Analysis, a provider in memory, and passes of one process. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { Metrics } from '../../src/ports/metrics.ts';
import { NO_OVERRIDES } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { FakeForge } from './fake-forge.ts';
import { SimulatedMetrics } from './simulated-metrics.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from './vllm.ts';
import { World } from './world.ts';

export const ANALYSIS_FILE = 'policies/chat.yaml';
export const ANALYSIS = `apiVersion: tranche.dev/v1alpha1
kind: Analysis
metadata: {name: chat}
spec:
  provider: prod
  metrics:
    - {use: vllm/errors, bound: {fail: 3, pass: 2}}
`;
const policy = (more: string): string => `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: measured}
spec:
  rollouts: ['*']
  analyses: [chat]
${more}`;

type Start = {
  /** Its file; empty: none. */
  readonly analysis?: string;
  readonly others?: Readonly<Record<string, string>>;
  /** All other files; not there: one workload with three steps, whose pauses are over at once. */
  readonly files?: Readonly<Record<string, string>>;
  /** Not there: one in memory. */
  readonly provider?: Metrics;
  /** True: main names a key, and every process has it. */
  readonly signed?: boolean;
  /** Steps are proposed, on a branch whose rules want our status, or on one whose do not. */
  readonly proposed?: 'guarded' | 'open';
};

/** `more` of its policy. A delivery in its first step, whose group is ready; pauses are over at once. */
export async function started(more = '', given: Start = {}) {
  const { analysis = ANALYSIS, others = {}, files, proposed, provider, signed = false } = given;
  const rollout = (VLLM_FILES[ROLLOUT_FILE] ?? '').replace(/pause: *\{[^}]*\}/g, 'pause: {duration: 1}');
  const world = new World({ files: files ?? { ...VLLM_FILES, ...others, [ROLLOUT_FILE]: rollout }, signed });
  const metrics = new SimulatedMetrics();
  const forge = new FakeForge(world.repository, () => world.now);
  forge.isGuarded = proposed === 'guarded';
  const memory = world.memory();
  /** The agent has not followed, and no time has gone by. */
  const look = async (): Promise<string> => {
    const ports = world.ports({
      metrics: provider ?? metrics.port(),
      ...(proposed === undefined ? {} : { forge: forge.port() }),
    });
    const { outcomes, failed } = await runPass(ports, memory, { overrides: NO_OVERRIDES, write: true, only: [] });
    const made = outcomes[0]?.plan;
    const holds = made?.holds.map(({ reason }) => reason).join(' ') ?? outcomes[0]?.error ?? '';
    const waits = made?.commit?.delivery === 'proposal' ? `, ${holds}` : '';
    return `${made?.commit?.subject.split('): ')[1] ?? `hold ${holds}`}${waits}${failed ? ', failed' : ''}`;
  };
  const pass = (): Promise<string> => {
    world.sync();
    world.tick(60);
    return look();
  };
  await pass();
  // The stable groups have a past of more than a week.
  world.tick(9 * 86_400);
  await pass();
  const promotion = proposed === undefined ? '' : '  promotion: pullRequest\n';
  const writes = [
    { path: 'policies/measured.yaml', text: policy(`${promotion}${more}`) },
    ...(analysis === '' ? [] : [{ path: ANALYSIS_FILE, text: analysis }]),
  ];
  world.repository.commit('main', { writes, message: 'measure' });
  world.edit(LWS_FILE, OLD, NEW);
  await pass();
  await pass();
  return { world, metrics, pass, look, memory, forge };
}

/** Files that stories share, by the names of their parts. */
export function sharedFiles(...parts: readonly string[]): Readonly<Record<string, string>> {
  const root = new URL('../../fixtures/scenarios/common/', import.meta.url).pathname;
  const found = parts.flatMap((part) =>
    readdirSync(`${root}${part}`, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(`${root}${part}/${path}`).isFile())
      .map((path) => [path, readFileSync(`${root}${part}/${path}`, 'utf8')] as const),
  );
  return Object.fromEntries(found);
}

export type Measured = Awaited<ReturnType<typeof started>>;

/** Half an hour goes by, and a pass looks, until one says this. */
export async function until(of: Pick<Measured, 'world' | 'pass'>, said: RegExp, most = 30): Promise<string> {
  let last = '';
  for (let round = 0; round < most; round += 1) {
    of.world.tick(1800);
    last = await of.pass();
    if (said.test(last)) return last;
  }
  throw new Error(`no pass said ${said.source}: ${last}`);
}
