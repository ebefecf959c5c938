/** A process of its own: serves a folder of bare repositories by git http-backend, until its parent is gone. */

import { startGitServer } from '../test/support/git-server.ts';

/** What the parent may ask: to start counting, with this many milliseconds before each answer. */
export type GitAsked = { readonly delay: number };

/** What was counted until then. */
export type GitCounted = { readonly requests: number; readonly rounds: number };

/** What the parent is told once the server listens. */
export type GitReady = { readonly url: string; readonly folder: string };

const server = await startGitServer();
process.on('message', ({ delay }: GitAsked) => {
  const counted: GitCounted = {
    requests: server.requests.length,
    rounds: Math.max(0, ...server.requests.map(({ round }) => round)),
  };
  server.requests.length = 0;
  server.rounds.ended = 0;
  server.fault = () => new Promise((done) => setTimeout(() => done(undefined), delay));
  process.send?.(counted);
});
process.once('disconnect', () => void server.stop().then(() => process.exit()));
const ready: GitReady = { url: server.url, folder: server.folder };
process.send?.(ready);
