/** What tests of the forge stand on: a simulated GitHub with one repository, a branch to propose, and our credential. */

import { forgeAddress } from '../../../src/adapters/forge/github/address.ts';
import type { ForgeCredential } from '../../../src/adapters/forge/github/credentials.ts';
import { type ForgeLimits, forgeLimits } from '../../../src/adapters/forge/github/limits.ts';
import { openGithub } from '../../../src/adapters/forge/github/open-github.ts';
import { plainNetwork } from '../../../src/adapters/network/proxy.ts';
import type { Answer, Forge, NewPull } from '../../../src/ports/forge.ts';
import type { Account, ForgeRepository } from '../../support/forge/repository.ts';
import type { SimulatedForge } from '../../support/forge/start-forge.ts';
import { type ManualTimers, manualTimers } from '../../support/manual-timers.ts';

export const APP: Account = { login: 'tranche[bot]', id: 77, type: 'Bot' };
export const ADA: Account = { login: 'ada', id: 1, type: 'User' };
export const BOB: Account = { login: 'bob', id: 2, type: 'User' };
export const STALE: Account = { login: 'stale[bot]', id: 78, type: 'Bot' };
export const TOKEN = 'ghs_canary-of-the-app';
export const BRANCH = 'tranche/prod-eu/llm/vllm/9c41d2e09c41d2e09c41d2e09c41d2e0.2-2-ab12cd34ab12cd34ab12cd34ab12cd34';

export type ForgeSite = {
  readonly forge: SimulatedForge;
  readonly repository: ForgeRepository;
  readonly timers: ManualTimers;
  /** As our own process opens it. */
  readonly port: Forge;
  readonly open: (given?: { readonly credential?: ForgeCredential; readonly limits?: Partial<ForgeLimits> }) => Forge;
  /** Pushes a branch that changes replicas, and says what to propose. */
  readonly branch: (name?: string, replicas?: number) => Promise<NewPull>;
  readonly url: string;
};

const files = (replicas: number) => ({ 'apps/vllm.yaml': `replicas: ${replicas}\npartition: 0\n` });

/** A repository `team/<name>` on `forge`, whose main has one file. */
export async function forgeSite(forge: SimulatedForge, name: string): Promise<ForgeSite> {
  const repository = await forge.createRepository('team', name);
  const full = `team/${name}`;
  const permissions = { contents: 'write', pull_requests: 'write', statuses: 'write', checks: 'write' } as const;
  forge.tokens.set(TOKEN, { account: APP, permissions, repositories: [full] });
  repository.permissions.set('ada', 'write');
  repository.permissions.set('bob', 'read');
  await repository.git.commit('main', files(1));
  const timers = manualTimers();
  timers.skipPauses();
  const url = `${forge.url}/${full}`;
  const address = forgeAddress(url, undefined);
  if (address === undefined) throw new Error(`${url} is no address of a forge`);
  const open: ForgeSite['open'] = ({ credential, limits } = {}) =>
    openGithub({
      address,
      credential: credential ?? { kind: 'token', token: TOKEN, from: 'TRANCHE_FORGE_TOKEN' },
      network: plainNetwork,
      clock: { now: () => forge.now, sleep: async () => undefined },
      timers,
      limits: { ...forgeLimits, ...limits },
      userAgent: 'tranche-test',
    });
  const branch: ForgeSite['branch'] = async (at = BRANCH, replicas = 2) => {
    await repository.git.git('update-ref', `refs/heads/${at}`, 'refs/heads/main');
    const head = await repository.git.commit(at, files(replicas));
    return {
      branch: at,
      head,
      base: 'main',
      title: `step to ${replicas}`,
      body: 'Why.\n',
    };
  };
  return { forge, repository, timers, port: open(), open, branch, url };
}

/** The value of an answer that must be there. */
export function value<T>(answer: Answer<T>): T {
  if (answer.kind === 'done') return answer.value;
  throw new Error(answer.kind === 'deferred' ? answer.why : `${answer.refusal}: ${answer.said}. ${answer.advice}`);
}
