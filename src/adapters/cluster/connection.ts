/** Where the API server is and how to prove who we are: what the rest of the adapter needs of a kubeconfig. */

import type https from 'node:https';

export type Connection = {
  readonly server: URL;
  /** Headers, certificates and agent of the next request: asked for each time, because tokens are renewed. */
  readonly options: () => Promise<https.RequestOptions>;
};

/** No credentials, in words that are safe to publish: no token, no argument, nothing that a command said. */
export class CredentialError extends Error {}
