/** A delivery by shares, and what somebody who may merge writes into the marks of its workload. */

import { commonFiles } from '../scenarios/check-stories.ts';
import { Forgery } from './forgery.ts';

export const LWS = 'apps/vllm/lws.yaml';
export const ROUTE = 'apps/vllm/route.yaml';
export const SERVICE = 'apps/vllm/service.yaml';
export const [OLD, NEW] = ['v0.10.0', 'v0.10.1'];

const STAGE_ROUNDS_MOST = 60;
const SHARED = ['vllm-without-requests', 'vllm-service', 'vllm-routed'];

/** The Rollouts, by the folder of stories that has each. */
export const STYLES: Readonly<Record<string, string>> = {
  canary: 'canary-steps',
  blueGreen: 'blue-green-steps',
  'partition with a route': 'partition-routed-steps',
};

/** The files of parts that stories share. */
const parts = (...names: readonly string[]): Record<string, string> => Object.assign({}, ...names.map(commonFiles));

/** The files of a style, as their users have written them. */
export const filesOf = (style: string): Record<string, string> => parts(...SHARED, STYLES[style] ?? '');

/** What a mark of the workload says; empty: it is not there. */
export const markIn = (at: Forgery, mark: string): string =>
  new RegExp(`tranche\\.dev/${mark}: (?:"([^"]*)"|'([^']*)')`).exec(at.text(LWS))?.slice(1).find(Boolean) ?? '';

/** Until the delivery stands there. */
export const STAGES: Readonly<Record<string, (at: Forgery) => boolean>> = {
  'in its first share': (at) => markIn(at, 'rung') === 'traffic',
  'in its promotion': (at) => markIn(at, 'step') === 'promote',
};

type Standing = {
  readonly style: string;
  readonly stage: string;
  /** Files next to those of the style. */
  readonly more?: Readonly<Record<string, string>>;
  /** True: every step is a pull request, which somebody merges. */
  readonly pulls?: boolean;
};

/** A newer template on its way, as far as the stage says. */
export async function standing({ style, stage, more = {}, pulls = false }: Standing): Promise<Forgery> {
  const at = new Forgery({ ...filesOf(style), ...more }, { pulls });
  for (let round = 0; round < 3; round += 1) await at.round();
  if (pulls) at.write('tranche.yaml', `${at.text('tranche.yaml')}promotion: pullRequest\n`);
  at.edit(LWS, OLD, NEW);
  for (let round = 0; round < STAGE_ROUNDS_MOST; round += 1) {
    await at.round();
    if (STAGES[stage]?.(at) === true) return at;
    at.mergeOpen();
  }
  throw new Error(`${style}: not ${stage}: ${at.world.subject()}`);
}

/** The mark `restore` with other fields, worked out from those that are there. */
export const restoring =
  (change: (there: Readonly<Record<string, unknown>>) => object) =>
  (at: Forgery): void => {
    const there = Object.assign({}, JSON.parse(markIn(at, 'restore')));
    const is = JSON.stringify(Object.assign({}, there, change(there)));
    at.write(LWS, at.text(LWS).replace(/tranche\.dev\/restore: .*/, `tranche.dev/restore: '${is}'`));
  };

/** A mark, where it is another. */
export const put = (at: Forgery, name: string, value: string): void => {
  if (markIn(at, name) !== value) at.mark(name, value);
};

/** Rounds without a change after which a workload that is in no delivery stays as it is. */
const REST_ROUNDS = 3;

/** Plays rounds until no delivery is left and nothing has changed for some of them, at most as many. */
export async function untilRest(at: Forgery, most: number, round: () => Promise<unknown>): Promise<void> {
  let [still, before] = [0, ''];
  for (let count = 0; count < most && still < REST_ROUNDS; count += 1) {
    await round();
    const now = `${at.world.repository.head('main')} ${at.world.groups()}`;
    still = markIn(at, 'step') === '' && now === before ? still + 1 : 0;
    before = now;
  }
}

/** How many groups of a workload serve, of all or of one version. */
export const serving = (at: Forgery, version = ''): number =>
  at.world
    .groups()
    .split(' ')
    .filter((group) => group.endsWith(`${version}+`)).length;
