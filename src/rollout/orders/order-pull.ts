/** The pull request of an order: its branch, its title, and what someone reads who is asked to merge it. */

import { OWN } from '../../api/own-branches.ts';
import { block, code, plain } from '../proposals/encode.ts';

const NAME_MOST = 120;
const TITLE_MOST = 200;
const TEXT_MOST = 4000;

export type OrderPull = { readonly branch: string; readonly title: string; readonly body: string };

type Of = {
  /** Subjects of its commits, oldest first. */
  readonly subjects: readonly string[];
  /** What is to be ordered afterwards, or what goes on meanwhile; not there: nothing. */
  readonly next?: string | undefined;
  /** Whom it names; empty: nobody. A claim. */
  readonly by: string;
  readonly files: readonly string[];
  /** Of the texts that it writes, so that the same order finds its branch again. */
  readonly digest: string;
};

/** A function of what is ordered: the same order on the same files has the same branch. */
export function orderPull({ subjects, next, by, files, digest }: Of): OrderPull {
  const first = subjects[0] ?? '';
  const slug = first
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, NAME_MOST);
  return {
    branch: `${OWN.orders}${slug}-${digest.slice(0, 12)}`,
    title: plain(first, TITLE_MOST),
    body: [
      'This pull request is an order for tranche. Nothing happens before it is merged: the rollout goes on as it is.',
      'After the merge, the next pass of tranche carries the order out.',
      block(subjects.join('\n'), '', TEXT_MOST).trimEnd(),
      `It changes ${files.map((file) => code(file)).join(', ')} and nothing else.`,
      next === undefined ? '' : block(next, '', TEXT_MOST).trimEnd(),
      by === '' ? '' : `It was ordered by ${code(by)}, as far as the environment says: this proves nothing.`,
      'To take the order back, close this pull request.',
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
  };
}
