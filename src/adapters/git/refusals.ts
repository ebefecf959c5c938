/** What a server's words about a push mean. One table; whatever is not in it means nothing until the refs are read. */

import { CLEAR_NAME } from './names.ts';

/** `together`: for no reason of its own, but because another branch of the same push was not taken. */
type Verdict = 'moved' | 'refused' | 'together' | 'unknown';

type Row = { readonly pattern: RegExp; readonly verdict: Exclude<Verdict, 'unknown'> };

/** A branch named `a` and a branch named `a/b` cannot both exist; trying again never helps. */
const NAME_IN_THE_WAY = /exists; cannot create|\(directory file conflict\)/i;

/** The way out of a refusal that its words tell; undefined: it is that of a rule. */
export function wayOf(text: string): string | undefined {
  return NAME_IN_THE_WAY.test(text) ? CLEAR_NAME : undefined;
}

/** The first row that matches counts. Texts recorded from git, GitHub, GitLab and Gitea are in the tests. */
const rows: readonly Row[] = [
  { pattern: NAME_IN_THE_WAY, verdict: 'refused' },
  {
    pattern: /hook declined|push declined|rule violation|protected branch|protected ref|\bGH\d{3}\b|\bGL-HOOK-ERR\b/i,
    verdict: 'refused',
  },
  { pattern: /you are not allowed to|not permitted|permission|access denied|forbidden/i, verdict: 'refused' },
  { pattern: /denying|deny(?:Current|NonFast|Delete)|refusing to|prohibited|deny updating/i, verdict: 'refused' },
  { pattern: /branch is currently checked out|update more than \d+ refs/i, verdict: 'refused' },
  { pattern: /hidden ref|funny refname|invalid ref|bad ref/i, verdict: 'refused' },
  { pattern: /non-fast-forward|fetch first|stale info|remote ref (?:updated|is at)/i, verdict: 'moved' },
  { pattern: /incorrect old value provided|reference already exists|already exists/i, verdict: 'moved' },
  {
    pattern: /cannot lock ref|failed to (?:update|lock) ref|unable to (?:lock|resolve)|but expected/i,
    verdict: 'moved',
  },
  { pattern: /atomic (?:transaction failed|push fail)|transaction failed to start/i, verdict: 'together' },
];

/** What `text` (the reason of an `ng` line, or with what hooks printed) says about a push. */
export function verdictOf(text: string): Verdict {
  return rows.find(({ pattern }) => pattern.test(text))?.verdict ?? 'unknown';
}

const label = /^(?:(?:error|fatal|remote|hint):\s*)+/i;

/**
 * A refusal as people read it: the reason and what the host printed, without the labels that each layer puts before it,
 * said once, and without a full stop, because a sentence of ours goes on behind it.
 */
export function quoted(reason: string, printed: string): string {
  const plain = printed
    .split(/\s+(?=(?:error|fatal|remote|hint):\s)/i)
    .map((part) => part.replace(label, '').trim())
    .filter((part, at, all) => part !== '' && all.indexOf(part) === at)
    .join(' ');
  const own = reason.replace(label, '').trim();
  const both = plain === '' || plain.includes(own) ? plain || own : `${own.replace(/[.:]+$/, '')}: ${plain}`;
  return both.replace(/[.\s]+$/, '');
}
