/** What the demo says when it is over: the log that it wrote, what the check found, and where to look. */

import type { CommitHeader } from '../ports/git.ts';
import type { Finding } from './check.ts';
import { DRILL_WORDS } from './drill.ts';
import { NAME, NAMESPACE } from './files.ts';

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

/** How a group is broken on request while the cluster is served, and where its pods say what is wrong. */
export function drillLines(apiUrl: string): readonly string[] {
  return [
    'A fire drill breaks the leader of a group; then look at status, and go back:',
    `  curl -X POST ${apiUrl}/drill/${NAMESPACE}/${NAME}/3/crash`,
    `  ${DRILL_WORDS}: it crashes and LWS restarts the group, it stops answering, is deleted, or is well again.`,
    '  kubectl describe pod and kubectl logs --previous show what its pods say.',
  ];
}

/** How people who called the demo as they did call its verbs, and the demo again. */
type Called = { readonly tranche: string; readonly demo: string };

/** From a checkout, `npm run demo` puts no command on the path; anyone who installed the package has one. */
export function calledAs(env: Readonly<Record<string, string | undefined>>): Called {
  return env['npm_lifecycle_event'] === 'demo'
    ? { tranche: 'node dist/tranche.js', demo: 'npm run demo --' }
    : { tranche: 'tranche', demo: 'tranche demo' };
}

/** Commands to explore what is left. */
export function whereLines(at: {
  readonly called: Called;
  readonly folder: string;
  readonly repository: string;
  readonly kubeconfig: string;
  readonly served: boolean;
  readonly kept: boolean;
}): readonly string[] {
  const { tranche, demo } = at.called;
  if (!at.kept) {
    return [
      'The folder is removed. To look around in it:',
      `  ${demo} --keep     leaves the repository: git log, git show, tranche status`,
      `  ${demo} --serve    also goes on serving the API: kubectl, tranche plan, tranche reconcile`,
      `  ${demo} --fail     a version that breaks, and the rollback`,
    ];
  }
  const repo = at.repository;
  const api = at.served
    ? [
        `  ${tranche} reconcile --watch --repo ${repo} --kubeconfig ${at.kubeconfig}`,
        `  ${tranche} plan --repo ${repo} --kubeconfig ${at.kubeconfig}`,
        `  kubectl --kubeconfig ${at.kubeconfig} get lws,pods -A`,
        'With a repository of your own, in another terminal; no agent applies that one, so apply its manifest after each commit:',
        `  export KUBECONFIG=${at.kubeconfig}`,
        '  kubectl apply -n NAMESPACE -f MANIFEST',
      ]
    : ['  The API is gone; with --serve it stays, for tranche plan, tranche reconcile and kubectl.'];
  return [
    `Where to look: ${at.folder}`,
    `  git -C ${repo} log main`,
    `  git -C ${repo} log -p main -- apps`,
    `  git -C ${repo} show tranche-status:README.md`,
    `  ${tranche} status ${NAME} --repo ${repo}`,
    ...api,
  ];
}
