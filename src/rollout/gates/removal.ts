/** Gates before a document goes out of its file: what would not be deleted, or cannot be seen. */

import { type Hold, hold } from '../hold.ts';
import type { Situation } from '../situation.ts';
import { nameFirst } from '../texts/sentences.ts';
import { notApplied } from './cluster.ts';

/** Argo CD's mark on what it applies, with the name of the Application before the first colon. */
const ARGO_TRACKING = 'argocd.argoproj.io/tracking-id';

/** Argo CD refuses to wipe out all that an Application has: the document would stay out of its file for good. */
export function folderEmptied({ snapshot, file }: Situation): Hold | undefined {
  const { live, alone } = snapshot;
  const tracking = live.lws.kind === 'known' ? live.lws.value.annotations[ARGO_TRACKING] : undefined;
  if (alone !== true || tracking === undefined) return undefined;
  const root = file.beneath?.root;
  const all =
    root === undefined
      ? `${file.file} is the only manifest in its folder`
      : `${root === '' ? 'the root of the repository' : root} builds nothing else`;
  return hold('FolderEmptied', {
    seen: `${nameFirst(file.object.name)} has to be deleted and re-created, and ${all}: Argo CD (Application ${tracking.split(':')[0] ?? ''}) refuses to wipe out all resources of an Application`,
    action: 'Put another object into that folder first, such as a ConfigMap',
  });
}

/** Only an object that is seen is deleted. */
export function notThere(situation: Situation): Hold | undefined {
  const { lws } = situation.snapshot.live;
  return lws.kind === 'known' && !lws.value.deleting ? undefined : notApplied(situation);
}
