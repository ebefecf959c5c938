/** How much of anything the forge adapter asks, writes and waits for before it gives up. */

export type ForgeLimits = {
  /** One answer as it comes over the wire. */
  readonly answerBytes: number;
  /** One that is no success: words for people. */
  readonly errorBytes: number;
  /** No byte for this long: the server hangs. */
  readonly idleSeconds: number;
  /** One exchange, from the first byte to the last. */
  readonly exchangeSeconds: number;
  /** All waiting of one pass for the forge: an order of that time waits for the next pass. */
  readonly passSeconds: number;
  /** All requests of one pass. */
  readonly requestsPerPass: number;
  /** The part of a pass that those who share it leave to others. */
  readonly keptBack: number;
  /** What one may ask at least. */
  readonly requestsPerPart: number;
  /** Writes of one pass, and of an hour: GitHub allows 80 a minute and 500 an hour for all that one account writes. */
  readonly writesPerPass: number;
  readonly writesPerHour: number;
  /** Between two writes, as GitHub asks for. */
  readonly writeGapSeconds: number;
  /** How often a request is sent again whose answer was lost, and what is waited before each. */
  readonly retryPauses: readonly number[];
  /** What GitHub asks to be waited for where it limits without saying for how long. */
  readonly limitSeconds: number;
  /** Of 100 each: lists of open pull requests, reviews, comments. */
  readonly pages: number;
  /** Answers kept to ask only whether they have changed. */
  readonly keptAnswers: number;
  /** Reviewers of one pull request whose rights are read, a request each: anybody may review where anybody may read. */
  readonly reviewersPerPull: number;
  /** Pull requests that others have opened from branches of ours, which are read one by one where many are open. */
  readonly foreignPulls: number;
  /** Pull requests asked about in one request. */
  readonly pullsPerQuery: number;
};

export const forgeLimits: ForgeLimits = {
  answerBytes: 32 * 1024 * 1024,
  errorBytes: 1024 * 1024,
  idleSeconds: 20,
  exchangeSeconds: 60,
  passSeconds: 120,
  requestsPerPass: 300,
  keptBack: 1 / 3,
  requestsPerPart: 8,
  writesPerPass: 40,
  writesPerHour: 450,
  writeGapSeconds: 1,
  retryPauses: [1, 3],
  limitSeconds: 60,
  pages: 20,
  keptAnswers: 100,
  reviewersPerPull: 30,
  foreignPulls: 50,
  pullsPerQuery: 50,
};
