/** The gate of limits that several Rollouts share: who is in progress goes on, the others start in their order. */

import { type Hold, hold } from '../hold.ts';
import type { Situation } from '../situation.ts';
import type { Snapshot, Turn } from '../snapshot.ts';

/** More deliveries than this are not reported one by one. */
const TOLD_MOST = 5;
/** How long a free place is kept for who has asked before: their process may be gone. */
const KEPT_SECONDS = 900;
/** How old a request may be for that, where nothing but the status branch says since when it gives way: that may say `now` for ever. */
const GIVES_WAY_SECONDS = 86_400;

/** Room counts once it is on main. Those of other processes that have asked before are let in first, for a while. */
export function notItsTurn({ snapshot }: Situation): Hold | undefined {
  const turns = snapshot.turns ?? [];
  const full = turns.filter(({ most, underWay }) => underWay.length >= most);
  const later = keepsPlaces(snapshot) ? turns.filter((turn) => !full.includes(turn) && isLater(turn)) : [];
  if (full.length + later.length === 0) return undefined;
  const told = [
    ...full.map((turn) => toldOf(turn, turn.underWay, 'in progress')),
    ...later.map((turn) => toldOf(turn, turn.before ?? [], 'to start first, having asked before')),
  ];
  // Who is in the rollback already has nothing to abort, nor has who is to start.
  if (full.every(({ underWay, goingBack = 0 }) => underWay.length === goingBack))
    return hold('NotItsTurn', { seen: told.join('; '), waits: 'groups' });
  return hold('NotItsTurn', {
    seen: told.join('; '),
    action: 'Wait for one of them to end. To free the place of one that is stuck: tranche abort <name>',
  });
}

/** Whether only others, who have asked before, keep it from a place. */
export function givesWay({ turns = [] }: Pick<Snapshot, 'turns'>): boolean {
  return turns.every(({ most, underWay }) => underWay.length < most) && turns.some(isLater);
}

function keepsPlaces({ record, now, requestedAt }: Snapshot): boolean {
  const since = record?.requested?.gaveWay;
  if (requestedAt !== undefined && now - requestedAt >= GIVES_WAY_SECONDS) return false;
  // Nobody gives way to another before it has asked itself.
  return since === undefined || now - Math.max(since, requestedAt ?? since) < KEPT_SECONDS;
}

function isLater({ most, underWay, before = [] }: Turn): boolean {
  return before.length > 0 && underWay.length + before.length >= most;
}

function toldOf({ field, policy, file, line, most }: Turn, names: readonly string[], what: string): string {
  const more = names.length > TOLD_MOST ? ' and others' : '';
  const are = names.length === 1 ? 'is' : 'are';
  return `${names.slice(0, TOLD_MOST).join(', ')}${more} ${are} ${what}, and RolloutPolicy ${policy} (${file}:${line}) allows ${most} (${field})`;
}
