/**
 * A small world of metrics: releases that are good or bad, a provider that answers, lies by omission or is dead, people who
 * accept and abort, records that are lost. The laws look at each commit of ours, by what was so and not by what was said.
 */

import { factsDigest } from '../../src/reconcile/documents/digests.ts';
import { order } from '../../src/reconcile/order.ts';
import { NO_OVERRIDES } from '../../src/reconcile/pass.ts';
import { parseTrailers } from '../../src/rollout/commits/trailers.ts';
import { type Intent, planIntent } from '../../src/rollout/orders/intent.ts';
import { ladderFiles, ladderRollout } from '../support/ladder.ts';
import { type Measured, started } from '../support/measured.ts';
import type { SimulatedMetrics } from '../support/simulated-metrics.ts';
import { ROLLOUT_FILE } from '../support/vllm.ts';
import { Chance } from './chance.ts';

export type Style = 'partition' | 'canary';

const STEPS = ['replicas: 1, traffic: 5%, pause: {duration: 60}', 'replicas: 50%, traffic: 50%, pause: {duration: 60}'];
const CANARY = Object.fromEntries(ladderFiles(ladderRollout('canary', STEPS)));
const WRONG: readonly SimulatedMetrics['mood'][] = ['dead', 'warns', 'partial', 'missing', 'hostile'];
/** What leaves a step, and what leads back by itself. */
const LEAVES: readonly string[] = ['StepReady', 'Promoted', 'Settled'];
const BACK: readonly string[] = ['Failed', 'TrafficWithdrawn'];

export class MeasuredWorld {
  readonly broken: string[] = [];
  /** Commits that left a step, or led back by themselves. */
  readonly moves: string[] = [];
  private readonly of: Measured;
  private readonly chance: Chance;
  /** Whether the version that is delivered is as good as the one before. */
  private readonly isGood: boolean;
  /** Whether the provider was whole in any pass since the last commit of ours. */
  private wasWhole = false;
  private accepted = false;

  private constructor(of: Measured, chance: Chance) {
    this.of = of;
    this.chance = chance;
    this.isGood = chance.flip(0.5);
    const isNew = (pod: string): boolean => pod.startsWith('vllm-canary') || this.onRelease().includes(pod);
    if (!this.isGood) of.metrics.bad = (pod) => (isNew(pod) ? 300 : 10);
  }

  static async start(seed: string, style: Style): Promise<MeasuredWorld> {
    const chance = new Chance(seed);
    const way = chance.pick(['hold', 'withdraw', 'rollback']);
    const files = style === 'canary' ? { files: CANARY } : {};
    return new MeasuredWorld(await started(`  onAnalysisFailure: ${way}\n`, files), chance);
  }

  async live(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) await this.turn();
  }

  /** The pods whose leader runs the image that is delivered. */
  private onRelease(): readonly string[] {
    const pods = this.of.world.cluster.objects.list('pods', 'llm');
    return pods.flatMap((pod) => (JSON.stringify(pod['spec']).includes('v0.10.1') ? [pod.metadata.name] : []));
  }

  private async turn(): Promise<void> {
    const { of, chance } = this;
    const { world, metrics } = of;
    metrics.mood = chance.flip(0.6) ? 'well' : chance.pick(WRONG);
    this.wasWhole ||= metrics.mood === 'well';
    if (chance.flip(0.1)) world.repository.setHead('tranche-status', undefined);
    if (chance.flip(0.1)) of.memory.metrics.judged.clear();
    if (chance.flip(0.3)) this.name();
    if (chance.flip(0.08)) await this.accept();
    world.tick(chance.pick([60, 600, 1800]));
    const before = world.repository.head('main');
    await of.pass();
    for (const { oid, message } of world.repository.log('main')) {
      if (oid === before) break;
      this.judge(message);
    }
  }

  /** The Rollout names the Analysis as its file is, which commits of ours have told. */
  private name(): void {
    const { repository } = this.of.world;
    const text = repository.text('main', ROLLOUT_FILE) ?? '';
    const blob = /chat@([0-9a-f]{12})/.exec(
      repository
        .log('main')
        .map(({ message }) => message)
        .join('\n'),
    )?.[1];
    if (blob === undefined || text.includes('analysed')) return;
    const named = text.includes('  annotations:')
      ? text.replace('  annotations:', `  annotations:\n    tranche.dev/analysed: chat@${blob}`)
      : text.replace('metadata:\n', `metadata:\n  annotations:\n    tranche.dev/analysed: chat@${blob}\n`);
    repository.commit('main', { writes: [{ path: ROLLOUT_FILE, text: named }], message: 'name the analysis' });
  }

  private async accept(): Promise<void> {
    const { world } = this.of;
    const hold = this.chance.pick(['AnalysisFailed', 'AnalysisInconclusive', 'BothSidesBad', 'GroupOutlier'] as const);
    const intent: Intent = { kind: 'approve', step: undefined, hold };
    const ports = world.ports({ metrics: this.of.metrics.port() });
    const at = { target: { name: 'vllm', namespace: '' }, overrides: NO_OVERRIDES, by: 'ada' };
    const made = await order(ports, at, ({ snapshot }) => planIntent(intent, { snapshot, digestOf: factsDigest }));
    this.accepted ||= made.kind === 'written';
  }

  private judge(message: string): void {
    const reason = parseTrailers(message)?.reason ?? '';
    const isFirst = /^Rollout-Step: 1\//m.test(message) && reason === 'StepReady';
    const [subject = ''] = message.split('\n');
    const leaves = LEAVES.includes(reason) && !isFirst;
    if (leaves || BACK.includes(reason)) {
      this.moves.push(`${reason} ${this.isGood ? 'good' : 'bad'}`);
      if (!this.wasWhole) this.broken.push(`moved by what nobody has answered: ${subject}`);
    }
    const verdicts = [...message.matchAll(/^Rollout-Analysis: \S+ (\S+)/gm)].map(([, verdict]) => verdict);
    if (leaves && !this.accepted) {
      if (verdicts.length === 0 || verdicts.some((verdict) => verdict !== 'passed'))
        this.broken.push(`left a step without a verdict that passed: ${subject}`);
      if (!this.isGood) this.broken.push(`left a step of a version that is bad: ${subject}`);
    }
    if (BACK.includes(reason) && this.isGood) this.broken.push(`back though the version is good: ${subject}`);
    if (reason !== '') this.wasWhole = false;
  }
}

/** Laws that any of these worlds has broken, and what moved in them. */
export async function lived(
  seeds: readonly number[],
  turns: number,
): Promise<{ readonly broken: readonly string[]; readonly moves: readonly string[] }> {
  const [broken, moves]: [string[], string[]] = [[], []];
  for (const seed of seeds) {
    const style = seed % 2 === 0 ? 'partition' : 'canary';
    const world = await MeasuredWorld.start(`measured ${seed}`, style);
    await world.live(turns);
    broken.push(...world.broken.map((law) => `${style} ${seed}: ${law}`));
    moves.push(...world.moves);
  }
  return { broken, moves };
}
