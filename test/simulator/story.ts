/** Scenarios in one line a step, for tables: what happened, and what the LWS and its groups look like then. */

import type { JsonObject } from '../../src/api/json.ts';
import type { Gate, LwsVersion } from '../../src/simulator/modes.ts';
import { runScenario, type ScenarioStep } from '../../src/simulator/scenario/scenario.ts';

export type Story = {
  readonly lws?: LwsVersion;
  readonly gate?: Gate;
  /** N, P, U, S and other fields of the creation; the groups are made ready first. */
  readonly start: {
    readonly N: number;
    readonly P: number;
    readonly U?: number;
    readonly S?: number;
    readonly more?: JsonObject;
  };
  /** Pods sit on nodes and need half a second to end. */
  readonly bound?: boolean;
  readonly events: readonly JsonObject[];
};

/** `3/4 | 0:A+ 1:A+ 2:A+ 3:B- | r3 u1 | UpPr | A`: the notation of the reference's golden traces. */
export function told(step: ScenarioStep): string {
  const { lws, sts, groups } = step;
  const set = sts === null ? '-' : `${Number(sts['partition'])}/${Number(sts['replicas'])}`;
  const cells = groups.map(
    (group) => `${Number(group['index'])}:${group['revision'] as string}${isReady(group) ? '+' : '-'}`,
  );
  const conditions = lws['conditions'] as Readonly<Record<string, string>>;
  const names = { UpdateInProgress: 'Up', Progressing: 'Pr', Available: 'Av' };
  const held = Object.entries(names)
    .filter(([type]) => conditions[type] === 'True')
    .map(([, short]) => short);
  const counters = `r${Number(lws['readyReplicas'])} u${Number(lws['updatedReplicas'])}`;
  return [set, cells.join(' '), counters, held.join('')].join(' | ').replace('  ', ' ');
}

/** The states after each event; the start is left out. */
export function tell(story: Story): readonly ScenarioStep[] {
  const { N, P, U = 1, S = 0, more = {} } = story.start;
  const steps = runScenario({
    name: 'story',
    lws: story.lws ?? '0.10',
    gate: story.gate ?? 'off',
    terminationSeconds: story.bound === true ? 0.5 : undefined,
    initial: {
      replicas: N,
      size: 2,
      template: 'A',
      partition: P,
      maxUnavailable: U,
      maxSurge: S,
      ...more,
    },
    events: [{ type: 'create' }, { type: 'readyAll' }, ...story.events].map((fields) => ({
      type: fields['type'] as string,
      fields,
    })),
  });
  return steps.slice(2);
}

export function patch(fields: JsonObject): JsonObject {
  return { type: 'patch', ...fields };
}

export function ready(...groups: readonly number[]): JsonObject {
  return { type: 'ready', group: groups };
}

function isReady(group: JsonObject): boolean {
  const workers = group['workers'] as Readonly<Record<string, unknown>>;
  return group['leaderReady'] === true && (workers['want'] === null || workers['ready'] === workers['want']);
}
