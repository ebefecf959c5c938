/** What a commit writes into our patch over a kustomize build: fields over people's own, and a template in the place of theirs. */

import { ABSENT, samePath, sameValue } from '../../api/field.ts';
import { EXCLUSIVE_TOPOLOGY, RELEASE_PATHS } from '../../api/release-content.ts';
import { MAX_UNAVAILABLE_PATH, PARTITION_PATH, REPLICAS_PATH } from '../../api/workload-paths.ts';
import type { Beneath } from './beneath.ts';
import type { FieldChange, WorkloadPart } from './change.ts';
import type { Edit, FieldPath } from './edit.ts';

/**
 * The change of a field as one of the patch. A number that people's own files say as well goes from it, so that theirs
 * counts when they edit it. The partition always stays: it is what holds groups back if their files lose theirs. A new patch
 * has it even where theirs say the same.
 */
export function overField(
  field: FieldChange,
  { replicas, maxUnavailable, isAdopted, isEarlier }: Beneath,
): FieldChange {
  if (!isAdopted && samePath(field.path, PARTITION_PATH)) return { ...field, from: ABSENT };
  if (isEarlier) return field;
  const own = ownOf(field.path, { replicas, maxUnavailable });
  return own !== undefined && sameValue(field.to, own) && !sameValue(field.from, own)
    ? { ...field, to: ABSENT }
    : field;
}

function ownOf(path: FieldChange['path'], { replicas, maxUnavailable }: Pick<Beneath, 'replicas' | 'maxUnavailable'>) {
  if (samePath(path, REPLICAS_PATH)) return replicas;
  return samePath(path, MAX_UNAVAILABLE_PATH) ? maxUnavailable : undefined;
}

const TOPOLOGY: FieldPath = ['metadata', 'annotations', EXCLUSIVE_TOPOLOGY];
/** Of a strategic-merge patch: the map here is all there is of it, or it goes. */
const DIRECTIVE = '$patch';

/** The edits that take a template out of the patch, so that people's own counts again. */
const UNPIN: readonly Edit[] = RELEASE_PATHS.map((path): Edit => ({ kind: 'remove', path }));

/**
 * The edits by which the build has the template of `source`, whose digest is given: in the place of people's own, or by
 * taking ours out where theirs is that very one. Their files are none of ours, and others may build from them.
 */
export function pinEdits(
  { digest, source = '', parts = [] }: WorkloadPart['content'],
  { digest: own, content, isEarlier }: Beneath,
): readonly Edit[] {
  // What is not known may be anything: the whole template stands in the patch.
  if (own === digest && isEarlier !== true) return UNPIN;
  const taken = RELEASE_PATHS.map((path): Edit => ({ kind: 'restore', path, source }));
  return [...taken, ...['leaderWorkerTemplate', 'networkConfig'].flatMap(wholeMap), ...withoutTopology()];

  function wholeMap(part: string): readonly Edit[] {
    const path = ['spec', part, DIRECTIVE];
    if (parts.includes(part)) return [{ kind: 'set', path, value: 'replace' }];
    return content[part] === undefined && isEarlier !== true ? [] : [{ kind: 'set', path, value: 'delete' }];
  }

  function withoutTopology(): readonly Edit[] {
    const isTheirs =
      (content['exclusiveTopology'] !== undefined || isEarlier === true) && !parts.includes('exclusiveTopology');
    return isTheirs ? [{ kind: 'set', path: TOPOLOGY, value: null }] : [];
  }
}
