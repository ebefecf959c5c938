/** What a Rollout is called, and what policies may choose it by. */

import type { Config } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { at, isRecord } from '../../api/json.ts';
import type { PolicySubject } from '../../api/rollout-policy.ts';
import type { RollingStyle } from '../../api/styles.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { RolloutKey } from '../../rollout/snapshot.ts';
import { badNameIssue, namespaceIssue } from './desired-issues.ts';
import { namespaceOf } from './manifest-index.ts';

const DNS_SUBDOMAIN = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Names become paths, trailers and requests: only what Kubernetes itself accepts as a name gets that far. */
export function keyOf(document: ManifestDocument, config: Config): RolloutKey | Issue {
  const namespace = namespaceOf(document, config);
  const { name } = document.object;
  if (namespace === undefined) return namespaceIssue(document);
  if (!DNS_LABEL.test(namespace)) return badNameIssue(document, 'namespace', namespace);
  if (!DNS_SUBDOMAIN.test(name) || name.includes('..')) return badNameIssue(document, 'name', name);
  return { cluster: config.cluster, namespace, name };
}

/** What policies may choose this Rollout by, and its file. */
export function subjectOf(
  document: ManifestDocument,
  of: { readonly key: RolloutKey; readonly strategy: RollingStyle | undefined },
): PolicySubject & { readonly file: string } {
  const labels = at(document.value, ['metadata', 'labels']);
  const texts = isRecord(labels) ? Object.entries(labels) : [];
  return {
    ...of.key,
    labels: Object.fromEntries(texts.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : []))),
    strategy: of.strategy,
    file: document.file,
  };
}

/**
 * The key of a managed workload that no Rollout names, where a Rollout that is about another one has its name: each has a record of
 * its own, or they would take it from each other in every pass.
 */
export function besideRollout(key: RolloutKey): RolloutKey {
  return { ...key, name: `${key.name}.leaderworkerset` };
}
