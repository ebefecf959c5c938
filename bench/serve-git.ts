/** A process of its own: serves a folder of bare repositories by git http-backend, until its parent is gone. */

import { startGitServer } from '../test/support/git-server.ts';

/** What the parent is told once the server listens. */
export type GitReady = { readonly url: string; readonly folder: string };

const server = await startGitServer();
process.once('disconnect', () => void server.stop().then(() => process.exit()));
const ready: GitReady = { url: server.url, folder: server.folder };
process.send?.(ready);
