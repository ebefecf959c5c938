/** The stages that the model says a proposed commit leads to, for the body of its pull request. */

import { isRecord, type JsonObject, jsonEqual } from '../../api/json.ts';
import { SENTINEL } from '../../api/workload.ts';
import { PARTITION_PATH } from '../../api/workload-paths.ts';
import { parseManifestFile } from '../../manifests/parse-file.ts';
import type { FileWrite } from '../../ports/git.ts';
import type { Snapshot, WorkloadFile } from '../../rollout/snapshot.ts';
import { applyManifests } from '../../simulator/agent/agent.ts';
import { createCluster } from '../../simulator/cluster-model.ts';
import { predictStages } from '../../simulator/scenario/stage-run.ts';
import { stageMarkdown } from '../../simulator/scenario/stage-table.ts';

/** A table of more groups than this is not read by anybody. */
const GROUPS_MOST = 32;
const AGENT = 'gitops';
const START_SECONDS = 1_790_000_000;
/** Longer than any group of the model needs, which is ready within a second. */
const SETTLE_SECONDS = 60;

/**
 * As Markdown: the groups from what Git has now to rest, on the model with the StatefulSet's gate off. Empty: nothing
 * moves, or it cannot be played.
 */
export function stagesOf({ workload: file, stable, key }: Snapshot, writes: readonly FileWrite[]): string {
  if (file === undefined || stable.kind !== 'known') return '';
  const replicas = file.workload.replicas ?? GROUPS_MOST + 1;
  const text = writes.find(({ path }) => path === file.file)?.text;
  const [now, next] = [manifestIn(file, file.text), text === undefined ? undefined : manifestIn(file, text)];
  if (replicas > GROUPS_MOST || now === undefined || next === undefined) return '';
  const cluster = createCluster({ lws: '0.10', gate: 'off', nowSeconds: START_SECONDS, readiness: () => 1 });
  // First every group on the stable template, then what Git has now: the groups of the steps so far.
  for (const manifest of [withText(now, stable.value.content), now]) {
    if (cluster.apply([manifest], AGENT)[0]?.answer.ok !== true) return '';
    cluster.tick(SETTLE_SECONDS);
  }
  const name = { namespace: key.namespace, name: file.object.name };
  const change = (copy: typeof cluster): void =>
    void applyManifests(copy.store, [next], { manager: AGENT, namespace: key.namespace });
  const stages = predictStages(cluster, name, { change });
  return stages.length < 2
    ? ''
    : `${stageMarkdown(stages)}\n\n● on the newest version and ready, ~ on it and not ready yet, ○ not on it.\n`;
}

function manifestIn({ file, object }: WorkloadFile, text: string): JsonObject | undefined {
  const documents = parseManifestFile(file, text, [object.kind]).documents;
  const found = documents.find((document) => jsonEqual(document.object, object))?.value;
  if (!isRecord(found)) return undefined;
  const metadata = isRecord(found['metadata']) ? found['metadata'] : {};
  return { ...found, metadata: { ...metadata, namespace: object.namespace } };
}

/** The same with the content of an earlier text, locked. */
function withText(manifest: JsonObject, content: JsonObject): JsonObject {
  const spec = isRecord(manifest['spec']) ? manifest['spec'] : {};
  const [strategy = '', configuration = '', partition = ''] = PARTITION_PATH.slice(1).map(String);
  const rolling = isRecord(spec[strategy]) ? spec[strategy] : {};
  const now = isRecord(rolling[configuration]) ? rolling[configuration] : {};
  const locked = { ...rolling, [configuration]: { ...now, [partition]: SENTINEL } };
  return {
    ...manifest,
    spec: { ...spec, leaderWorkerTemplate: content['leaderWorkerTemplate'] ?? {}, [strategy]: locked },
  };
}
