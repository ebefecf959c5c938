/** What the rules of the forge make of a delivery, before one starts: each finding with the setting to change. */

import { CONFIG_FILE } from '../api/config.ts';
import { isKnown, type Known } from '../api/known.ts';
import type { BranchRules } from '../ports/forge-rules.ts';
import { directMoves, releaseMoves } from '../rollout/edits/release-moves.ts';
import { credential } from './preflight-credential.ts';
import { type Finding, PREFLIGHT, type PreflightRules } from './preflight-findings.ts';
import { statusGuard } from './preflight-status.ts';
import { CHECK } from './write/execute-proposal.ts';

const BYPASS = 'Add the App or the account of tranche to the bypass list of each ruleset of the branch, always';

/** Everything that is to be said, the worst first; nothing: the rules fit. */
export function preflight(rules: PreflightRules): readonly Finding[] {
  const levels = ['error', 'warning', 'notice'];
  const found = [
    ...pushes(rules),
    ...statusGuard(rules),
    ...methods(rules),
    ...queue(rules),
    ...otherApp(rules),
    ...guards(rules),
    ...policyGuards(rules),
    ...credential(rules),
    ...unreadable(rules),
  ];
  const rank = ({ name, level }: Finding): number => levels.indexOf(level ?? PREFLIGHT[name].level);
  return found.sort((a, b) => rank(a) - rank(b));
}

function pushes(all: PreflightRules): readonly Finding[] {
  const { statusBranch, prefix, main, status, proposals } = all;
  const refused = (name: Finding['name'], rules: BranchRules, seen: string): readonly Finding[] =>
    isKnown(rules.takesDirectPush, false)
      ? [{ name, seen: `the rules of ${seen} take no direct push`, action: BYPASS }]
      : [];
  return [
    ...(isKnown(main.takesDirectPush, false) ? [withoutPush(all)] : []),
    ...refused('StatusTakesNoPush', status, statusBranch),
    ...refused('ProposalsTakeNoPush', proposals, `branches below ${prefix}`),
  ];
}

/** What a policy may accept is a step that is merged as it is, and that only where the rules guard it: see `form.ts`. */
function withoutPush({ branch, main, gate, accepting }: PreflightRules): Finding {
  const refused = `the rules of ${branch} take no direct push`;
  if (accepting.length === 0) return { name: 'MainTakesNoPush', seen: refused, action: BYPASS };
  const accepted = `${refused}, which ${accepting.join(' and ')} accepts`;
  const unmet = [
    ...((gatesOf(main, gate) ?? []).some(({ app }) => app !== undefined)
      ? []
      : [`require ${gate} from the App of tranche`]),
    ...(isKnown(main.isStrict, true) ? [] : ['require branches to be up to date']),
    ...(isKnown(main.hasMergeQueue, false) ? [] : ['take out the merge queue']),
  ];
  if (unmet.length > 0)
    return {
      name: 'MainTakesNoPush',
      seen: `${accepted}, and no pull request can be the step itself as the rules are`,
      action: `${BYPASS}; or ${unmet.join(', and ')}`,
    };
  return {
    name: 'WithoutPush',
    seen: `${accepted}: steps that update groups of one workload are pull requests. To lock, to settle and to roll back, someone opens the pull request. A takeover, a second workload and a change of size do not start (NoDirectPush)`,
    action: `Keep at hand who may merge at any hour, or: ${BYPASS}`,
  };
}

/** Our status is set at the heads of pull requests, by a pass that reads main: a queue asks it of what it would merge. */
function queue({ branch, main, gate }: PreflightRules): readonly Finding[] {
  if (!isKnown(main.hasMergeQueue, true) || (gatesOf(main, gate) ?? []).length === 0) return [];
  return [
    {
      name: 'NothingMerges',
      seen: `${branch} has a merge queue and requires ${gate}. The queue tests a commit on which tranche cannot set that check`,
      action: `Take ${gate} out of the required checks, or replace the queue by branches that must be up to date`,
    },
  ];
}

/** A status counts for a rule that names an App where that App has set it, and from nobody else. */
function otherApp({ branch, main, gate, self: { login, app } }: PreflightRules): readonly Finding[] {
  const apps = (gatesOf(main, gate) ?? []).flatMap((one) => one.app ?? []);
  const own = app.kind === 'known' ? app.value : undefined;
  if (apps.length === 0 || app.kind === 'unknown' || apps.every((one) => one === own)) return [];
  return [
    {
      name: 'NothingMerges',
      seen: `${branch} takes ${gate} from the App ${apps.join(', ')} alone, and ${login} is ${own === undefined ? 'no App' : `the App ${own}`}`,
      action: `Choose the App of tranche as the source of ${gate} in the ruleset, and give tranche its key`,
    },
  ];
}

