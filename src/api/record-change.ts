/** What a release is to people: its images, and what it changes against the version before it. */

export type ReleaseChange = {
  /** Digest of the release that comes: of a rollback, the one that it goes back to. */
  readonly of: string;
  /** Images of the version that it replaces; not there: it replaces none, or nobody has seen which. */
  readonly from?: readonly string[] | undefined;
  readonly to: readonly string[];
  /** Fields that it changes, but for images: `leaderTemplate.spec.containers[vllm].args`. Not there: none, or not known. */
  readonly fields?: readonly string[] | undefined;
};
