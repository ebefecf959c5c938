/** Names of files with what metrics counted: of which Rollout each is. */

/** The picture of the step that was judged last. */
export function evidencePicture(key: string): string {
  return `analysis/${key}/newest.svg`;
}

/** Of a Rollout, a release by its number, and a step. A picture next to its folder could have the name of another Rollout's. */
export const EVIDENCE_FILE = /^analysis\/(.+)\/([0-9]{1,9})-([a-z0-9-]{1,60})\.json$/;

/** Of which Rollout it is such a file; undefined: of none. */
export function evidenceOwner(path: string): string | undefined {
  return EVIDENCE_FILE.exec(path)?.[1] ?? /^analysis\/(.+)\/newest\.svg$/.exec(path)?.[1];
}