/** GitHub signs what it merges or squashes itself, and rebases without a signature. */
function methods({ branch, main }: PreflightRules): readonly Finding[] {
  const { needsSignatures, needsLinearHistory, mergeMethods } = main;
  if (mergeMethods.kind !== 'known') return [];
  const left = mergeMethods.value.filter(
    (method) =>
      !(method === 'rebase' && isKnown(needsSignatures, true)) &&
      !(method === 'merge' && isKnown(needsLinearHistory, true)),
  );
  if (left.length > 0) return [];
  const rules = [
    isKnown(needsSignatures, true) ? 'required signatures' : '',
    isKnown(needsLinearHistory, true) ? 'a linear history' : '',
  ].filter((rule) => rule !== '');
  return [
    {
      name: 'NothingMerges',
      seen: `${branch} allows ${mergeMethods.value.join(', ') || 'no way to merge'}, with ${rules.join(' and ') || 'no other rule'}`,
      action: 'Allow squash merging, which both rules take',
    },
  ];
}

function guards({ branch, prefix, main, proposals, gate }: PreflightRules): readonly Finding[] {
  const found: Finding[] = [];
  if (isKnown(proposals.isOpenToOthers, true))
    found.push({
      name: 'ProposalsOpenToOthers',
      seen: `no ruleset restricts who creates, moves and deletes branches below ${prefix}`,
      action: 'Import policies/github/ruleset-proposals.json',
    });
  if (isKnown(main.needsLastPushApproval, false))
    found.push({
      name: 'LastPushNeedsNoApproval',
      seen: `${branch} does not ask for an approval of the most recent push`,
      action: 'Tick "Require approval of the most recent reviewable push" in its ruleset',
    });
  const gates = gatesOf(main, gate);
  if (gates?.some(({ app }) => app === undefined))
    found.push({
      name: 'GateOpenToOthers',
      seen: `${branch} takes ${gate} from the one who may set a status`,
      action: `Choose the App of tranche as the source of ${gate} in the ruleset`,
    });
  if ((gatesOf(main, CHECK) ?? []).length > 0)
    found.push({
      name: 'NumbersRequired',
      seen: `${branch} requires ${CHECK}, which is neutral whatever the gates say`,
      action: `Require ${gate} in its place`,
    });
  if (gates?.length === 0)
    found.push({
      name: 'GateNotRequired',
      seen: `${branch} does not require the status ${gate}`,
      action: `Nothing is to be done: an approval never opens another gate. Required with branches up to date, pull requests are the steps themselves`,
    });
  if (isKnown(main.isStrict, true) || isKnown(main.hasMergeQueue, true))
    found.push({
      name: 'MovesUnderProposals',
      seen: `${branch} wants branches up to date or has a merge queue, and ${costText()}`,
      action: 'Where many people merge there, give the Rollouts a repository of their own',
    });
  return found;
}

/** How many commits a release of this many steps makes past open pull requests. */
function costText(steps = 3): string {
  const moves = releaseMoves('alone', steps);
  const direct = directMoves(moves);
  return `a release of ${steps} steps makes ${direct.length} commits to it past them (${direct.join(', ')}), ${moves.length} where the steps are not merged themselves, and ${releaseMoves('besides', steps).length} with a second workload and traffic`;
}

/** Grants and exceptions are as good as the review of those who own them. What cannot be read is said as such. */
function policyGuards({ branch, main, owned }: PreflightRules): readonly Finding[] {
  if (owned === undefined) return [];
  const name = 'PoliciesUnguarded';
  const { policyPaths, file, unowned } = owned;
  const found: Finding[] = [];
  if (policyPaths === undefined)
    found.push({
      name,
      seen: `there are policies, and ${CONFIG_FILE} names no policyPaths: anyone who may write to any of its paths may grant`,
      action: 'Put them into a folder of their own, and name that as policyPaths',
    });
  if (file === undefined)
    found.push({
      name,
      seen: `${branch} has no CODEOWNERS`,
      action: 'Add .github/CODEOWNERS with owners of policyPaths',
    });
  else if (unowned.length > 0)
    found.push({
      name,
      seen: `${file} names no owner of ${unowned.join(', ')}`,
      action: 'Add a line with owners for each, the last that matches counts',
    });
  if (isKnown(main.needsOwnersReview, false))
    found.push({
      name,
      seen: `${branch} does not ask for a review of code owners`,
      action: 'Tick "Require review from Code Owners" in its ruleset',
    });
  return found;
}

function unreadable({
  branch,
  statusBranch,
  prefix,
  main,
  status,
  proposals,
  gate,
  self,
}: PreflightRules): readonly Finding[] {
  const named = [
    [branch, main],
    [statusBranch, status],
    [`branches below ${prefix}`, proposals],
  ] as const;
  // Only where a rule names an App does it matter which one we are.
  const isAppAsked = (gatesOf(main, gate) ?? []).some(({ app }) => app !== undefined);
  return named.flatMap(([name, rules]): readonly Finding[] => {
    const read: readonly Known<unknown>[] = [
      ...Object.values(rules),
      ...(isAppAsked && rules === main ? [self.app] : []),
    ];
    const hidden = read.flatMap((rule) => (rule.kind === 'unknown' ? [rule.why] : []));
    if (hidden.length === 0) return [];
    const why = [...new Set(hidden)].join('; ');
    return [
      {
        name: 'RulesUnreadable',
        seen: `of ${name}: ${why}`,
        action: 'Look at them with the rights of an administrator',
      },
    ];
  });
}

/** The rules that want it; undefined: it is not shown which there are. */
function gatesOf({ checks }: BranchRules, gate: string) {
  return checks.kind === 'known' ? checks.value.filter(({ context }) => context === gate) : undefined;
}
