/** Reads the rules of a branch, as far as they are shown to who does not administer the repository. */

import { at } from '../../../api/json.ts';
import { type Known, known, unknown } from '../../../api/known.ts';
import type { Answer } from '../../../ports/forge.ts';
import type { BranchRules, RulesetChecks } from '../../../ports/forge-rules.ts';
import type { ForgeCaller } from './call.ts';
import { readPages } from './pages.ts';
import { idAt, listAt, textAt } from './read-pull.ts';

const operation = 'read the rules of a branch';

/** The rules of all active rulesets for a branch of this name, whether it is there or not. Throws PortError. */
export async function readRulesetRules(caller: ForgeCaller, branch: string): Promise<Answer<readonly unknown[]>> {
  return readPages(caller, {
    route: 'GET /repos/{owner}/{repo}/rules/branches/{branch}',
    operation,
    parameters: { branch },
  });
}

/** What the rules want of a merge. */
export function rulesetChecks(rules: readonly unknown[]): RulesetChecks {
  return {
    required: checksOf(rules).map(({ context }) => context),
    bound: checksOf(rules).flatMap(({ context, app }) => (app === undefined ? [] : [context])),
    isStrict: isStrict(rules),
    hasMergeQueue: ofType(rules, 'merge_queue').length > 0,
  };
}

function isStrict(rules: readonly unknown[]): boolean {
  return ofType(rules, 'required_status_checks').some(
    (rule) => at(rule, ['parameters', 'strict_required_status_checks_policy']) === true,
  );
}

function checksOf(rules: readonly unknown[]) {
  return ofType(rules, 'required_status_checks').flatMap((rule) =>
    listAt(rule, 'parameters', 'required_status_checks').flatMap((check) => {
      const context = textAt(check, 'context');
      return context === undefined ? [] : [{ context, app: idAt(check, 'integration_id') }];
    }),
  );
}

function ofType(rules: readonly unknown[], type: string): readonly unknown[] {
  return rules.filter((rule) => textAt(rule, 'type') === type);
}

/** All that can be seen; where the older protection of branches is in force too, most of that is not. Throws PortError. */
export async function readRules(caller: ForgeCaller, branch: string): Promise<Answer<BranchRules>> {
  const rules = await readRulesetRules(caller, branch);
  if (rules.kind !== 'done') return rules;
  const [repository, found] = [
    await caller.call({ route: 'GET /repos/{owner}/{repo}', operation }),
    await caller.call({
      route: 'GET /repos/{owner}/{repo}/branches/{branch}',
      operation,
      parameters: { branch },
      expected: [404],
    }),
  ];
  if (repository.kind === 'unheard') throw repository.error;
  if (found.kind === 'unheard') throw found.error;
  if (repository.kind !== 'reply') return repository;
  if (found.kind !== 'reply') return found;
  const direct = await readDirectPush(caller, rules.value);
  if (direct.kind !== 'done') return direct;
  const isProtected = at(found.data, ['protection', 'enabled']) === true;
  return {
    kind: 'done',
    value: combined({ rules: rules.value, repository: repository.data, isProtected, direct: direct.value }),
  };
}

type Seen = {
  readonly rules: readonly unknown[];
  readonly repository: unknown;
  /** Whether the older protection of branches is in force, of which the rest needs administration to be read. */
  readonly isProtected: boolean;
  readonly direct: Known<boolean>;
};

function combined({ rules, repository, isProtected, direct }: Seen): BranchRules {
  const hidden = unknown('branch protection is in force, and only administrators may read it: use a ruleset instead');
  // Protection can only add to what rulesets ask for, so what they ask for is known in any case.
  const asked = (isAsked: boolean): Known<boolean> => (isAsked || !isProtected ? known(isAsked) : hidden);
  const has = (type: string): boolean => ofType(rules, type).length > 0;
  const parameter = (type: string, name: string): boolean =>
    ofType(rules, type).some((rule) => at(rule, ['parameters', name]) === true);
  return {
    checks: isProtected ? hidden : known(checksOf(rules)),
    isStrict: asked(isStrict(rules)),
    hasMergeQueue: asked(has('merge_queue')),
    approvals: isProtected ? hidden : approvalsOf(rules),
    needsLastPushApproval: asked(parameter('pull_request', 'require_last_push_approval')),
    needsOwnersReview: asked(parameter('pull_request', 'require_code_owner_review')),
    needsSignatures: asked(has('required_signatures')),
    needsLinearHistory: asked(has('required_linear_history')),
    takesDirectPush: isProtected && !(direct.kind === 'known' && !direct.value) ? hidden : direct,
    isOpenToOthers: isProtected ? hidden : known(!(has('creation') && has('update') && has('deletion'))),
    mergeMethods: mergeMethods(repository, rules),
  };
}

/** The most that a rule asks for. */
function approvalsOf(rules: readonly unknown[]): Known<number> {
  const counts = ofType(rules, 'pull_request').map(
    (rule) => at(rule, ['parameters', 'required_approving_review_count']) ?? 0,
  );
  const numbers = counts.flatMap((count) => (isCount(count) ? [count] : []));
  if (numbers.length < counts.length) return unknown('the forge gives no number of approvals that a rule asks for');
  return known(Math.max(0, ...numbers));
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

const settings = [
  ['merge', 'allow_merge_commit'],
  ['squash', 'allow_squash_merge'],
  ['rebase', 'allow_rebase_merge'],
] as const;

function mergeMethods(repository: unknown, rules: readonly unknown[]): BranchRules['mergeMethods'] {
  if (settings.some(([, setting]) => typeof at(repository, [setting]) !== 'boolean'))
    return unknown('the forge shows the merge methods only to a credential with contents: write');
  const allowed = ofType(rules, 'pull_request').map((rule) => listAt(rule, 'parameters', 'allowed_merge_methods'));
  return known(
    settings.flatMap(([method, setting]) =>
      at(repository, [setting]) === true && allowed.every((list) => list.length === 0 || list.includes(method))
        ? [method]
        : [],
    ),
  );
}

/** Rules that a plain push of ours breaks, unless we bypass the ruleset that they are in. */
const inTheWay = /^(pull_request|update|merge_queue|required_status_checks|required_signatures|required_deployments)$/;

async function readDirectPush(caller: ForgeCaller, rules: readonly unknown[]): Promise<Answer<Known<boolean>>> {
  const rulesets = new Set(
    rules
      .filter((rule) => inTheWay.test(textAt(rule, 'type') ?? ''))
      .map((rule) => idAt(rule, 'ruleset_id'))
      .filter((id) => id !== undefined),
  );
  for (const id of rulesets) {
    const reply = await caller.call({
      route: 'GET /repos/{owner}/{repo}/rulesets/{ruleset_id}',
      operation,
      parameters: { ruleset_id: id },
      expected: [404],
    });
    if (reply.kind === 'unheard') throw reply.error;
    if (reply.kind !== 'reply') return reply;
    const bypass = textAt(reply.data, 'current_user_can_bypass');
    if (bypass === undefined)
      return { kind: 'done', value: unknown(`ruleset ${id} does not say whether this credential bypasses it`) };
    if (bypass !== 'always' && bypass !== 'exempt') return { kind: 'done', value: known(false) };
  }
  return { kind: 'done', value: known(true) };
}
