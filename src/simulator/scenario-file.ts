/** Scenario files: what happens to one LWS, event by event; the format of the recorded traces. */

import type { Issue, Parsed } from '../api/issue.ts';
import { isRecord, type Json, type JsonObject } from '../api/json.ts';
import type { Gate, LwsVersion } from './modes.ts';
import { count, objects, part, text } from './objects.ts';

export type Scenario = {
  readonly name: string;
  readonly lws: LwsVersion;
  readonly gate: Gate;
  /** Pods sit on nodes and take this long to end; undefined: they vanish when deleted. */
  readonly terminationSeconds: number | undefined;
  readonly initial: InitialLws;
  readonly events: readonly ScenarioEvent[];
};

/** The fields of the LWS at its creation, and by whom it is created: a server-side-apply manager, or a plain POST. */
export type InitialLws = {
  readonly replicas: number;
  readonly size: number;
  readonly template: string;
  readonly rolling: JsonObject;
  readonly startupPolicy: string;
  readonly restartPolicy: string;
  readonly claims: readonly JsonObject[];
  readonly createdBy: string;
};

/** `type` and the other keys as they stand in the file: the table in scenario.ts reads those that it needs. */
export type ScenarioEvent = { readonly type: string; readonly fields: JsonObject };

/** No recorded scenario has more, and a loop in a generated one should not run for ever. */
const EVENTS_MAX = 10_000;

/** Reads a scenario: `initial`, and `events` or the `steps` of a recorded trace. Text is parsed by the caller. */
export function parseScenario(file: string, raw: unknown): Parsed<Scenario> {
  const wrong = (path: string, message: string, hint: string): Parsed<Scenario> => {
    const issue: Issue = { file, line: 0, path, reason: 'BadScenario', message: `${path} ${message}`, hint };
    return { kind: 'wrong', issues: [issue] };
  };
  if (!isRecord(raw) || !isJsonRecord(raw)) return wrong('', 'is no object', 'Write a JSON object.');
  const initial = part(raw, 'initial');
  if (typeof initial['replicas'] !== 'number') {
    return wrong('initial.replicas', 'is missing, wanted the number of groups', 'Add it.');
  }
  const listed = objects(raw['events']);
  const events = listed.length > 0 ? listed : objects(raw['steps']).map((step) => part(step, 'event'));
  const bad = events.findIndex((event) => typeof event['type'] !== 'string');
  if (bad >= 0) return wrong(`events[${bad}].type`, 'is missing', 'Name what happens.');
  if (events.length > EVENTS_MAX) return wrong('events', `are more than ${EVENTS_MAX}`, 'Split the scenario.');
  const termination = raw['podsBoundToNodes'] === true ? count(raw['terminationMs'], 0) / 1000 : undefined;
  return {
    kind: 'ok',
    warnings: [],
    value: {
      name: text(raw['name']),
      lws: versionOf(text(raw['lws'], '0.10')),
      gate: raw['maxUnavailableGate'] === 'on' ? 'on' : 'off',
      terminationSeconds: termination,
      initial: initialLws(initial),
      events: events.map((event) => ({ type: text(event['type']), fields: event })),
    },
  };
}

/** The model of a version number: 0.9 changed what rollouts do, no later release has. */
export function versionOf(version: string): LwsVersion {
  const minor = Number(/^v?0\.(\d+)/.exec(version)?.[1] ?? '10');
  return minor < 9 ? '0.8' : '0.10';
}

function initialLws(initial: JsonObject): InitialLws {
  const rolling: Record<string, Json> = {};
  for (const key of ['partition', 'maxSurge', 'maxUnavailable']) {
    const value = initial[key];
    if (value !== undefined) rolling[key] = value;
  }
  return {
    replicas: count(initial['replicas'], 1),
    size: count(initial['size'], 1),
    template: text(initial['template'], 'A'),
    rolling,
    startupPolicy: text(initial['startupPolicy'], 'LeaderCreated'),
    restartPolicy: text(initial['restartPolicy'], 'RecreateGroupOnPodRestart'),
    claims: objects(initial['vct'] ?? initial['volumeClaimTemplates']),
    createdBy: text(initial['createdBy']),
  };
}

/** What `JSON.parse` made is JSON all the way down. */
function isJsonRecord(value: { readonly [key: string]: unknown }): value is JsonObject {
  return Object.values(value).every((entry) => typeof entry !== 'undefined' && typeof entry !== 'function');
}
