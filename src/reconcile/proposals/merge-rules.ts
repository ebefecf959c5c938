/** The rules under which a pull request is merged, as a pass has heard them, and whether they still fit its form. */

import { isKnown, type Known, known, unknown } from '../../api/known.ts';
import type { ProposalRecord } from '../../api/proposal-record.ts';
import type { Forge, Waiting } from '../../ports/forge.ts';
import { formOf, isFields, type MergeRules } from '../../rollout/proposals/form.ts';
import type { Reconciled } from '../reconcile.ts';
import { type Asked, ask, GATE } from '../write/execute-proposal.ts';

/** What came of asking: what the forge refuses to say is unknown; where it does not answer, another pass asks again. */
export type RulesAsked = Exclude<Asked<MergeRules>, { readonly kind: 'refused' }>;

/** Asks when it is wanted, once. */
export function rulesReader(forge: Forge, base: string): () => Promise<RulesAsked> {
  let read: Promise<RulesAsked> | undefined;
  return () => {
    read ??= readRules(forge, base);
    return read;
  };
}

async function readRules(forge: Forge, base: string): Promise<RulesAsked> {
  const said = await ask(() => forge.rules(base));
  if (said.kind === 'refused') {
    const why = unknown(said.said);
    return { kind: 'done', value: { isGateRequired: why, isStrict: why, hasQueue: why, takesDirectPush: why } };
  }
  if (said.kind !== 'done') return said;
  const { checks, isStrict, hasMergeQueue, takesDirectPush } = said.value;
  const isGateRequired = mapped(checks, (required) => required.some(({ context }) => context === GATE));
  return { kind: 'done', value: { isGateRequired, isStrict, hasQueue: hasMergeQueue, takesDirectPush } };
}

/** The same of one that is open, which every pass hears. */
export function rulesOfOpen({ rules }: Pick<Waiting, 'rules'>): MergeRules {
  return {
    isGateRequired: mapped(rules, ({ required }) => required.includes(GATE)),
    isStrict: mapped(rules, ({ isStrict }) => isStrict),
    hasQueue: mapped(rules, ({ hasMergeQueue }) => hasMergeQueue),
    // Who takes it away is met by the next push of ours, and by the next proposal.
    takesDirectPush: unknown('it is asked for where something is proposed'),
  };
}

/** It is the step itself, and would not be proposed as that any more. What nobody could read now changes nothing. */
export function isUnguarded(
  { snapshot, plan }: Reconciled,
  { form, rules }: Pick<ProposalRecord, 'form'> & { readonly rules: MergeRules | undefined },
): boolean {
  if (!isFields(form) || rules === undefined) return false;
  const { isGateRequired, isStrict, hasQueue } = rules;
  const isLost = isKnown(isGateRequired, false) || isKnown(isStrict, false) || isKnown(hasQueue, true);
  const commit = plan?.commit;
  const isOther = snapshot !== undefined && commit !== undefined && !isFields(formOf({ snapshot, commit }, GUARDED));
  return isLost || isOther;
}

/** As far as the rules go. */
const GUARDED: MergeRules = {
  isGateRequired: known(true),
  isStrict: known(true),
  hasQueue: known(false),
  takesDirectPush: known(true),
};

function mapped<T>(read: Known<T>, of: (value: T) => boolean): Known<boolean> {
  return read.kind === 'known' ? known(of(read.value)) : read;
}
