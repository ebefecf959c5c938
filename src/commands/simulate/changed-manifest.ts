/** The LeaderWorkerSet of a file, and the same after the change that the command line describes. */

import type { Issue } from '../../api/issue.ts';
import { issueLine } from '../../api/issue-line.ts';
import { at, isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import { UsageError } from '../../options.ts';
import { mergePatch, withValue } from '../../simulator/objects/object-edit.ts';
import type { AskedChange, AskedStages, ImagePlace } from './asked.ts';
import { GROUPS_MAX, PODS_MAX } from './limits.ts';

const LWS_KIND = 'LeaderWorkerSet';
const TEMPLATE = ['spec', 'leaderWorkerTemplate'];

/** The one LeaderWorkerSet of the file, or the one that is named. A UsageError with file and line where it is not clear. */
export function lwsOfFile(asked: Pick<AskedStages, 'file' | 'name'>, text: string): ManifestDocument {
  const { documents, issues } = parseManifestFile(asked.file, text, [LWS_KIND]);
  if (issues.length > 0) throw new UsageError(issues.map(issueLine).join('\nerror: '));
  const found = documents.filter(({ object }) => asked.name === '' || object.name === asked.name);
  const [document, ...others] = found;
  const wrong = (issue: Pick<Issue, 'line' | 'reason' | 'message' | 'hint'>): UsageError =>
    new UsageError(issueLine({ file: asked.file, path: '', ...issue }));
  if (document === undefined && asked.name !== '' && documents.length > 0) {
    const names = documents.map(({ object }) => object.name).join(', ');
    throw wrong({
      line: documents[0]?.firstLine ?? 0,
      reason: 'WorkloadMissing',
      message: `no ${LWS_KIND} ${asked.name}, but ${names}`,
      hint: 'Correct --name.',
    });
  }
  if (document === undefined) {
    const hint = 'Name the file that holds it.';
    throw wrong({ line: 1, reason: 'WorkloadMissing', message: `no ${LWS_KIND} in this file`, hint });
  }
  if (others.length > 0) {
    const places = found.map(({ object, firstLine }) => `${object.name} (line ${firstLine})`).join(', ');
    throw wrong({
      line: others[0]?.firstLine ?? 0,
      reason: 'SeveralWorkloads',
      message: `${found.length} LeaderWorkerSets: ${places}`,
      hint: 'Choose one with --name.',
    });
  }
  return document;
}

/** The manifest after the change. A UsageError with file and line where the file has no place for it. */
export function changedManifest(document: ManifestDocument, change: AskedChange): JsonObject {
  const rolling: Record<string, Json> = {};
  for (const key of ['partition', 'maxSurge', 'maxUnavailable'] as const) {
    const value = change[key];
    if (value !== undefined) rolling[key] = value;
  }
  const spec: Record<string, Json> = {};
  if (change.replicas !== undefined) spec['replicas'] = change.replicas;
  if (Object.keys(rolling).length > 0) spec['rolloutStrategy'] = { rollingUpdateConfiguration: rolling };
  const patched = mergePatch(document.value, { spec });
  return change.images.reduce(
    (manifest, { place, image }) => withImage(document, { manifest, place, image }),
    isJsonObject(patched) ? patched : document.value,
  );
}

/**
 * Refuses what the model would take minutes for: a typo in `replicas` should not stop the machine. `of`: whether the manifest is what the
 * file has, which no argument changes, or what the change makes of it. A UsageError with file and line.
 */
export function checkSize(document: ManifestDocument, manifest: JsonObject, of: 'file' | 'change'): void {
  const replicas = numberAt(manifest, ['spec', 'replicas'], 1);
  const size = numberAt(manifest, [...TEMPLATE, 'size'], 1);
  if (replicas <= GROUPS_MAX && replicas * size <= PODS_MAX) return;
  const most = Math.min(GROUPS_MAX, Math.floor(PODS_MAX / size));
  const fewer =
    of === 'change' ? `Simulate with fewer: --replicas ${most}.` : `In a copy of the file, write replicas: ${most}.`;
  throw faultOf(document, {
    path: most === 0 ? [...TEMPLATE, 'size'] : ['spec', 'replicas'],
    reason: 'TooManyGroups',
    message: `${replicas} groups of ${size} pods, the limits of a simulation are ${GROUPS_MAX} groups and ${PODS_MAX} pods`,
    hint: most === 0 ? `In a copy of the file, write a size of at most ${PODS_MAX}.` : fewer,
  });
}

type Wrong = Pick<Issue, 'reason' | 'message' | 'hint'> & { readonly path: readonly string[] };

/** The UsageError for a fault of a field: `file:line: message`. */
function faultOf(document: ManifestDocument, { path, ...rest }: Wrong): UsageError {
  const line = document.lineOf(path);
  return new UsageError(issueLine({ file: document.file, line, path: path.join('.'), ...rest }));
}

function withImage(
  document: ManifestDocument,
  from: { readonly manifest: JsonObject; readonly place: ImagePlace; readonly image: string },
): JsonObject {
  const named: readonly ImagePlace[] = from.place === 'both' ? ['leader', 'worker'] : [from.place];
  const paths = named
    .map((role) => [...TEMPLATE, `${role}Template`, 'spec', 'containers'])
    .filter((path) => Array.isArray(at(from.manifest, path)));
  if (paths.length === 0) {
    const path = [...TEMPLATE, ...(from.place === 'both' ? [] : [`${from.place}Template`])];
    const leader = from.place === 'leader';
    throw faultOf(document, {
      path,
      reason: 'NoContainers',
      message: `no containers in ${path.join('.')}, so there is no image to set`,
      hint: leader
        ? 'Without a leaderTemplate leaders use the workerTemplate: set image or worker.image.'
        : 'Add them.',
    });
  }
  return paths.reduce((manifest, path) => {
    const containers = at(manifest, path);
    const list: readonly unknown[] = Array.isArray(containers) ? containers : [];
    const changed = list.map((one): Json => (isContainer(one) ? { ...one, image: from.image } : null));
    return withValue(manifest, path, changed);
  }, from.manifest);
}

/** What the parser of manifests made is JSON all the way down. */
function isContainer(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function numberAt(manifest: JsonObject, path: readonly string[], otherwise: number): number {
  const value = at(manifest, path);
  return typeof value === 'number' ? value : otherwise;
}
