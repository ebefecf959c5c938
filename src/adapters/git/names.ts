/** Which branch names and paths may be written at all, by Git's own rules and no more. */

import { parseCommit } from '../../api/marks.ts';

export const zeroOid = '0'.repeat(40);

/** True for 40 lower-case hex characters other than all zeros. */
export function isOid(text: string): boolean {
  return parseCommit(text) !== undefined && text !== zeroOid;
}

/** The full name that is sent for a branch; a full name, which is only ever read, stays as it is. */
export function refOf(branch: string): string {
  return branch.startsWith('refs/') ? branch : `refs/heads/${branch}`;
}

/** Why this names nothing that could be read, or undefined: a branch, or a full ref such as `refs/pull/1/merge`. */
export function readableRefFault(name: string): string | undefined {
  return branchNameFault(name.startsWith('refs/') ? name.slice('refs/'.length) : name);
}

/** A place without its password: all to the last `@`, but the `git@` of ssh. */
export function withoutCredentials(place: string): string {
  const [scheme = ''] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(place) ?? [];
  const rest = place.slice(scheme.length);
  const at = rest.lastIndexOf('@');
  return at < 0 || (scheme === '' && rest.slice(0, at) === 'git') ? place : `${scheme}${rest.slice(at + 1)}`;
}

const badPart = /^\.|\.lock$|^$/;
// oxlint-disable-next-line no-control-regex
const badInBranch = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\.$|^-/;

/** Why this is no branch name (rules of git-check-ref-format), or undefined. */
export function branchNameFault(branch: string): string | undefined {
  if (branch === '' || branch === '@' || branch === 'HEAD') return `"${branch}" is no branch name`;
  if (branch.startsWith('refs/')) return `"${branch}" is a full ref name, wanted the short one`;
  if (badInBranch.test(branch) || branch.split('/').some((part) => badPart.test(part))) {
    return `"${branch}" is no branch name that git accepts`;
  }
  return undefined;
}

/** What to do where another branch has a part of the name: `a` and `a/b` cannot both exist. */
export const CLEAR_NAME = 'Delete that branch, or configure another name';

// oxlint-disable-next-line no-control-regex
const badInPath = /[\u0000-\u001f\u007f\\]/;
// What NTFS and HFS+ also take for .git (CVE-2014-9390, CVE-2019-1352).
const dotGit = /^(?:\.git|git~1)[. ]*$/i;
const ignorable = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Why this path must not be written, or undefined. Reading is free: nothing is ever put on a disk. */
export function writePathFault(path: string): string | undefined {
  const parts = path.split('/');
  if (badInPath.test(path)) return 'has a control character or a backslash';
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'has an empty, "." or ".." part';
  if (parts.some((part) => dotGit.test(part.replace(ignorable, '').split(':')[0] ?? ''))) return 'has a ".git" part';
  return undefined;
}
