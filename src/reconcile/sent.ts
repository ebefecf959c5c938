/** When to compute: after what was asked for is on its way. */

/** In the first a connection is started or taken up, in the second the question is written to it. */
const TURNS = 2;

/**
 * Waits until the requests that were started are sent. Node does so between the turns of its loop: what computes for long
 * before that keeps the question waiting, and so the answer.
 */
export async function sent(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((done) => setImmediate(done));
}
