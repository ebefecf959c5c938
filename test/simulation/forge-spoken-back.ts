/** A forge that says the token of the process back, through what the adapter makes of words. Apart from Git's: Octokit is large. */

import { Octokit } from '@octokit/core';
import { openCredentials } from '../../src/adapters/forge/github/credentials.ts';
import type { Forge } from '../../src/ports/forge.ts';
import { FORGE_TOKEN } from './secret.ts';
import { failing, words } from './spoken-back.ts';

/** The same forge; how it fails has the token in it, as the adapter tells it. */
export function forgeThatSaysBack(forge: Forge): Forge {
  const { mask } = openCredentials({ kind: 'token', token: FORGE_TOKEN, from: 'TRANCHE_FORGE_TOKEN' }, new Octokit(), {
    api: 'https://api.example',
    graphql: '/graphql',
    owner: 'team',
    name: 'gitops',
  });
  return new Proxy(forge, {
    get: (target, name): unknown => {
      const call: unknown = Reflect.get(target, name);
      if (typeof call !== 'function') return call;
      return (...given: readonly unknown[]): unknown => {
        const answer: unknown = Reflect.apply(call, target, given);
        return answer instanceof Promise ? failing(answer, (said) => mask(words(said, FORGE_TOKEN))) : answer;
      };
    },
  });
}
