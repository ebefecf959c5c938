/** What tranche would write next to the base of a change: where its pushes are refused, people bring that in. */

import { newKnownTexts } from '../manifests/known-texts.ts';
import type { Outcome } from './outcome.ts';
import { brakes } from './proposals/case.ts';
import { draw } from './reconcile.ts';

/**
 * The files that its commits which lock or lead back would leave, as `tranche plan` shows them. Steps forward are not among them: those
 * come by its own pull requests.
 */
export function plannedTexts(outcomes: readonly Outcome[]): ReadonlyMap<string, string> {
  return new Map(
    outcomes.flatMap(({ plan, snapshot, texts }) => {
      if (plan === undefined || snapshot === undefined || !brakes({ plan })) return [];
      const { writes } = draw(plan, snapshot, { texts: new Map(Object.entries(texts)), known: newKnownTexts() });
      return writes.flatMap(({ path, text }) => (text === undefined ? [] : [[path, text] as const]));
    }),
  );
}
