/** The rules under which a pull request is merged, as a pass has read them, and whether they still fit its form. */

import { isKnown, type Known, known, unknown } from '../../api/known.ts';
import type { ProposalRecord } from '../../api/proposal-record.ts';
import type { Forge, Waiting } from '../../ports/forge.ts';
import { formOf, isFields, type MergeRules } from '../../rollout/proposals/form.ts';
import type { Reconciled } from '../outcome.ts';
import { ask, type ForgeAnswer, GATE } from '../write/execute-proposal.ts';

/** What came of asking: what the forge refuses to say is unknown; where it does not answer, another pass asks again. */
export type RulesAsked = Exclude<ForgeAnswer<MergeRules>, { readonly kind: 'refused' }>;

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
    const value = { isGateRequired: why, isGateOurs: why, isStrict: why, hasQueue: why, takesDirectPush: why };
    return { kind: 'done', value };
  }
  if (said.kind !== 'done') return said;
  const { checks, isStrict, hasMergeQueue, takesDirectPush } = said.value;
  const gates = checks.kind === 'known' ? checks.value.filter(({ context }) => context === GATE) : [];
  const isGateRequired = mapped(checks, () => gates.length > 0);
  const apps = gates.flatMap(({ app }) => app ?? []);
  const own = checks.kind === 'known' ? await isOurs(forge, apps) : checks;
  if (own.kind === 'deferred' || own.kind === 'unavailable') return own;
  const value = { isGateRequired, isGateOurs: own, isStrict, hasQueue: hasMergeQueue, takesDirectPush };
  return { kind: 'done', value };
}

/** Whether one of these Apps is ours. Of several rules that want one status each has to be met. */
async function isOurs(forge: Forge, apps: readonly number[]) {
  if (apps.length === 0) return known(false);
  const said = await ask(() => forge.self());
  if (said.kind === 'refused') return unknown(said.said);
  if (said.kind !== 'done') return said;
  const { app } = said.value;
  return app.kind === 'absent' ? known(false) : mapped(app, (number) => apps.includes(number));
}

/** The same of one that is open, which every pass hears. */
export function rulesOfOpen({ rules }: Pick<Waiting, 'rules'>): MergeRules {
  return {
    isGateRequired: mapped(rules, ({ required }) => required.includes(GATE)),
    // Which App that is was asked when it was proposed.
    isGateOurs: mapped(rules, ({ bound }) => bound.includes(GATE)),
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
  const { isGateRequired, isGateOurs, isStrict, hasQueue } = rules;
  const isLost = [isGateRequired, isGateOurs, isStrict].some((rule) => isKnown(rule, false)) || isKnown(hasQueue, true);
  const commit = plan?.commit;
  const guarded = { ...GUARDED, takesDirectPush: known(form !== 'WithoutPush') };
  const isOther = snapshot !== undefined && commit !== undefined && !isFields(formOf({ snapshot, commit }, guarded));
  return isLost || isOther;
}

/** As far as the rules go. */
const GUARDED: Omit<MergeRules, 'takesDirectPush'> = {
  isGateRequired: known(true),
  isGateOurs: known(true),
  isStrict: known(true),
  hasQueue: known(false),
};

function mapped<T>(read: Known<T>, of: (value: T) => boolean): Known<boolean> {
  return read.kind === 'known' ? known(of(read.value)) : read;
}
