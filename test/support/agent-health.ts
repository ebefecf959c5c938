/**
 * What Argo CD and Flux say of LeaderWorkerSets, by the files that we ship for them: recorded of test/agent-health, which
 * runs the Lua interpreter of the one and the CEL of the other. With AGENT_HEALTH=<that program> it is asked, and what it
 * says otherwise than recorded fails; UPDATE_GOLDEN=1 records.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { JsonObject } from '../../src/api/json.ts';

export type Health = { readonly status: string; readonly message: string; readonly flux: string };

const RECORDING = 'fixtures/agent-health.json';
const HEALTH_KEY = 'resource.customizations.health.leaderworkerset.x-k8s.io_LeaderWorkerSet';

/** The script of Argo CD, as its ConfigMap has it. */
export const lua: string = parse(readFileSync('policies/agents/argocd-health.yaml', 'utf8')).data[HEALTH_KEY];
/** The expression of Flux, as its Kustomization has it. */
export const current: string = parse(readFileSync('policies/agents/flux-health.yaml', 'utf8')).spec.healthCheckExprs[0]
  .current;

const keyOf = (object: JsonObject): string =>
  createHash('sha256')
    .update(JSON.stringify([lua, current, object]))
    .digest('hex')
    .slice(0, 16);

/** Of each of them. Throws where an answer is not recorded, as after an edit of either file. */
export function healthOf(objects: readonly JsonObject[]): readonly Health[] {
  const recorded: Record<string, Health> = JSON.parse(readFileSync(RECORDING, 'utf8'));
  const program = process.env['AGENT_HEALTH'] ?? '';
  if (program !== '') return asked(program, objects, recorded);
  return objects.map((object) => {
    const found = recorded[keyOf(object)];
    if (found === undefined)
      throw new Error('no answer is recorded: see the first lines of test/support/agent-health.ts');
    return found;
  });
}

function asked(program: string, objects: readonly JsonObject[], recorded: Record<string, Health>): readonly Health[] {
  const ran = spawnSync(program, { input: JSON.stringify({ lua, current, objects }), encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`${program} ended with ${ran.status}: ${ran.stderr}`);
  const answers: readonly Health[] = JSON.parse(ran.stdout);
  const all = Object.fromEntries(objects.map((object, at) => [keyOf(object), answers[at]]));
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(RECORDING, `${JSON.stringify(all, undefined, 2)}\n`);
  else if (JSON.stringify(all) !== JSON.stringify(recorded)) throw new Error(`${RECORDING} says otherwise`);
  return answers;
}
