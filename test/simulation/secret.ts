/** What nobody but the processes may ever read: their key and their tokens, and what a webhook puts into live pods. */

import { isRecord } from '../../src/api/json.ts';
import type { Cluster } from '../../src/ports/cluster.ts';
import type { Forge } from '../../src/ports/forge.ts';
import { privateHalf } from '../support/status-key.ts';

/** Without its name in front, as somebody may write it elsewhere. */
const KEY = privateHalf().slice(-43);
/** Whoever lists pods sees what a Secret has become in their environment. */
const TOKEN = 'hf_8c1f0planted7d2e';

/** What the processes send to the Git server, to the forge, and to a target of notifications. */
export const GIT_TOKEN = 'ghs-git-9c41planted';
export const FORGE_TOKEN = 'ghs-forge-5e07planted';
export const NOTIFY_TOKEN = 'notify-3b82-planted';
const SENT = [GIT_TOKEN, FORGE_TOKEN, NOTIFY_TOKEN, NOTIFY_TOKEN.toUpperCase()];
const SECRETS = [
  KEY,
  TOKEN,
  ...SENT,
  ...SENT.map((token) => Buffer.from(`x-access-token:${token}`).toString('base64')),
];
/** What a reader does not see, and what a text of JSON has in its place. */
// oxlint-disable-next-line no-control-regex -- what a terminal does not show
const UNSEEN = /\u001b\[31m|\\u001b\[31m|[\u202e\s]/g;

export function isSecret(text: string): boolean {
  const shown = text.includes('planted') || text.includes('ghs-') ? text.replace(UNSEEN, '') : text;
  return SECRETS.some((secret) => text.includes(secret) || shown.includes(secret));
}

/** The same cluster, where a webhook gives each live pod a token that no file has. */
export function withTokens(cluster: Cluster): Cluster {
  return {
    list: (resource, options, take) =>
      cluster.list(resource, options, (object) => take(resource.plural === 'pods' ? withToken(object) : object)),
  };
}

/** The same forge; `hear` gets all that each call hands over: titles, bodies, comments, checks. */
export function overheard(forge: Forge, hear: (call: string) => void): Forge {
  return new Proxy(forge, {
    get: (target, name): unknown => {
      const call: unknown = Reflect.get(target, name);
      if (typeof call !== 'function') return call;
      return (...given: readonly unknown[]): unknown => {
        hear(`${String(name)} ${JSON.stringify(given)}`);
        return Reflect.apply(call, target, given);
      };
    },
  });
}

function withToken(pod: unknown): unknown {
  if (!isRecord(pod)) return pod;
  const { spec, metadata } = pod;
  const containers = isRecord(spec) && Array.isArray(spec['containers']) ? spec['containers'] : [];
  const env = [{ name: 'HF_TOKEN', value: TOKEN }];
  const given = containers.map((one: unknown) => (isRecord(one) ? { ...one, env } : one));
  const annotations = { 'vault.example/token': TOKEN };
  return {
    ...pod,
    metadata: { ...(isRecord(metadata) ? metadata : {}), annotations },
    spec: { ...(isRecord(spec) ? spec : {}), containers: given },
  };
}
