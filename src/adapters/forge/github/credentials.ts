/** Who we are on the forge: a token, or a GitHub App that makes short-lived tokens with its key. */

import type { Octokit } from '@octokit/core';
import { lineWithout } from '../../git/git-error.ts';
import { holdsSecret } from '../../git/secret-forms.ts';
import type { ForgeAddress } from './address.ts';
import { notRead, tokenIn } from './odd-answers.ts';
import { numberAt } from './read-pull.ts';

/** What someone gives, from the environment. */
export type ForgeCredential =
  /** `from` names the variable or the input, for messages. */
  | { readonly kind: 'token'; readonly token: string; readonly from: string }
  | { readonly kind: 'app'; readonly appId: string; readonly key: string };

export type Credentials = {
  /** For messages; never the secret. */
  readonly name: string;
  /** The token to send; that of an App lives for an hour and is made again in time. */
  readonly token: () => Promise<string>;
  /** A line of the forge's words without any secret of ours. */
  readonly mask: (text: string) => string;
  /** Whether the words hold one. */
  readonly isIn: (text: string) => boolean;
};

/** Credentials of an App that are remembered, to be kept out of texts: two or three are made an hour, and none lives longer. */
const SEEN_MOST = 8;

/**
 * Asks nobody yet. An App is asked for its installation in this repository, and for a token that reaches nothing else:
 * what that request throws is thrown by `token`.
 */
export function openCredentials(given: ForgeCredential, octokit: Octokit, address: ForgeAddress): Credentials {
  if (given.kind === 'token') {
    const name = `the token of ${given.from}`;
    return { name, token: async () => given.token, ...told(() => [given.token]) };
  }
  const seen = new Set<string>();
  const remember = (secret: string): void => {
    seen.add(secret);
    const [oldest] = seen;
    if (seen.size > SEEN_MOST && oldest !== undefined) seen.delete(oldest);
  };
  // What is signed with the key is sent as well, and gets tokens for ten minutes.
  octokit.hook.before('request', ({ headers }) => {
    if (typeof headers.authorization === 'string') remember(headers.authorization.replace(/^\w+ /, ''));
  });
  let installation: Promise<() => Promise<string>> | undefined;
  return {
    name: `the GitHub App ${given.appId}`,
    token: async () => {
      installation ??= openInstallation(given, octokit, address).catch((error: unknown) => {
        installation = undefined;
        throw error;
      });
      const token = await (await installation)();
      remember(token);
      return token;
    },
    ...told(() => [given.key, ...seen]),
  };
}

/** The key of the App cannot sign. Says nothing of what it holds. */
export class UnusableKey extends Error {}

async function openInstallation(
  { appId, key }: Extract<ForgeCredential, { kind: 'app' }>,
  octokit: Octokit,
  { owner, name }: ForgeAddress,
): Promise<() => Promise<string>> {
  const { createAppAuth } = await import('@octokit/auth-app');
  const authenticate = createAppAuth({ appId, privateKey: key, request: octokit.request });
  // Signing alone, which asks nobody: what fails here is the key.
  const { token: jsonWebToken } = await authenticate({ type: 'app' }).catch(() => {
    throw new UnusableKey('the key is no RSA private key in PEM');
  });
  const { data } = await octokit.request('GET /repos/{owner}/{repo}/installation', {
    owner,
    repo: name,
    headers: { authorization: `bearer ${jsonWebToken}` },
  });
  const installationId = numberAt(data, 'id') ?? notRead(new TypeError());
  const made = () => authenticate({ type: 'installation', installationId, repositoryNames: [name] }).catch(notRead);
  return async () => tokenIn((await made()).token);
}

function told(secrets: () => readonly string[]): Pick<Credentials, 'mask' | 'isIn'> {
  return {
    mask: (text) => lineWithout(text, secrets()),
    isIn: (text) => holdsSecret(lineWithout(text, []), secrets()),
  };
}
