/** The servers of the demo: an empty repository on the disk, and a model served as a cluster on loopback. */

import type { Reply } from './api-server/reply.ts';
import type { ApiRequest } from './api-server/route.ts';
import { type ServedModel, startApiServer } from './api-server/start-api-server.ts';
import { createRepository } from './create-repository.ts';

/** What the demo needs of the world next to the ports: an empty repository, where there is none, and a model served as a cluster. */
type DemoServers = {
  readonly apiUrl: string;
  /** The text of a kubeconfig for it. */
  readonly kubeconfig: string;
  readonly close: () => Promise<void>;
};

/** Makes a bare repository at `newRepository`, if that is given, and serves `model` on loopback, on any free port. */
export async function openDemoServers(given: {
  readonly newRepository: string | undefined;
  readonly branch: string;
  readonly model: ServedModel;
  /** Answers what is no request for objects. */
  readonly also: (request: ApiRequest) => Reply | undefined;
}): Promise<DemoServers> {
  if (given.newRepository !== undefined) createRepository(given.newRepository, given.branch);
  const server = await startApiServer({ model: given.model, port: 0, kinds: undefined, interfere: given.also });
  return { apiUrl: server.url, kubeconfig: server.kubeconfig, close: server.close };
}
