/** What the demo says when it is over: the log that it wrote, what the check found, and where to look. */

import type { CommitHeader } from '../../ports/git.ts';
import type { Finding } from './check.ts';
import { NAME } from './files.ts';

/** `main` with the newest commit first, as `git log --oneline` has it. */
export function logLines(log: readonly CommitHeader[]): readonly string[] {
  const width = Math.max(...log.map(({ author }) => author.name.length));
  return [
    'The log of main, newest first:',
    ...log.map(({ oid, author, message }) =>
      `  ${oid.slice(0, 7)}  ${author.name.padEnd(width)}  ${message.split('\n')[0] ?? ''}`.trimEnd(),
    ),
  ];
}

/** One line a finding. */
export function findingLines(findings: readonly Finding[]): readonly string[] {
  return [
    'Checked by reading the repository and the API once more:',
    ...findings.map(({ good, what, seen }) => (good ? `  ✔ ${what}` : `  ✘ ${what}; there is: ${seen}`)),
  ];
}

/** Commands to explore what is left. */
export function whereLines(at: {
  readonly folder: string;
  readonly repository: string;
  readonly kubeconfig: string;
  readonly served: boolean;
  readonly kept: boolean;
}): readonly string[] {
  if (!at.kept) {
    return [
      'The folder is removed. To look around in it:',
      '  npm run demo -- --keep     leaves the repository: git log, git show, tranche status',
      '  npm run demo -- --serve    also goes on serving the API: kubectl, tranche plan, tranche reconcile',
      '  npm run demo -- --fail     a version that breaks on the second group, and the way back',
    ];
  }
  const repo = at.repository;
  const api = at.served
    ? [
        `  npx tranche reconcile --watch --repo ${repo} --kubeconfig ${at.kubeconfig}`,
        `  npx tranche plan --repo ${repo} --kubeconfig ${at.kubeconfig}`,
        `  kubectl --kubeconfig ${at.kubeconfig} get lws,pods -A`,
      ]
    : ['  The API is gone; with --serve it stays, for tranche plan, tranche reconcile and kubectl.'];
  return [
    `Where to look: ${at.folder}`,
    `  git -C ${repo} log main`,
    `  git -C ${repo} log -p main -- apps`,
    `  git -C ${repo} show tranche-status:README.md`,
    `  npx tranche status ${NAME} --repo ${repo}`,
    ...api,
  ];
}
