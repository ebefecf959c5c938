/** A build that the cluster contradicts: the agent has applied our patch, and made another template of the same files. */

import { isJsonObject, type Json } from '../../api/json.ts';
import type { LiveLws } from '../../api/live.ts';
import { MARK_NAMES, parseMarks, printMarks } from '../../api/marks.ts';
import { type Instant, printInstant } from '../../api/time.ts';
import { type Hold, hold } from '../hold.ts';
import type { WorkloadFile } from '../snapshot.ts';

const CAUSES =
  'The usual causes: fields of the Flux Kustomization or the Argo CD Application that are not in this repository (patches, images, postBuild), a webhook that changes the object, another version of kustomize than that of the agent, an edit by hand';

/**
 * For what differs past the time that an agent needs: the cluster has the annotations that the patch has, and they name the
 * template that is built, so that the same commit is applied. undefined: it is not, or the file is what the agent applies.
 */
export function buildDiffers(
  { beneath, workload, digest, file }: WorkloadFile,
  lws: LiveLws,
  { path, since }: { readonly path: string; readonly since: Instant },
): Hold | undefined {
  const marks = workload.marksInFile ?? workload.marks;
  const seen = parseMarks(lws.annotations);
  if (beneath === undefined || marks?.release.digest !== digest || seen === undefined || !('release' in seen))
    return undefined;
  const [wanted, there] = [printMarks(marks), printMarks(seen)];
  if (MARK_NAMES.some((name) => wanted[name] !== there[name])) return undefined;
  const inside = path.replace(/^spec\./, '');
  const [built, live] = [valueAt(workload.content, inside), valueAt(lws.content, inside)];
  const folder = beneath.root === '' ? 'the root of the repository' : beneath.root;
  return hold('BuildDiffers', {
    seen: `${path}: ${folder} builds ${shown(built)} here, and the cluster has ${shownLive(path, live)} since ${printInstant(since)} at the latest, with the annotations of ${file}`,
    action: `${CAUSES}. Compare what tranche roots builds with what the agent applies`,
  });
}

const CHARACTERS_MOST = 120;

function shown(value: Json | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > CHARACTERS_MOST ? `${text.slice(0, CHARACTERS_MOST)}…` : text;
}

/** What the cluster has may be of a Secret, and the status branch is Git: images and numbers alone are shown. */
function shownLive(path: string, value: Json | undefined): string {
  const isPlain = typeof value === 'number' || typeof value === 'boolean' || value === undefined;
  if (isPlain || (path.endsWith('.image') && typeof value === 'string')) return shown(value);
  return 'another value, which is not shown';
}

/** By a path as people read it, `containers[vllm].image`; undefined: nothing is there. */
function valueAt(content: Json, path: string): Json | undefined {
  let found: Json | undefined = content;
  for (const part of path.match(/[^.[\]]+|\[[^\]]*\]/g) ?? []) {
    const key = part.replace(/^\[|\]$/g, '');
    if (part.startsWith('[') && Array.isArray(found))
      found = found.find((one: Json, place) => String(place) === key || (isJsonObject(one) && one['name'] === key));
    else found = isJsonObject(found) ? found[key] : undefined;
  }
  return found;
}
