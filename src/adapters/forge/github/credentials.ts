/** Who we are on the forge: a token, or a GitHub App that makes short-lived tokens with its key. */

import type { Octokit } from '@octokit/core';
import { at } from '../../../api/json.ts';
import type { ForgeAddress } from './address.ts';

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
  /** The text without any secret of ours. */
  readonly mask: (text: string) => string;
};

/**
 * Asks nobody yet. An App is asked for its installation in this repository, and for a token that reaches nothing else:
 * what that request throws is thrown by `token`.
 */
export function openCredentials(given: ForgeCredential, octokit: Octokit, address: ForgeAddress): Credentials {
  if (given.kind === 'token') {
    const name = `the token of ${given.from}`;
    return { name, token: async () => given.token, mask: (text) => without(text, [given.token]) };
  }
  const seen = new Set<string>();
  let installation: Promise<() => Promise<string>> | undefined;
  return {
    name: `the GitHub App ${given.appId}`,
    token: async () => {
      installation ??= openInstallation(given, octokit, address).catch((error: unknown) => {
        installation = undefined;
        throw error;
      });
      const token = await (await installation)();
      seen.add(token);
      return token;
    },
    mask: (text) => without(text, [given.key, ...seen]),
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
  const installationId = Number(at(data, ['id']));
  return async () => (await authenticate({ type: 'installation', installationId, repositoryNames: [name] })).token;
}

function without(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => (secret === '' ? left : left.replaceAll(secret, '***')), text);
}
