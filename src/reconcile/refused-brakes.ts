/** What protects or leads back, and the server refuses: it is tried in each pass, and keeps nobody else waiting. */

import { PortError } from '../ports/port-error.ts';
import { planHeld } from '../rollout/plan.ts';
import { printKey } from '../rollout/texts/key-text.ts';
import type { Reconciled, RefusedBrakes } from './outcome.ts';
import type { PassResult, Ports } from './pass.ts';
import { brakes } from './proposals/case.ts';

/** The rollout as it stands once its brake was refused; one that has none of these as it is. */
export function stoodAside(one: Reconciled, refused: RefusedBrakes | undefined): Reconciled {
  const { plan, snapshot } = one;
  const why = refused?.get(printKey(one.key));
  if (why === undefined || plan === undefined || snapshot === undefined || !brakes(one)) return one;
  return { ...one, plan: planHeld(plan, snapshot, why.reason), writes: [], error: why.rule };
}

/**
 * A pass that brakes asks neither the forge nor for metrics. A brake that the server refuses is there in each pass, and all who wait for
 * either would wait for as long, and their statuses would say what was so before: so they are looked at once it has been tried.
 */
export async function withOthers(
  first: PassResult,
  { forge, metrics, log }: Pick<Ports, 'forge' | 'metrics' | 'log'>,
  again: () => Promise<PassResult | 'moved'>,
): Promise<PassResult> {
  if ((forge ?? metrics) === undefined) return first;
  try {
    const second = await again();
    return second === 'moved' || second.quiet ? first : ofBoth(first, second);
  } catch (error) {
    // What was tried has been said: the next pass looks again.
    if (!(error instanceof PortError)) throw error;
    log.warn(`nobody else was looked at in this pass: ${error.message}`);
    return first;
  }
}

/** What the second look came to, with what the first had written. */
function ofBoth(first: PassResult, second: PassResult): PassResult {
  const written = new Map(
    first.outcomes.filter((one) => one.written !== undefined).map((one) => [printKey(one.key), one] as const),
  );
  const outcomes = second.outcomes.map((one) =>
    one.written === undefined ? (written.get(printKey(one.key)) ?? one) : one,
  );
  return { ...second, outcomes, status: second.status ?? first.status, failed: first.failed || second.failed };
}
