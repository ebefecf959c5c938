/** The labels and annotations that LWS puts on the objects it makes (reference: LWS API, `constants` of v0.10). */

const PREFIX = 'leaderworkerset.sigs.k8s.io/';

/** On pods, both kinds of StatefulSets and ControllerRevisions: the name of the LWS. */
export const LWS_NAME = `${PREFIX}name`;
/** On StatefulSets, pods and ControllerRevisions: the LWS revision, in the pages of this project its key. */
export const REVISION_KEY = `${PREFIX}template-revision-hash`;
/** On pods; `0` is the leader. */
export const WORKER_INDEX = `${PREFIX}worker-index`;
/** On pods and worker StatefulSets. */
export const GROUP_INDEX = `${PREFIX}group-index`;
/** Annotation of the leader StatefulSet: `spec.replicas` at the last reconcile of LWS. */
export const REPLICAS_SEEN = `${PREFIX}replicas`;
/** Annotation of pods: how many pods the group of that template has (reference: LWS API, SizeAnnotationKey). */
export const GROUP_SIZE = `${PREFIX}size`;

/** A number that LWS wrote as text, undefined where it is not one: plain decimal digits, no sign, no zero in front. */
export function countFromText(text: string): number | undefined {
  return /^(?:0|[1-9]\d{0,8})$/.test(text) ? Number(text) : undefined;
}
