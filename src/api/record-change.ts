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

/** Whose approval a step rests on, as main or the forge shows it: it proves nothing here, and nothing is decided by it. */
export type StepApproval = {
  /** As the release is printed; with another one it is over. */
  readonly release: string;
  /** `2/4`, `promote` or `settled`: where the commit that rests on it leads. */
  readonly step: string;
  /** Who gave it: the author of the commit, or as an order claims; of a pull request those who merged or reviewed it. Not there: not known. */
  readonly by?: string | undefined;
  /** The commit of main that brought it, or the address of the pull request. */
  readonly at: string;
};
