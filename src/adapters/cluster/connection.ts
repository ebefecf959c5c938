/** Where the API server is and how to prove who we are: what the rest of the adapter needs of a kubeconfig. */

import type https from 'node:https';

export type Connection = {
  readonly server: URL;
  /** Headers, certificates and agent of the next request: asked for each time, because tokens are renewed. */
  readonly options: () => Promise<https.RequestOptions>;
  /**
   * Told of options that the server did not accept (401). True: there may be better ones, which are asked for next.
   * Not there: they are what the kubeconfig and its files say.
   */
  readonly renew?: (refused: https.RequestOptions) => boolean;
};

/** No credentials, in words that are safe to publish: no token, no argument, nothing that a command said. */
export class CredentialError extends Error {}
