/** Two InferencePools of a Rollout in a RolloutPolicy: `{stable, canary}`, each with a picker that the user keeps. */

import type { FieldReader } from './field-reader.ts';
import type { JsonObject } from './json.ts';

export type InferencePools = {
  /** That of the user's own workload; `trafficRoutings[].service` has its name. */
  readonly stable: string;
  /** That of the second one: in blueGreen the pool of green. */
  readonly canary: string;
};

const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** What an editor may know of them. */
export const POOLS_SCHEMA: JsonObject = {
  type: 'object',
  additionalProperties: false,
  required: ['stable', 'canary'],
  properties: Object.fromEntries(['stable', 'canary'].map((key) => [key, { type: 'string', pattern: NAME.source }])),
};

/** Reads both names; undefined: not there, or a fault. */
export function readPools(spec: FieldReader, key: string): InferencePools | undefined {
  if (!spec.has(key)) return undefined;
  const before = spec.faults.length;
  const pools = spec.object(key);
  pools.allow(['stable', 'canary']);
  const [stable, canary] = [pools.text('stable'), pools.text('canary')];
  for (const [side, name] of [
    ['stable', stable],
    ['canary', canary],
  ] as const)
    if (name !== '' && !NAME.test(name))
      pools.fault(side, 'BadName', `is ${name}, wanted the name of an InferencePool`, 'Correct it.');
  if (stable !== '' && stable === canary)
    pools.fault('canary', 'BadName', 'is the same as stable, wanted a pool of its own', 'Name the other one.');
  return spec.faults.length > before ? undefined : { stable, canary };
}
