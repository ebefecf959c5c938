/** The verbs that order something of one Rollout: names, options, and what each wishes. */

import type { Command } from 'commander';
import type { CommonOptions, Io } from '../options.ts';
import type { Ports } from '../reconcile/pass.ts';
import {
  abortWish,
  type Given,
  gitFlags,
  isGiven,
  numberOf,
  orderFlags,
  ROLLOUT_NAME,
  shardFlag,
  targetFlags,
  targetOf,
  textOf,
} from './flags.ts';
import type { OrderWish } from './order.ts';

type Verb = (common: CommonOptions, ports: Ports, given: Given) => Promise<number>;

/** `writes`: the verb pushes. */
type Run = (verb: Verb, writes?: boolean) => (given: Given) => Promise<void>;

type Order = (
  name: string,
  description: string,
  wish: (given: Given, extra: unknown) => OrderWish,
  extra?: { readonly name: string; readonly what: string },
) => Command;

/** Adds the orders that are a commit on a Rollout. */
export function addOrders(program: Command, io: Io, run: Run): void {
  const order: Order = (name, description, wish, extra) => {
    const command = orderFlags(program.command(name).description(description)).argument('<name>', ROLLOUT_NAME);
    if (extra !== undefined) command.argument(extra.name, extra.what);
    return command.action((rollout: string, ...rest: unknown[]) => {
      const given = rest.find(isGiven) ?? {};
      return run(async (common, ports) => {
        const { intent } = await import('./order.ts');
        return intent(wish(given, rest[0]), await orderOptions({ common, io }, rollout, given), ports, io);
      }, true)(given);
    });
  };
  addForward(order);
  addBack(order);
  order('pause', 'no step forward until resumed', (given) => ({
    kind: 'pause',
    note: { why: textOf(given, 'why') ?? '', by: '' },
  })).option('--why <text>', 'for status, the page and the Rollout');
  order('resume', 'end a pause of the whole Rollout', () => ({ kind: 'resume' }));
  order('propose', 'open the pull request of the next step again, after it was closed', () => ({ kind: 'propose' }));
  order('repair', 'write the annotations of tranche as its last commit did', () => ({ kind: 'repair' }));
  order('acknowledge', 'accept that main was rewritten', () => ({ kind: 'acknowledge' }));
}

/** On with a release, or with one that was aborted. */
function addForward(order: Order): void {
  order('approve', 'end the pause of the current step, or accept what holds it', (given) => ({
    kind: 'approve',
    step: numberOf(textOf(given, 'step'), '--step'),
    hold: textOf(given, 'hold'),
    pause: given['early'] === true ? 'any' : 'begun',
  }))
    .option('--step <k>', 'refuse if another step is current')
    .option('--early', 'though the step is not done: its pause is skipped')
    .option('--hold <reason>', 'accept this hold instead, for what the last pass has seen and nothing else');
  order(
    'jump',
    'go on to a later step without the ones between',
    (_, step) => ({ kind: 'jump', step: numberOf(step, '<step>') ?? 0 }),
    { name: '<step>', what: 'its number, from 1' },
  );
  order('retry', 'deliver an aborted release from its first step again', (given) => ({
    kind: 'retry',
    release: textOf(given, 'release'),
  })).option('--release <release>', 'which one, as 9c41d2e0.7 (default: the one in the file, else the newest)');
}

/** Back from one. */
function addBack(order: Order): void {
  order('abort', 'end the delivery and go back to the stable version', abortWish)
    .option('--keep-newer', 'a newer template in the file stays: it is taken from its first step')
    .option('--from <commit>', 'go back to the template of this commit of main, where history does not tell it')
    .option(
      '--now',
      'wait neither for groups that load nor, with traffic, until the stable version serves as it should',
    )
    .option(
      '--release <release>',
      'refuse if another release would be aborted; needed for a request of an earlier template',
    )
    .option('--accept-outage', 'with --now: even where none of them serves, so that every request fails');
  order('undo', 'go back from a settled release to the one that had settled before it', (given) => ({
    kind: 'undo',
    to: textOf(given, 'to'),
  })).option('--to <release>', 'which one, as 9c41d2e0.7 (default: the one directly before)');
}

/** Adds the verb that hands a workload back. */
export function addEject(program: Command, io: Io, run: Run): void {
  orderFlags(program.command('eject').description('hand a workload back: annotations removed, partition 0'))
    .argument('<name>', `${ROLLOUT_NAME}; the LeaderWorkerSet where no Rollout is left`)
    .option('--abort', 'put the stable template back')
    .option('--partition <n>', 'how far the template of Git may go')
    .option('--as-is', 'blueGreen: the second LeaderWorkerSet that serves stays the one that does')
    .action((rollout: string, given: Given) =>
      run(async (common, ports) => {
        const { eject, ejectWish } = await import('./order.ts');
        return eject(ejectWish(given), await orderOptions({ common, io }, rollout, given), ports, io);
      }, true)(given),
    );
}

/** Adds the verb that prints the earlier template and writes nothing. */
export function addShowStable(program: Command, io: Io, run: Run): void {
  targetFlags(shardFlag(gitFlags(program.command('show-stable'))))
    .description('print the template that a rollback would bring back, and its commit')
    .argument('<name>', ROLLOUT_NAME)
    .action((rollout: string, given: Given) =>
      run(async (common, ports) => {
        const { showStable } = await import('./show-stable.ts');
        return showStable({ ...common, target: targetOf(rollout, given) }, ports, io);
      })(given),
    );
}

async function orderOptions({ common, io }: { common: CommonOptions; io: Io }, name: string, given: Given) {
  const { giverOf } = await import('../wiring.ts');
  const giver = await giverOf(common, io, textOf(given, 'by'));
  const workload = given['workload'] === true ? { workload: true } : {};
  const pullRequest = given['pullRequest'] === true;
  return { ...common, target: { ...targetOf(name, given), ...workload }, ...giver, pullRequest };
}
