/** Ends a verb that waits for a server which does not answer, once its user has asked it to stop. */

import { EXIT, type Io } from '../options.ts';

/**
 * What is being pushed when somebody interrupts is given this long; then the process ends. A push is whole or not there,
 * and the next pass goes on from either.
 */
const PATIENCE_MS = 1500;

/** The exit code of the verb; that of a failure, where it has not ended in that time after an interrupt. */
export async function unlessInterrupted(io: Io, running: Promise<number>): Promise<number> {
  const { interrupted } = io;
  if (interrupted === undefined) return running;
  const over = new Promise<number>((end) => {
    const wait = (): void => {
      setTimeout(() => {
        io.err(
          'stopped: a server has not answered; a commit that was being pushed is there as a whole, or not at all\n',
        );
        end(EXIT.failed);
      }, PATIENCE_MS).unref();
    };
    if (interrupted.aborted) wait();
    else interrupted.addEventListener('abort', wait, { once: true });
  });
  return Promise.race([running, over]);
}
