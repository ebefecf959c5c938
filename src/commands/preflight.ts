/** `tranche preflight`: what the rules of the forge make of a delivery, before one starts. */

import type { Issue } from '../api/issue.ts';
import { jsonText, oneLine } from '../api/printable.ts';
import { isInForce, keysOf } from '../api/status-keys.ts';
import { type CommonOptions, EXIT, type Io } from '../options.ts';
import type { Answer } from '../ports/forge.ts';
import { PortError } from '../ports/port-error.ts';
import type { Ports } from '../reconcile/pass.ts';
import { keysAt } from '../reconcile/status/keys-at.ts';
import { GATE } from '../reconcile/write/execute-proposal.ts';
import { branchesIn } from '../rollout/proposals/branch.ts';
import { withFaults } from './config-faults.ts';
import { inTurn, patchLines } from './patches.ts';

/** Exit code 1 where deliveries would stop at a rule. Throws PortError where the forge fails or refuses. */
export async function preflightVerb(options: CommonOptions, ports: Ports, io: Io): Promise<number> {
  ports.git.begin();
  const { agents, faults } = await agentsFound(options, ports);
  const ended = withFaults(faults, io);
  const told = await rulesFound(options, ports);
  if (options.output === 'json') io.out(jsonText({ findings: told, agents }));
  else if (told.length === 0) io.out('the rules of the forge fit\n');
  for (const finding of options.output === 'json' ? [] : told) io.out(ruleLine(finding));
  for (const issue of options.output === 'json' ? [] : agents) io.out(agentLine(issue));
  if (options.output !== 'json')
    io.out(
      inTurn(agents, 'preflight')
        .map((line) => `${line}\n`)
        .join(''),
    );
  return ended(told.some(({ level }) => level === 'error') ? EXIT.failed : EXIT.ok);
}

/** Settings of agents in Git that stand in the way, each with its place; `faults`: of `tranche.yaml`. Throws PortError where Git fails. */
async function agentsFound(
  options: CommonOptions,
  { git }: Ports,
): Promise<{ readonly agents: readonly Issue[]; readonly faults: readonly Issue[] | undefined }> {
  const { desiredHead } = await import('../reconcile/observe/read-settings.ts');
  const { agentIssues } = await import('../reconcile/preflight-agents.ts');
  const { main: commit, config } = await desiredHead(git, options.overrides);
  return { agents: await agentIssues(git, { commit, config }), faults: config.faults };
}

function agentLine(issue: Issue): string {
  const { file, line, reason, message, hint } = issue;
  const said = oneLine(`warning  ${reason}: ${file}:${line}: ${message}. ${hint}`);
  return [said, ...patchLines(issue), ''].join('\n');
}

const NOT_ASKED = {
  seen: 'the repository is on no forge that tranche knows, or there is no credential for it',
  action:
    'On a GitHub give --repo as https://host/owner/name, and TRANCHE_FORGE_TOKEN or TRANCHE_APP_ID and TRANCHE_APP_KEY. Elsewhere see that tranche may push to each of its branches, and nobody else to the status branch',
} as const;

type RuleFound = {
  readonly level: string;
  readonly name: string;
  readonly seen: string;
  readonly action: string;
};

/** One finding as one line. */
export function ruleLine({ level, name, seen, action }: RuleFound): string {
  return `${oneLine(`${level.padEnd(7)}  ${name}: ${seen}. ${action}`)}\n`;
}

/** What stands in the way at the forge, worst first; without one, that alone. Throws PortError where it fails or refuses. */
export async function rulesFound(options: CommonOptions, ports: Ports): Promise<readonly RuleFound[]> {
  const { forge, git } = ports;
  git.begin();
  const { PREFLIGHT } = await import('../reconcile/preflight-findings.ts');
  if (forge === undefined) return [{ name: 'ForgeNotAsked', level: PREFLIGHT.ForgeNotAsked.level, ...NOT_ASKED }];
  const { desiredHead } = await import('../reconcile/observe/read-settings.ts');
  const { acceptingPolicies, policyOwners } = await import('../reconcile/policy-owners.ts');
  const { preflight } = await import('../reconcile/preflight.ts');
  forge.begin();
  // Of the branch that is delivered, as it says itself: what a pass goes by. The default branch may only name it.
  const { main: commit, config } = await desiredHead(git, options.overrides);
  const { branch, statusBranch, cluster } = config;
  const prefix = branchesIn(cluster);
  const found = preflight({
    branch,
    statusBranch,
    prefix,
    gate: GATE,
    accepting: await acceptingPolicies(git, { commit, config }),
    owned: await policyOwners(git, { commit, config }),
    self: answered(await forge.self()),
    app: config.app,
    main: answered(await forge.rules(branch)),
    status: answered(await forge.rules(statusBranch)),
    isSigned: keysOf(config.statusKeys, cluster).some((key) => isInForce(key, keysAt(ports.clock))),
    proposals: answered(await forge.rules(`${prefix}preflight`)),
  });
  return found.map((finding) => ({ level: PREFLIGHT[finding.name].level, ...finding }));
}

function answered<T>(answer: Answer<T>): T {
  if (answer.kind === 'done') return answer.value;
  const [said, hint] =
    answer.kind === 'refused' ? [`${answer.refusal}: ${answer.said}`, answer.advice] : [answer.why, 'Try again later.'];
  throw new PortError(said, { port: 'forge', operation: 'preflight', retryable: answer.kind === 'deferred', hint });
}
