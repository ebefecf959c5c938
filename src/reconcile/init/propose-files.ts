/** The pull request that adds what a repository needs to be delivered from: new files alone, in one commit. */

import { createHash } from 'node:crypto';
import type { Config } from '../../api/config.ts';
import { OWN } from '../../api/own-branches.ts';
import type { Instant } from '../../api/time.ts';
import type { Forge } from '../../ports/forge.ts';
import type { Git, Identity, Oid } from '../../ports/git.ts';
import { code, plain } from '../../rollout/proposals/encode.ts';
import { type BranchProposed, type NotProposed, proposeBranch } from '../write/propose-branch.ts';
import type { Addition } from './addition.ts';

const TITLE_MOST = 120;
const WHY_MOST = 300;

type Of = {
  readonly files: readonly Addition[];
  /** `namespace/name` of what is going to be delivered. */
  readonly names: readonly string[];
  /** The commit of the branch that was looked at. */
  readonly main: Oid;
  readonly config: Pick<Config, 'branch' | 'author'>;
  readonly now: Instant;
  /** Whom the environment names; not there: nobody. */
  readonly author: Identity | undefined;
};

/**
 * Pushes a branch with the files, which the same files find again, and opens its pull request. Every file is one that the
 * commit `main` has not. Throws PortError where Git fails; where the forge fails the answer says so.
 */
export function proposeFiles(
  ports: { readonly git: Git; readonly forge: Forge | undefined },
  { files, names, main, config, now, author }: Of,
): Promise<BranchProposed | NotProposed | { readonly kind: 'moved' }> {
  const writes = files.map(({ path, text }) => ({ path, text }));
  const digest = createHash('sha256').update(JSON.stringify(writes)).digest('hex');
  const [first = ''] = names;
  const title = plain(`Deliver ${names.length === 1 ? first : `${names.length} workloads`} with tranche`, TITLE_MOST);
  const signature = { ...config.author, atSeconds: now };
  return proposeBranch(ports, {
    main,
    base: config.branch,
    branch: `${OWN.init}${digest.slice(0, 12)}`,
    steps: [{ writes, message: `${title}\n`, signature, author }],
    title,
    body: bodyOf(files),
  });
}

function bodyOf(files: readonly Addition[]): string {
  const examples = files.filter((file) => file.examples.length > 0);
  return [
    'This pull request adds files for tranche, and changes no other file. Groups keep their version: the first pass after the merge locks each workload on the template that it has.',
    files.map(({ path, why }) => `- ${code(path)}: ${plain(why, WHY_MOST)}`).join('\n'),
    examples.length === 0
      ? ''
      : `**Before the merge**, replace the examples in these lines: ${examples.map(({ path, examples: lines }) => `${code(path)} ${lines.join(', ')}`).join('; ')}.`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
