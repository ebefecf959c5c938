/** Reads what pull requests wait for, all in one request: GraphQL alone tells which checks are required. */

import { at, isRecord } from '../../../api/json.ts';
import { type Known, known, unknown } from '../../../api/known.ts';
import type { Answer, CommitState, Deferred, MergeWait, Waiting } from '../../../ports/forge.ts';
import type { RulesetChecks } from '../../../ports/forge-rules.ts';
import { cleanText } from '../../git/git-error.ts';
import { isOid } from '../../git/names.ts';
import { type ForgeCaller, forgeError, GRAPHQL } from './call.ts';
import { garbled } from './pages.ts';
import { listAt, textAt } from './read-pull.ts';
import { readRulesetRules, rulesetChecks } from './rules.ts';

const operation = 'read what pull requests wait for';
const NAMES_MOST = 20;
const NAME_MOST = 100;

/** What each of these waits for; one that is not open is left out. Throws PortError. */
export async function readWaiting(
  caller: ForgeCaller,
  numbers: readonly number[],
): Promise<Answer<readonly Waiting[]>> {
  const found: Waiting[] = [];
  const { pullsPerQuery } = caller.limits;
  for (let from = 0; from < numbers.length; from += pullsPerQuery) {
    const some = await readSome(caller, numbers.slice(from, from + pullsPerQuery));
    if (some.kind !== 'done') return some;
    found.push(...some.value);
  }
  return { kind: 'done', value: found };
}

async function readSome(caller: ForgeCaller, numbers: readonly number[]): Promise<Answer<readonly Waiting[]>> {
  const { owner, name } = caller.address;
  const reply = await caller.call({
    route: GRAPHQL,
    operation,
    parameters: { query: queryOf(numbers), variables: { owner, name } },
  });
  if (reply.kind === 'unheard') throw reply.error;
  if (reply.kind !== 'reply') return reply;
  const pulls = at(reply.data, ['data', 'repository']);
  if (!isRecord(pulls)) throw notAnswered(caller, reply.data);
  const byBase = new Map<string, Known<RulesetChecks>>();
  const found: Waiting[] = [];
  for (const number of numbers) {
    const pull = pulls[`p${number}`];
    const head = textAt(pull, 'headRefOid');
    if (textAt(pull, 'state') !== 'OPEN') continue;
    if (head === undefined || !isOid(head)) return garbled(caller, operation);
    const base = textAt(pull, 'baseRefName') ?? '';
    const rules = byBase.get(base) ?? (await checksOn(caller, base));
    if (rules.kind === 'deferred') return rules;
    byBase.set(base, rules);
    const required = rules.kind === 'known' ? rules.value.required : [];
    found.push({ number, head, on: waitsOf(pull, required), rules, statuses: statusesOf(pull) });
  }
  return { kind: 'done', value: found };
}

async function checksOn(caller: ForgeCaller, base: string): Promise<Known<RulesetChecks> | Deferred> {
  const rules = await readRulesetRules(caller, base);
  if (rules.kind === 'deferred') return rules;
  return rules.kind === 'done' ? known(rulesetChecks(rules.value)) : unknown(rules.said);
}

/** One field a pull request, under an alias; the numbers are ours, and numbers. */
function queryOf(numbers: readonly number[]): string {
  const pulls = numbers.map(
    (number) => `p${number}: pullRequest(number: ${number}) {
      state isDraft headRefOid baseRefName mergeable mergeStateStatus reviewDecision isInMergeQueue
      commits(last: 1) { nodes { commit { statusCheckRollup { contexts(first: 100) { nodes {
        __typename
        ... on CheckRun { name status conclusion isRequired(pullRequestNumber: ${number}) }
        ... on StatusContext { context state description isRequired(pullRequestNumber: ${number}) }
      } } } } } }
    }`,
  );
  return `query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { ${pulls.join('\n')} } }`;
}

/** GraphQL says no with HTTP 200. */
function notAnswered(caller: ForgeCaller, data: unknown) {
  const said = listAt(data, 'errors').flatMap((error) => textAt(error, 'message') ?? []);
  return forgeError(cleanText(caller.credentials.mask(said.join('; '))) || 'no data came back', {
    operation,
    retryable: false,
    hint: `Check that ${caller.credentials.name} may read pull requests, checks and commit statuses of ${caller.address.owner}/${caller.address.name}.`,
  });
}

