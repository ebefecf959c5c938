/** The verbs by which people steer: approve, pause, resume, abort, jump, retry, acknowledge, eject. */

import { jsonText, oneLine } from '../api/printable.ts';
import { type CommonOptions, EXIT, type Io } from '../options.ts';
import { type EjectWish, planEject } from '../reconcile/orders/eject.ts';
import { type Intent, planIntent } from '../reconcile/orders/intent.ts';
import { type Ordered, type OrderResult, order, type Target } from '../reconcile/orders/order.ts';
import type { Ports } from '../reconcile/pass.ts';
import type { Snapshot } from '../rollout/snapshot.ts';

export type OrderOptions = CommonOptions & { readonly target: Target; readonly by: string };

/** Writes the intent as a commit on the Rollout. Refused: exit code 1, nothing written. */
export async function intent(wish: Intent, options: OrderOptions, ports: Ports, io: Io): Promise<number> {
  const result = await order(ports, options, ({ snapshot }) => {
    const planned = planIntent(wish, snapshot);
    if (planned.kind === 'refused' || snapshot.rollout === undefined)
      return planned.kind === 'refused' ? planned : { kind: 'refused', why: 'there is no Rollout' };
    const { file, object } = snapshot.rollout;
    return { kind: 'write', commits: [{ edits: [{ file, object, edits: planned.edits }], what: planned.what }] };
  });
  return say(result, options, io);
}

/** Hands the workload back; the Rollout, where there still is one, is disabled in the first commit. */
export async function eject(wish: EjectWish, options: OrderOptions, ports: Ports, io: Io): Promise<number> {
  const result = await order(ports, options, ({ snapshot }) => ejectCommits(wish, snapshot));
  return say(result, options, io);
}

function ejectCommits(wish: EjectWish, snapshot: Snapshot): Ordered {
  const planned = planEject(wish, snapshot);
  const { workload, rollout } = snapshot;
  if (planned.kind === 'refused') return planned;
  if (workload === undefined) return { kind: 'refused', why: 'the workload cannot be read; tranche lint says why' };
  const disable =
    rollout === undefined || rollout.rollout.disabled
      ? []
      : [
          {
            file: rollout.file,
            object: rollout.object,
            edits: [{ kind: 'set', path: ['spec', 'disabled'], value: true } as const],
          },
        ];
  return {
    kind: 'write',
    commits: planned.commits.map((commit, index) => ({
      edits: [{ file: workload.file, object: workload.object, edits: commit.edits }, ...(index === 0 ? disable : [])],
      what: commit.what,
    })),
  };
}

function say(result: OrderResult, options: OrderOptions, io: Io): number {
  if (options.output === 'json') io.out(jsonText(result));
  else if (result.kind === 'refused') io.err(`refused: ${oneLine(result.why)}\n`);
  else
    io.out(
      `${result.what}\n${result.commits.map((commit) => `commit ${commit.slice(0, 12)}\n`).join('')}${result.diff}`,
    );
  return result.kind === 'refused' ? EXIT.failed : EXIT.ok;
}
