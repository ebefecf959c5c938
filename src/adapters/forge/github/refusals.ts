/** What an answer of GitHub's above 399 means: a name, and the setting to change. One table; the first row that fits counts. */

import type { ForgeRefusal, ForgeRefused } from '../../../ports/forge.ts';
import { cleanText } from '../../git/git-error.ts';

/** An answer that is no success, as it came. */
export type Problem = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** `message` of the body and of its `errors`, on one line. */
  readonly said: string;
};

/** Who asks for what: for messages. */
type Asker = {
  /** `owner/name` */
  readonly repository: string;
  /** `GitHub App 1234` or `the token in TRANCHE_FORGE_TOKEN`. */
  readonly credential: string;
  /** The host of the API. */
  readonly host: string;
};

type Row = {
  readonly status: readonly number[];
  /** Matched against what the forge said; without: any words. */
  readonly said?: RegExp;
  readonly header?: string;
  readonly refusal: ForgeRefusal;
  readonly advice: (asker: Asker, problem: Problem) => string;
};

/** Recorded texts are in the test; GitHub tells many of these apart by words alone. */
const rows: readonly Row[] = [
  {
    status: [401],
    refusal: 'CredentialInvalid',
    advice: ({ credential, host }) =>
      `Give a valid credential: ${credential} is not accepted by ${host}. A token may be expired or revoked (Settings, Developer settings); a key must be of this App`,
  },
  {
    status: [403],
    header: 'x-github-sso',
    refusal: 'SingleSignOn',
    advice: ({ credential }) =>
      `Authorise ${credential} for the organisation: Settings, Developer settings, the token, Configure SSO`,
  },
  {
    status: [403],
    said: /not permitted to create or approve pull requests/i,
    refusal: 'ActionsMayNotPropose',
    advice: ({ repository }) =>
      `Tick "Allow GitHub Actions to create and approve pull requests" in Settings, Actions, General, Workflow permissions of ${repository} (or of its organisation), or use a GitHub App`,
  },
  {
    status: [403],
    said: /archived/i,
    refusal: 'RepositoryArchived',
    advice: ({ repository }) => `Unarchive ${repository} in its Settings, or stop tranche for it`,
  },
  {
    status: [403, 409, 422],
    said: /rule violations?|ruleset|protected branch|\bGH0\d\d\b/i,
    refusal: 'RuleInTheWay',
    advice: ({ repository, credential }) =>
      `Look at Settings, Rules, Rulesets and Branches of ${repository}: add ${credential} to the bypass list of the rule, or change the rule`,
  },
  {
    status: [403],
    refusal: 'PermissionMissing',
    advice: ({ repository, credential }, { headers }) =>
      `Give ${credential} ${permissionsOf(headers['x-accepted-github-permissions'])} on ${repository}: for GITHUB_TOKEN under permissions in the workflow, for an App or a token among its repository permissions`,
  },
  {
    status: [404],
    refusal: 'NoAccess',
    advice: ({ repository, credential }) =>
      `Check the name ${repository}, and that ${credential} reaches it: an App must be installed there, a fine-grained token must list it, GITHUB_TOKEN reaches its own repository only`,
  },
  {
    status: [422],
    said: /no commits between/i,
    refusal: 'NothingToPropose',
    advice: () => 'Nothing is to be done: its base holds it already',
  },
  {
    status: [422],
    said: /"field": ?"(head|base)"|\b(head|base) (sha|ref)? ?(can't be blank|is invalid|invalid)|field (head|base)\b/i,
    refusal: 'BranchUnknown',
    advice: ({ repository }) => `Check that the branch and its base are in ${repository}`,
  },
];

const others: Row = {
  status: [],
  refusal: 'NotAccepted',
  advice: ({ host }) => `Look at the words of ${host}, and report this with them if the request is at fault`,
};

/** The refusal of a problem that is neither a limit nor a fault of the server. */
export function refusalOf(problem: Problem, asker: Asker): ForgeRefused {
  const row =
    rows.find(
      ({ status, said, header }) =>
        status.includes(problem.status) &&
        (said === undefined || said.test(problem.said)) &&
        (header === undefined || problem.headers[header] !== undefined),
    ) ?? others;
  return refused(row.refusal, problem.said, row.advice(asker, problem));
}

/** A refusal by what we have seen ourselves, or with words of the forge's: cleaned, capped, without a full stop. */
export function refused(refusal: ForgeRefusal, said: string, advice: string): ForgeRefused {
  return { kind: 'refused', refusal, said: cleanText(said).replace(/[.\s]+$/, ''), advice };
}

/** `pull_requests=write; contents=read` as people set it: "pull_requests: write and contents: read". */
function permissionsOf(header: unknown): string {
  const listed = typeof header === 'string' ? cleanText(header) : '';
  if (!/^[a-z_]+=[a-z]+([;,] ?[a-z_]+=[a-z]+)*$/.test(listed)) return 'the permission that is missing';
  return listed
    .split(/[;,] ?/)
    .map((pair) => pair.replace('=', ': '))
    .join(' and ');
}

/** Its limits are those of an hour: anyone who says more is asked again after one. */
const LIMITED_MOST = 3600;

/**
 * For how many seconds the forge wants to be left alone; undefined: it is no limit. GitHub answers 403 or 429: with
 * Retry-After, with a primary limit of which nothing remains, or with words about its secondary limits.
 */
export function limitedFor({ status, headers, said }: Problem, now: number, unsaidSeconds: number): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const within = (seconds: number): number => Math.min(LIMITED_MOST, Math.max(1, seconds));
  const after = numberOf(headers['retry-after']);
  if (after !== undefined) return within(after);
  const reset = numberOf(headers['x-ratelimit-reset']);
  if (numberOf(headers['x-ratelimit-remaining']) === 0 && reset !== undefined) return within(reset - now);
  return status === 429 || /secondary rate limit|abuse detection/i.test(said) ? unsaidSeconds : undefined;
}

function numberOf(header: unknown): number | undefined {
  return typeof header === 'string' && /^\d{1,12}$/.test(header) ? Number(header) : undefined;
}