type Check = { readonly name: string; readonly state: CommitState; readonly isRequired: boolean };

/** What is seen to be missing; `NotKnown` where the forge says that it cannot be merged and nothing tells why. */
function waitsOf(pull: unknown, required: readonly string[]): readonly MergeWait[] {
  const state = textAt(pull, 'mergeStateStatus');
  const checks = checksOf(pull);
  const named = (wanted: CommitState, reason: MergeWait['reason']): readonly MergeWait[] => {
    const names = checks.filter((check) => check.isRequired && check.state === wanted).map(({ name }) => name);
    return names.length === 0 ? [] : [{ reason, names: someOf(names) }];
  };
  const silent = required.filter((context) => !checks.some(({ name }) => name === context));
  const when = (applies: boolean, reason: MergeWait['reason']): readonly MergeWait[] =>
    applies ? [{ reason, names: [] }] : [];
  const decision = textAt(pull, 'reviewDecision');
  const waits = [
    ...when(at(pull, ['isDraft']) === true, 'Draft'),
    ...when(at(pull, ['isInMergeQueue']) === true, 'InMergeQueue'),
    ...when(textAt(pull, 'mergeable') === 'CONFLICTING' || state === 'DIRTY', 'Conflict'),
    ...when(state === 'BEHIND', 'Behind'),
    ...when(decision === 'REVIEW_REQUIRED', 'ReviewsMissing'),
    ...when(decision === 'CHANGES_REQUESTED', 'ChangesRequested'),
    ...named('failure', 'CheckFailing'),
    ...named('pending', 'CheckPending'),
    ...(silent.length === 0 ? [] : [{ reason: 'CheckNeverReported' as const, names: someOf(silent) }]),
  ];
  const mergeable = state === 'CLEAN' || state === 'UNSTABLE' || state === 'HAS_HOOKS';
  return waits.length > 0 || mergeable ? waits : [{ reason: 'NotKnown', names: [] }];
}

/** As many as somebody reads, each on one line. */
function someOf(names: readonly string[]): readonly string[] {
  const some = names.slice(0, NAMES_MOST).map(nameOf);
  return names.length <= NAMES_MOST ? some : [...some, `and ${names.length - NAMES_MOST} more`];
}

function nameOf(name: string): string {
  return cleanText(name).slice(0, NAME_MOST);
}

function contextNodes(pull: unknown): readonly unknown[] {
  return listAt(pull, 'commits', 'nodes', '0', 'commit', 'statusCheckRollup', 'contexts', 'nodes');
}

function checksOf(pull: unknown): readonly Check[] {
  return contextNodes(pull).map((node) => {
    const isRequired = at(node, ['isRequired']) === true;
    if (textAt(node, '__typename') !== 'CheckRun') {
      const state = textAt(node, 'state') ?? '';
      return { name: textAt(node, 'context') ?? '', state: failing(statusStates[state] ?? 'pending'), isRequired };
    }
    const isDone = textAt(node, 'status') === 'COMPLETED';
    const passed = /^(SUCCESS|NEUTRAL|SKIPPED)$/.test(textAt(node, 'conclusion') ?? '');
    return {
      name: textAt(node, 'name') ?? '',
      state: isDone ? (passed ? 'success' : 'failure') : 'pending',
      isRequired,
    };
  });
}

const statusStates: Readonly<Record<string, CommitState | undefined>> = {
  SUCCESS: 'success',
  FAILURE: 'failure',
  ERROR: 'error',
  PENDING: 'pending',
  EXPECTED: 'pending',
};

/** For merging an error is a failure. */
function failing(state: CommitState): CommitState {
  return state === 'error' ? 'failure' : state;
}

function statusesOf(pull: unknown): Waiting['statuses'] {
  return contextNodes(pull).flatMap((node) => {
    const context = textAt(node, 'context');
    const state = statusStates[textAt(node, 'state') ?? ''];
    if (textAt(node, '__typename') !== 'StatusContext' || context === undefined || state === undefined) return [];
    // What no line shows as it is, nobody has asked for.
    if (nameOf(context) !== context) return [];
    const isRequired = at(node, ['isRequired']) === true;
    return [{ context, state, description: cleanText(textAt(node, 'description') ?? ''), isRequired }];
  });
}
