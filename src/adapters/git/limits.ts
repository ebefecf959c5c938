/** How much of anything the Git adapter takes from a server or a repository before it gives up. */

export type GitLimits = {
  /** A file above this is `unreadable`; it bounds what a parser of manifests is ever given. */
  readonly fileBytes: number;
  /** One pack as it is held, compressed, without what is passed over. */
  readonly packBytes: number;
  /** One answer with a pack as it comes over the wire. */
  readonly wireBytes: number;
  /** One object after inflating. */
  readonly objectBytes: number;
  /** The content of a file in a pack; above this it is passed over. Files that are read may build on smaller ones. */
  readonly blobBytes: number;
  /** All objects of one pack after inflating. */
  readonly inflatedBytes: number;
  readonly packObjects: number;
  /** Answers other than packs: lists of branches, reports, advertisements. */
  readonly answerBytes: number;
  /** Objects kept between two reads of one instance. */
  readonly cacheBytes: number;
  readonly treeDepth: number;
  /** Folders and files that one read may visit. */
  readonly treeEntries: number;
  /** Files that one read gives back, also unread ones; 640 characters count as one. */
  readonly treeFiles: number;
  /** Objects asked for by id in one request. */
  readonly wantsPerRequest: number;
  readonly commitsPerHistory: number;
  /** Commits of one answer whose parents are not sent: where a history is cut, each line of it ends in one. */
  readonly shallowCommits: number;
  /** No byte for this long: the server hangs. */
  readonly idleSeconds: number;
  /** All that one pass asks of the repository, from its first request to the last. */
  readonly passSeconds: number;
  /** What a push may take beyond that, to find out what became of it. */
  readonly settleSeconds: number;
  /** The longest Retry-After that is waited for, and how often. */
  readonly retryAfterSeconds: number;
  readonly retries: number;
};

const kiB = 1024;
const miB = 1024 * kiB;

export const defaultGitLimits: GitLimits = {
  fileBytes: miB,
  packBytes: 256 * miB,
  wireBytes: 16 * 1024 * miB,
  objectBytes: 64 * miB,
  blobBytes: 8 * miB,
  inflatedBytes: 1024 * miB,
  packObjects: 2_000_000,
  answerBytes: 64 * miB,
  cacheBytes: 64 * miB,
  treeDepth: 64,
  treeEntries: 1_000_000,
  treeFiles: 100_000,
  wantsPerRequest: 10_000,
  commitsPerHistory: 10_000,
  shallowCommits: 50_000,
  idleSeconds: 20,
  passSeconds: 60,
  settleSeconds: 10,
  retryAfterSeconds: 10,
  retries: 2,
};
