/** What becomes of one call at a port: it goes well, goes wrong, or the process dies over it. */

import type { BuildFault } from './built-port.ts';
import type { Chance } from './chance.ts';
import type { Pending, PortFault } from './process.ts';
import type { FaultKind, Rates } from './setup.ts';
import type { Universe } from './universe.ts';

export type Fate =
  | { readonly kind: 'well' }
  /** It goes well, but time passes before. */
  | { readonly kind: 'slow'; readonly why: FaultKind; readonly seconds: number }
  | { readonly kind: 'wrong'; readonly why: FaultKind; readonly fault: PortFault }
  /** `before`: nothing happens; `after`: it happens, nobody hears; `late`: it happens some time after the death. */
  | { readonly kind: 'crash'; readonly why: FaultKind; readonly when: 'before' | 'after' | 'late' };

const WELL: Fate = { kind: 'well' };

/** Draws the fate of a call, and counts it. */
export function fateOf(universe: Universe, chance: Chance, call: Pending): Fate {
  const fate = draw(universe, chance, call);
  if (fate.kind !== 'well') universe.inject(fate.why);
  return fate;
}

function draw(universe: Universe, chance: Chance, call: Pending): Fate {
  const { rates } = universe.setup;
  const hit = (kind: FaultKind): boolean => chance.flip(rates[kind]);
  // Seeds that are kept know nothing of these: nothing is drawn for them.
  const hitNew = (kind: FaultKind): boolean => rates[kind] > 0 && hit(kind);
  if (hitNew('slow call')) return { kind: 'slow', why: 'slow call', seconds: chance.between(3, 90) };
  if (call.kind === 'push') return pushFate(chance, rates);
  if (hitNew('crash after read')) return { kind: 'crash', why: 'crash after read', when: 'after' };
  if (hit('crash before read')) return { kind: 'crash', why: 'crash before read', when: 'before' };
  if (call.kind === 'list') {
    if (hit('cluster unknown')) {
      const why = chance.pick(['timed out', '403 forbidden', 'a page was missing']);
      return { kind: 'wrong', why: 'cluster unknown', fault: { port: 'cluster', fault: { kind: 'unknown', why } } };
    }
    // The port has no half lists: an adapter that misses a page answers that it does not know.
    if (call.kind === 'list' && hitNew('partial list')) {
      const why = 'the second page of 2 could not be read';
      return { kind: 'wrong', why: 'partial list', fault: { port: 'cluster', fault: { kind: 'unknown', why } } };
    }
    // A server may lag, but within one pass it never goes back behind what it has answered.
    const older = universe.ring.slice(0, -1).filter((reading) => Number(reading.resourceVersion) >= call.seen);
    if (older.length > 0 && hit('cluster stale')) {
      const reading = chance.pick(older);
      return { kind: 'wrong', why: 'cluster stale', fault: { port: 'cluster', fault: { kind: 'stale', reading } } };
    }
    return WELL;
  }
  if (call.kind === 'build') return buildFate(chance, rates);
  if (call.kind === 'heads' && hit('stale heads'))
    return {
      kind: 'wrong',
      why: 'stale heads',
      fault: { port: 'git', fault: { kind: 'stale', moves: chance.between(1, 3) } },
    };
  const failing: FaultKind | undefined = hit('git read fails')
    ? 'git read fails'
    : hitNew('git reply lost')
      ? 'git reply lost'
      : undefined;
  if (failing !== undefined)
    return {
      kind: 'wrong',
      why: failing,
      fault: { port: 'git', fault: { kind: 'fail', retryable: failing === 'git reply lost' || chance.flip(0.8) } },
    };
  return WELL;
}

/** Kinds of faults of kustomize, and how each shows. A process builds seldom: what it knows it keeps. */
const BUILDS = [
  ['build fails', 'fails'],
  ['build stopped', 'stopped'],
  ['kustomize missing', 'missing'],
] as const satisfies readonly (readonly [FaultKind, BuildFault])[];

function buildFate(chance: Chance, rates: Rates): Fate {
  const found = BUILDS.find(([kind]) => chance.flip(rates[kind] * 4));
  if (found === undefined) return WELL;
  const [why, fault] = found;
  return { kind: 'wrong', why, fault: { port: 'builder', fault } };
}

function pushFate(chance: Chance, rates: Rates): Fate {
  const hit = (kind: FaultKind): boolean => chance.flip(rates[kind]);
  if (hit('crash before push')) return { kind: 'crash', why: 'crash before push', when: 'before' };
  if (hit('crash after push')) return { kind: 'crash', why: 'crash after push', when: 'after' };
  if (hit('push late')) return { kind: 'crash', why: 'push late', when: 'late' };
  const wrong = (why: FaultKind, fault: (PortFault & { port: 'git' })['fault']): Fate => ({
    kind: 'wrong',
    why,
    fault: { port: 'git', fault },
  });
  if (hit('push fails before')) return wrong('push fails before', { kind: 'fail', retryable: chance.flip(0.8) });
  if (hit('push reply lost')) return wrong('push reply lost', { kind: 'lostReply' });
  if (hit('push spuriously moved')) return wrong('push spuriously moved', { kind: 'moved' });
  if (hit('push refused')) {
    const branch = chance.pick(['main', 'main', 'tranche-status']);
    return wrong('push refused', { kind: 'refuse', branch, rule: 'protected branch hook declined' });
  }
  return WELL;
}
