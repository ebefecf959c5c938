/** Scenario files: what happens to one LWS, event by event; the format of the recorded traces. */

import type { Issue, Parsed } from '../../api/issue.ts';
import { isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import type { Gate, LwsVersion } from '../modes.ts';
import { count, objects, part, text } from '../objects/objects.ts';
import { isLwsField } from './scenario-fields.ts';
import { isTemplateExtra } from './scenario-manifest.ts';

export type Scenario = {
  readonly name: string;
  readonly lws: LwsVersion;
  readonly gate: Gate;
  /** Pods sit on nodes and take this long to end; undefined: they vanish when deleted. */
  readonly terminationSeconds: number | undefined;
  /** The fields of the LWS at its creation, and `createdBy`: a server-side-apply manager instead of a plain POST. */
  readonly initial: JsonObject;
  readonly events: readonly ScenarioEvent[];
};

/** `type` and the other keys as they stand in the file: the table in scenario.ts reads those that it needs. */
export type ScenarioEvent = { readonly type: string; readonly fields: JsonObject };

/** No recorded scenario has more, and a loop in a generated one should not run for ever. */
const EVENTS_MAX = 10_000;
const WARNINGS_MAX = 50;

/** Keys of events that are no fields of the LWS. `from` and `controller` only say what is so anyway. */
const EVENT_KEYS: ReadonlySet<string> = new Set([
  'type',
  'group',
  'groups',
  'pod',
  'pods',
  'restartCount',
  'manager',
  'force',
  'omitReplicas',
  'omitRollout',
  'propagation',
  'ms',
  'from',
  'to',
  'controller',
]);

/**
 * Reads a scenario: `initial`, and `events` or the `steps` of a recorded trace. Text is parsed by the caller. What is
 * missing in `initial` has the API server's defaults; keys that the model does not know are warnings.
 */
export function parseScenario(file: string, raw: Json): Parsed<Scenario> {
  const issue = (path: string, message: string, hint: string): Issue => ({
    file,
    line: 0,
    path,
    reason: 'BadScenario',
    message: `${path} ${message}`,
    hint,
  });
  const wrong = (path: string, message: string, hint: string): Parsed<Scenario> => ({
    kind: 'wrong',
    issues: [issue(path, message, hint)],
  });
  if (!isJsonObject(raw)) return wrong('', 'is no object', 'Write a JSON object.');
  const given = raw['initial'];
  if (given !== undefined && !isJsonObject(given)) return wrong('initial', 'is no object', 'Write a JSON object.');
  const key = Array.isArray(raw['events']) ? 'events' : 'steps';
  if (!Array.isArray(raw[key])) return wrong('events', 'are missing, wanted a list', 'Say what happens, in order.');
  const modes = wrongModes(raw);
  if (modes !== undefined) return wrong(...modes);
  const list: readonly Json[] = raw[key];
  const none = list.findIndex((entry) => !isJsonObject(entry));
  if (none >= 0) return wrong(`${key}[${none}]`, 'is no object', 'Write {"type": …} with what happens.');
  const events = objects(list).map((entry) => (isJsonObject(entry['event']) ? entry['event'] : entry));
  const bad = events.findIndex((event) => typeof event['type'] !== 'string');
  if (bad >= 0) return wrong(`${key}[${bad}].type`, 'is missing', 'Name what happens.');
  if (events.length > EVENTS_MAX) return wrong(key, `are more than ${EVENTS_MAX}`, 'Split the scenario.');
  const initial = isJsonObject(given) ? given : {};
  const unknown = [
    ...unknownKeys(initial, (name) => isLwsField(name) || name === 'createdBy').map((name) => `initial.${name}`),
    ...events.flatMap((event, at) =>
      unknownKeys(event, (name) => isLwsField(name) || EVENT_KEYS.has(name)).map((name) => `${key}[${at}].${name}`),
    ),
  ];
  return {
    kind: 'ok',
    warnings: unknown
      .slice(0, WARNINGS_MAX)
      .map((path) => issue(path, 'is no key that the model knows', 'Leave it out, or correct its spelling.')),
    value: {
      name: text(raw['name']),
      lws: versionOf(text(raw['lws'], '0.10')),
      gate: gateOf(raw['maxUnavailableGate']),
      terminationSeconds: raw['podsBoundToNodes'] === true ? count(raw['terminationMs'], 0) / 1000 : undefined,
      initial,
      events: events.map((event) => ({ type: text(event['type']), fields: event })),
    },
  };
}

/** As the recordings have it; of two, the second takes over by an event. */
const VERSION = /^v?0\.([6-9]|10)(\.\d+)?( then v?0\.([6-9]|10)(\.\d+)?)?$/;
const GATES: readonly Json[] = ['off', 'on', 'on-1.35', 'on-1.37', true, false];

/** A version that the model does not have, or a number, of which JSON keeps no last zero, would be taken for another one. */
function wrongModes(raw: JsonObject): readonly [path: string, message: string, hint: string] | undefined {
  const { lws = '0.10', maxUnavailableGate: gate = false } = raw;
  if (typeof lws !== 'string' || !VERSION.test(lws))
    return ['lws', `is ${JSON.stringify(lws)}, wanted "0.6" to "0.10" as text`, 'Write "0.10", with quotes.'];
  if (!GATES.includes(gate))
    return ['maxUnavailableGate', `is ${JSON.stringify(gate)}, wanted on, off or on-1.37`, 'Write "off".'];
  return undefined;
}

/** The model of a version number: 0.7 and 0.9 changed what rollouts do, no later release has. */
export function versionOf(version: string): LwsVersion {
  const minor = Number(/^v?0\.(\d+)/.exec(version)?.[1] ?? '10');
  if (minor < 7) return '0.6';
  return minor < 9 ? '0.8' : '0.10';
}

function gateOf(value: Json | undefined): Gate {
  if (value === 'on-1.37') return value;
  return value === 'on' || value === true || value === 'on-1.35' ? 'on' : 'off';
}

function unknownKeys(fields: JsonObject, isKnown: (key: string) => boolean): readonly string[] {
  const extras = Object.keys(part(fields, 'extra')).filter((key) => !isTemplateExtra(key));
  return [...Object.keys(fields).filter((key) => !isKnown(key)), ...extras.map((key) => `extra.${key}`)];
}
