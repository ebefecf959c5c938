/** Lines of a log, as text or JSON: each starts with its time. */

import { jsonLine, oneLine, printable } from '../api/printable.ts';
import { type Instant, printInstant } from '../api/time.ts';
import { type CommonOptions, VERSION } from '../options.ts';
import type { Memory } from '../reconcile/pass.ts';
import type { Change } from '../reconcile/status/changes.ts';

/** What stands before the text of a change: a word of the log for each event. */
const WORDS: Readonly<Record<string, string>> = {
  hold: 'waits',
  holdOver: 'no longer waits:',
  wrongOver: 'no longer wrong:',
  failedOver: 'no longer failed:',
  brakeOver: 'goes on,',
};

/** `2026-11-26T22:10:00Z llm/vllm waits PauseDuration: …`, or one object with `time`, `level`, `event`, `rollout` and its fields. */
export function logLine(change: Change, at: Instant, form: 'text' | 'json'): string {
  const { level, event, rollout, text, fields } = change;
  const time = printInstant(at);
  if (form === 'json') {
    const message = 'message' in fields ? {} : { message: text };
    return jsonLine({ time, level, event, ...(rollout === undefined ? {} : { rollout }), ...message, ...fields });
  }
  const head = [time, rollout ?? '', WORDS[event] ?? event].filter((word) => word !== '').join(' ');
  return `${printable(oneLine(`${head} ${text}`))}\n`;
}

/** The first line of a process: which program looks at what. */
export function startLine(
  { repo, overrides, inCluster, context, kubeconfig }: CommonOptions,
  { only, process }: { readonly only: readonly string[]; readonly process: string | undefined },
): Change {
  const { cluster, branch, shard, paths } = overrides;
  const access = inCluster
    ? 'its service account'
    : `${kubeconfig ?? '~/.kube/config'}${context === '' ? '' : ` (${context})`}`;
  const fields = {
    version: VERSION,
    ...(process === undefined ? {} : { process }),
    repository: withoutSecrets(repo),
    cluster: cluster ?? 'as tranche.yaml says',
    branch: branch ?? 'as tranche.yaml says',
    shard: shard === undefined ? 'all' : `${shard.index}/${shard.of}`,
    ...(paths === undefined ? {} : { paths: paths.join(' ') }),
    ...(only.length === 0 ? {} : { only: only.join(' ') }),
    access,
  };
  const { version, ...rest } = fields;
  const said = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
  return { level: 'info', event: 'start', rollout: undefined, text: `tranche ${version}: ${said.join(', ')}`, fields };
}

/** What tranche.yaml makes of that, once it has been read; undefined: no pass has. */
export function configLine({ config }: Memory): Change | undefined {
  if (config === undefined) return undefined;
  const { cluster, branch, statusBranch, paths, intervalSeconds } = config;
  const where = paths.includes('') ? 'the whole tree' : paths.join(' ');
  const fields = { cluster, branch, statusBranch, paths: where, intervalSeconds };
  const text = `cluster ${cluster}, branch ${branch}, status on ${statusBranch}, files in ${where}, a pass at least every ${intervalSeconds} s`;
  return { level: 'info', event: 'config', rollout: undefined, text, fields };
}

/** A URL without what stands before its host: it is refused later, and must not be in a log before that. */
function withoutSecrets(location: string): string {
  return location.replace(/\/\/[^/@]*@/, '//').replace(/[?#].*$/, '');
}
