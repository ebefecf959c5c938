/** Merges texts as git does, with the real git: three trees in, one out. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBareRepository, gitEnvironment } from './git-server.ts';

/** Texts by path. */
export type Files = Readonly<Record<string, string>>;

/** A folder to merge in; remove it in the test that made it. */
export type MergeRoom = {
  /** What a merge of `theirs` into `ours` holds, both grown from `base`; undefined: git says that they conflict. */
  readonly merge: (of: { readonly base: Files; readonly ours: Files; readonly theirs: Files }) => Files | undefined;
  readonly remove: () => void;
};

export async function mergeRoom(): Promise<MergeRoom> {
  const path = mkdtempSync(join(tmpdir(), 'tranche-merge-'));
  await createBareRepository(path);
  const git = (args: readonly string[], input = ''): string =>
    execFileSync('git', ['-C', path, ...args], { env: gitEnvironment, input, encoding: 'utf8', stdio: 'pipe' });
  return {
    merge: ({ base, ours, theirs }) => {
      const stream = [
        ...commit({ name: 'base', mark: 1, from: undefined, files: base }),
        ...commit({ name: 'ours', mark: 2, from: 1, files: ours }),
        ...commit({ name: 'theirs', mark: 3, from: 1, files: theirs }),
        'done',
        '',
      ].join('\n');
      git(['fast-import', '--quiet', '--force', '--done'], stream);
      const tree = treeOf(() => git(['merge-tree', '--write-tree', 'ours', 'theirs']));
      return tree === undefined ? undefined : filesOf(git, tree);
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

type NewCommit = {
  readonly name: string;
  readonly mark: number;
  readonly from: number | undefined;
  readonly files: Files;
};

function commit({ name, mark, from, files }: NewCommit): readonly string[] {
  return [
    ...(from === undefined ? [`reset refs/heads/${name}`] : []),
    `commit refs/heads/${name}`,
    `mark :${mark}`,
    'committer Ada <ada@example.com> 1700000000 +0000',
    'data 1',
    'x',
    ...(from === undefined ? [] : [`from :${from}`]),
    'deleteall',
    ...Object.entries(files).flatMap(([file, text]) => [
      `M 100644 inline ${file}`,
      `data ${Buffer.byteLength(text)}`,
      text,
    ]),
  ];
}

/** Git ends with 1 where there are conflicts. */
function treeOf(merge: () => string): string | undefined {
  try {
    return merge().split('\n')[0];
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 1) return undefined;
    throw error;
  }
}

function filesOf(git: (args: readonly string[], input?: string) => string, tree: string): Files {
  const names = git(['ls-tree', '-r', '--name-only', tree]).split('\n').filter(Boolean);
  const asked = names.map((name) => `${tree}:${name}`).join('\n');
  let rest = Buffer.from(git(['cat-file', '--batch'], `${asked}\n`));
  const files: Record<string, string> = {};
  for (const name of names) {
    const end = rest.indexOf('\n');
    const size = Number(rest.subarray(0, end).toString().split(' ')[2]);
    files[name] = rest.subarray(end + 1, end + 1 + size).toString();
    rest = rest.subarray(end + 2 + size);
  }
  return files;
}
