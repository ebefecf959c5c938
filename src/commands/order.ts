/** The verbs by which people steer: approve, pause, resume, abort, undo, jump, retry, propose, acknowledge, repair, eject. */

import { jsonText, oneLine } from '../api/printable.ts';
import { type CommonOptions, EXIT, type Io } from '../options.ts';
import { factsDigest } from '../reconcile/documents/digests.ts';
import { type Giver, order } from '../reconcile/order.ts';
import type { Ports } from '../reconcile/pass.ts';
import { type LineWish, orderLine } from '../reconcile/stop-line.ts';
import type { Target } from '../reconcile/target.ts';
import type { OrderResult } from '../reconcile/write/write-order.ts';
import { planEject } from '../rollout/orders/eject.ts';
import type { EjectWish } from '../rollout/orders/eject-scene.ts';
import { type Intent, planIntent } from '../rollout/orders/intent.ts';
import { planRepair } from '../rollout/orders/repair.ts';
import { type Given, numberOf, textOf } from './flags.ts';

/** `pullRequest`: the order goes by one, and not to main. Not there: to main. */
type Via = { readonly pullRequest?: boolean };

export type OrderOptions = CommonOptions & Giver & Via & { readonly target: Target };

/** What the verbs on one Rollout wish, but for `eject`. */
export type OrderWish = Intent | { readonly kind: 'repair' };

/** What of main's own line an order is planned on, beyond what every order is. */
const READS: Partial<Readonly<Record<OrderWish['kind'], 'marks' | 'delivery'>>> = {
  repair: 'marks',
  undo: 'delivery',
  abort: 'delivery',
};

/** Writes the wish as a commit on the Rollout, or on its workload. Refused: exit code 1, nothing written. */
export async function intent(wish: OrderWish, options: OrderOptions, ports: Ports, io: Io): Promise<number> {
  // An abort brakes: it is meant for what goes on, whatever else has the name.
  const target = wish.kind === 'abort' ? { ...options.target, underWay: true } : options.target;
  const from = wish.kind === 'abort' ? wish.from : undefined;
  const given: OrderWish =
    wish.kind === 'pause' ? { kind: 'pause', note: { why: wish.note?.why ?? '', by: options.by } } : wish;
  const result = await order(ports, { ...options, target, from, reads: READS[wish.kind] }, (scene) =>
    given.kind === 'repair' ? planRepair(scene) : planIntent(given, { ...scene, digestOf: factsDigest }),
  );
  return say(result, options, io);
}

/** What the flags of `eject` say. Throws UsageError for a number that is none. */
export function ejectWish(given: Given): EjectWish {
  const partition = numberOf(textOf(given, 'partition'), '--partition');
  return { abort: given['abort'] === true, partition, asIs: given['asIs'] === true };
}

/** Hands the workload back; the Rollout, where there still is one, is disabled in the first commit. */
export async function eject(wish: EjectWish, options: OrderOptions, ports: Ports, io: Io): Promise<number> {
  const result = await order(ports, { ...options, reads: 'stable' }, (scene) => planEject(wish, scene));
  return say(result, options, io);
}

/** Stops the line, or lets it go. Refused: exit code 1, nothing written. */
export async function line(
  wish: LineWish,
  options: CommonOptions & Giver & Via,
  ports: Ports,
  io: Io,
): Promise<number> {
  return say(await orderLine(ports, { ...options, wish }), options, io);
}

/** Prints what became of it. A pull request that the forge did not open is a failure: its branch alone does nothing. */
export function say(result: OrderResult, options: CommonOptions, io: Io): number {
  const unopened = result.kind === 'proposed' ? result.unopened : undefined;
  if (options.output === 'json') io.out(jsonText(result));
  else if (result.kind === 'refused') io.err(`refused: ${oneLine(result.why)}\n${result.diff ?? ''}`);
  else {
    const next = result.next === undefined ? '' : `${oneLine(result.next)}\n`;
    io.out(`${result.what}\n${placesOf(result)}${result.diff}${next}`);
    if (unopened !== undefined) io.err(`the pull request was not opened: ${oneLine(unopened)}\n`);
  }
  return result.kind === 'refused' || unopened !== undefined ? EXIT.failed : EXIT.ok;
}

/** Where it was written, a line each. */
function placesOf(result: Exclude<OrderResult, { readonly kind: 'refused' }>): string {
  if (result.kind === 'written') return result.commits.map((commit) => `commit ${commit.slice(0, 12)}\n`).join('');
  const { branch, url } = result;
  return url === undefined
    ? `branch ${branch}: open a pull request from it. Nothing happens before that is merged\n`
    : `pull request ${oneLine(url)}: nothing happens before it is merged\n`;
}
