/** Finds Flux Kustomizations that may delete what cannot be changed, or keep a rollback waiting: past every policy and hold. */

import type { Issue } from '../../api/issue.ts';
import { at } from '../../api/json.ts';
import { mapsAt } from '../../api/weighted-routes.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import { nameOf } from './read-rollout.ts';

/** A file with one of these names it; other kinds called Kustomization are not meant. */
const FLUX_GROUP = 'kustomize.toolkit.fluxcd.io';
const LWS = 'LeaderWorkerSet';
/**
 * The expression of policies/agents/flux-health.yaml: what tranche manages is healthy as soon as it is seen, so that nothing
 * waits for groups of a delivery.
 */
export const HEALTHY_AT_ONCE =
  "has(metadata.annotations) && 'tranche.dev/release' in metadata.annotations || has(status.conditions) && status.conditions.exists(e, e.type == 'Available' && e.status == 'True')";

/** A Kustomization with a setting that harms, where it stands, and the folder that it applies; empty for all of the repository. */
export type FluxSetting = {
  readonly document: ManifestDocument;
  readonly folder: string;
  readonly kind: 'force' | 'gate';
  readonly path: readonly string[];
};

/** Every Kustomization that forces, or waits for the health of LeaderWorkerSets. Files that cannot be read say nothing. */
export function fluxSettingsIn(texts: ReadonlyMap<string, string>): readonly FluxSetting[] {
  const found: FluxSetting[] = [];
  for (const [file, text] of texts) {
    if (!text.includes(FLUX_GROUP) || !(text.includes('force') || text.includes('healthCheckExprs'))) continue;
    for (const document of parseManifestFile(file, text, ['Kustomization']).documents)
      if (document.object.apiVersion.startsWith(`${FLUX_GROUP}/`)) found.push(...settingsOf(document));
  }
  return found;
}

/** What those of them do that apply the file of the workload. */
export function fluxIssues(all: readonly FluxSetting[], workload: ManifestDocument): readonly Issue[] {
  return all
    .filter(({ folder }) => folder === '' || workload.file.startsWith(`${folder}/`))
    .map((setting) => (setting.kind === 'force' ? forced(setting, workload) : gated(setting)));
}

function settingsOf(document: ManifestDocument): readonly FluxSetting[] {
  const { value } = document;
  const of = { document, folder: folderOf(document) };
  const gate = gatePath(document);
  return [
    ...(at(value, ['spec', 'force']) === true ? [{ ...of, kind: 'force', path: ['spec', 'force'] } as const] : []),
    ...(gate === undefined ? [] : [{ ...of, kind: 'gate', path: gate } as const]),
  ];
}

/**
 * Where it says when a LeaderWorkerSet is healthy, and waits for it. Without that Flux takes one for healthy as soon as
 * its generation is observed.
 */
function gatePath({ value }: ManifestDocument): readonly string[] | undefined {
  const waits = at(value, ['spec', 'wait']) === true || mapsAt(value, ['spec', 'healthChecks']).some(isOfLws);
  const place = mapsAt(value, ['spec', 'healthCheckExprs']).findIndex((one) => isOfLws(one) && !isAtOnce(one));
  return waits && place >= 0 ? ['spec', 'healthCheckExprs', String(place)] : undefined;
}

function isOfLws({ kind }: Readonly<Record<string, unknown>>): boolean {
  return kind === LWS;
}

/** That expression, however its lines are folded, and none next to it. */
function isAtOnce({ current, failed, inProgress }: Readonly<Record<string, unknown>>): boolean {
  const isAlone = failed === undefined && inProgress === undefined;
  return isAlone && typeof current === 'string' && current.trim().replaceAll(/\s+/g, ' ') === HEALTHY_AT_ONCE;
}

function folderOf({ value }: ManifestDocument): string {
  const path = at(value, ['spec', 'path']);
  const folder = (typeof path === 'string' ? path : '').replace(/^\.?\/*/, '').replace(/\/+$/, '');
  return folder === '.' ? '' : folder;
}

function forced({ document, path }: FluxSetting, workload: ManifestDocument): Issue {
  return {
    file: document.file,
    line: document.lineOf(path),
    path: path.join('.'),
    reason: 'ForcedApply',
    message: `${nameOf(document)}: force: true deletes and re-creates whatever refuses a change: an edit of subGroupSize takes all groups of ${workload.object.name} down at once, past every policy`,
    hint: 'Remove it, or keep the workload in a Kustomization without it.',
  };
}

/** Seen on kustomize-controller 1.7.3: the commit of a rollback was applied at the end of the timeout. */
function gated({ document, path }: FluxSetting): Issue {
  return {
    file: document.file,
    line: document.lineOf(path),
    path: path.join('.'),
    reason: 'HealthGate',
    message: `${nameOf(document)}: Flux waits for healthy LeaderWorkerSets, and applies no newer commit meanwhile: while groups of a new version do not become ready, the rollback waits as long as spec.timeout says`,
    hint: 'Take LeaderWorkerSets out of healthCheckExprs, use the expression of policies/agents/flux-health.yaml, or start kustomize-controller (1.7 or newer) with --feature-gates=CancelHealthCheckOnNewRevision=true.',
  };
}
