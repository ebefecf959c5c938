/** Mode `verify` of the action: judges a pull request or a merge queue by what merging would make of the files. */

import { readFileSync, statSync } from 'node:fs';
import { issueLine } from '../api/issue-line.ts';
import { at, isRecord } from '../api/json.ts';
import { OWN } from '../api/own-branches.ts';
import { printable } from '../api/printable.ts';
import { type CommonOptions, type Io, UsageError } from '../options.ts';
import type { Ports } from '../reconcile/pass.ts';
import { type Verdict, verify } from '../reconcile/verify.ts';
import { filesOnly } from './lint.ts';
import { annotation, errorLine, fenced } from './runner-lines.ts';

export type Verified = {
  readonly failed: boolean;
  /** For the log: plain lines. */
  readonly text: string;
  readonly annotations: readonly string[];
  /** For the page of the step. */
  readonly page: string;
  /** In one line. */
  readonly summary: string;
};

/** Needs a token that reads and nothing else: no cluster, no secret. Throws PortError, ConfigError and UsageError. */
export async function verifyRun(options: CommonOptions, ports: Ports, io: Io): Promise<Verified> {
  const { ref, base, into, proposer } = askedBy(io);
  const verdict = await verify(filesOnly(ports), { overrides: options.overrides, ref, base, proposer });
  if (into !== '' && into !== verdict.branch) return elsewhere(into, verdict.branch);
  return told(verdict, ref);
}

type MergeToVerify = {
  readonly ref: string;
  readonly base: string | undefined;
  readonly into: string;
  readonly proposer: string | undefined;
};

/** What the event asks about. A merge queue tests several pull requests as one, and says what they are put on. */
function askedBy({ env }: Io): MergeToVerify {
  const { GITHUB_EVENT_NAME: event = '', GITHUB_REF: ref = '', GITHUB_BASE_REF: into = '' } = env;
  const said = payload(env['GITHUB_EVENT_PATH']);
  if (event === 'pull_request') return { ref, base: undefined, into, proposer: proposerOf(said) };
  if (event !== 'merge_group')
    throw new UsageError(`mode verify does not run on ${event || 'no event'}. Use pull_request and merge_group`);
  const group = at(said, ['merge_group']);
  const text = (key: string): string => {
    const value = isRecord(group) ? group[key] : undefined;
    return typeof value === 'string' ? value : '';
  };
  const base = text('base_sha');
  const branch = text('base_ref').replace('refs/heads/', '');
  // A queue merges no step of tranche, which asks there for an approval alone: what brings annotations is somebody else's.
  return { ref, base: /^[0-9a-f]{40}$/.test(base) ? base : undefined, into: branch, proposer: undefined };
}

/**
 * Who opened the pull request that the event is about, where its branch is one of tranche in this repository. Which App is
 * that of tranche says `tranche.yaml` on main; the ruleset of `policies/github/` lets it alone make such branches.
 */
function proposerOf(event: unknown): string | undefined {
  const pull = (...path: readonly string[]): unknown => at(event, ['pull_request', ...path]);
  const [branch, from] = [pull('head', 'ref'), pull('head', 'repo', 'full_name')];
  const isOwn =
    typeof branch === 'string' && branch.startsWith(OWN.proposals) && from === pull('base', 'repo', 'full_name');
  const login = pull('user', 'login');
  return isOwn && typeof from === 'string' && typeof login === 'string' ? login : undefined;
}

const payloadBytes = 10 * 1024 * 1024;

/** The event as the runner wrote it down; undefined where it cannot be read. */
function payload(path: string | undefined): unknown {
  try {
    if (path === undefined || statSync(path).size > payloadBytes) return undefined;
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function elsewhere(into: string, branch: string): Verified {
  const summary = printable(`the change goes into ${into}, and what is delivered is ${branch}: nothing to judge`);
  return { failed: false, text: `${summary}\n`, annotations: [], page: fenced(summary, ''), summary };
}

function told(verdict: Verdict, ref: string): Verified {
  const { broken, known, effects, failures, merged, base } = verdict;
  const failed = broken.length + failures.length > 0;
  const lines = [
    ...broken.map((issue) => `wrong  ${issueLine(issue)}`),
    ...failures.map((failure) => `failed ${failure}`),
    ...effects.map((effect) => `merge  ${issueLine(effect)}`),
    ...known.map((issue) => `before ${issueLine(issue)}`),
    `read: ${ref} at ${merged.slice(0, 12)}, against ${base.slice(0, 12)}`,
  ];
  const text = `${lines.join('\n')}\n`;
  const summary = `${broken.length} new problems, ${effects.length} effects on groups, ${known.length} problems from before`;
  return {
    failed,
    text,
    annotations: [
      ...broken.map((issue) => annotation('error', issue)),
      ...failures.map((failure) => errorLine('verify', failure)),
      ...effects.map((effect) => annotation(effect.level, effect)),
      ...known.map((issue) => annotation('warning', issue)),
    ],
    page: [`## tranche verify`, summary, fenced(printable(text), '')].join('\n\n'),
    summary,
  };
}
