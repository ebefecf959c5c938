/** Plays a change on the model: the stages until LWS does nothing more, and how it ends. */

import type { JsonObject } from '../../api/json.ts';
import { applyManifests, newObject } from '../../simulator/agent/agent.ts';
import { type Cluster, createCluster } from '../../simulator/cluster-model.ts';
import type { Modes } from '../../simulator/modes.ts';
import type { StatusBody } from '../../simulator/objects/status-body.ts';
import { predictStages, STAGES_MAX } from '../../simulator/scenario/stage-run.ts';
import type { Stage } from '../../simulator/scenario/stage-table.ts';

/**
 * `completed`: every group is on the newest version; `held`: the partition keeps the rest; `unchanged`: the change
 * moves nothing; `standing`: LWS waits for ever; `failing`: its reconciles fail, for the `fault` of the prediction;
 * `cut`: more stages than are shown.
 */
export type Outcome = 'completed' | 'held' | 'unchanged' | 'standing' | 'failing' | 'cut';

export type Prediction =
  | { readonly kind: 'refused'; readonly write: 'file' | 'change'; readonly status: StatusBody }
  | {
      readonly kind: 'stages';
      readonly stages: readonly Stage[];
      readonly outcome: Outcome;
      readonly fault: string | undefined;
    };

type Question = {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly modes: Modes;
  readonly readyOrder: readonly number[];
};

const AGENT = { manager: 'gitops', namespace: 'default' };
const START_SECONDS = 1_790_000_000;
/** Longer than any group of the first state needs: leaders, and then the workers that wait for them. */
const SETTLE_SECONDS = 60;

/** The rest before the change is the manifest as it stands, every group on it and ready. */
export function prediction({ before, after, modes, readyOrder }: Question): Prediction {
  const cluster = createCluster({ ...modes, nowSeconds: START_SECONDS, readiness: () => 1 });
  const refusal = refusedBy(cluster, before);
  if (refusal !== undefined) return { kind: 'refused', write: 'file', status: refusal };
  cluster.tick(SETTLE_SECONDS);
  const changeRefusal = refusedBy(cluster.fork(), after);
  if (changeRefusal !== undefined) return { kind: 'refused', write: 'change', status: changeRefusal };
  const metadata = newObject(before, AGENT.namespace)?.metadata;
  const name = { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' };
  let played = cluster;
  const stages = predictStages(cluster, name, {
    change: (copy) => {
      played = copy;
      applyManifests(copy.store, [after], AGENT);
    },
    next: (waiting) => readyOrder.find((group) => waiting.includes(group)) ?? waiting.at(-1),
  });
  const fault = played.lwsFault(name);
  return { kind: 'stages', stages, outcome: fault === undefined ? outcomeOf(stages) : 'failing', fault };
}

function refusedBy(cluster: Cluster, manifest: JsonObject): StatusBody | undefined {
  const answer = cluster.apply([manifest], AGENT.manager)[0]?.answer;
  return answer === undefined || answer.ok ? undefined : answer.status;
}

function outcomeOf(stages: readonly Stage[]): Outcome {
  const last = stages.at(-1);
  if (last === undefined || stages.length === 1) return 'unchanged';
  if (stages.length >= STAGES_MAX) return 'cut';
  if (last.groups.every((cell) => cell === 'updated')) return 'completed';
  const held = last.groups.every((cell, index) => cell === 'updated' || (cell === 'old' && index < last.partition));
  return held ? 'held' : 'standing';
}
