/** Runs a scenario file on the model, and shows the settled state after each event. */

import { isBoundedJson, JSON_DEPTH_MAX, JSON_NODES_MAX } from '../../api/bounded-json.ts';
import { issueLine } from '../../api/issue-line.ts';
import { isJsonObject, isRecord, type Json, type JsonObject } from '../../api/json.ts';
import { UsageError } from '../../options.ts';
import type { LwsVersion } from '../../simulator/modes.ts';
import { isScenarioEvent, runScenario, type ScenarioStep, scenarioEvents } from '../../simulator/scenario/scenario.ts';
import { parseScenario, type Scenario } from '../../simulator/scenario/scenario-file.ts';
import { SCENARIO_LWS } from '../../simulator/scenario/scenario-manifest.ts';
import { alignedTable } from './aligned.ts';
import type { AskedScenario } from './asked.ts';
import { GROUPS_MAX, PODS_MAX, REPLICAS_MAX } from './limits.ts';

/**
 * The report of a scenario: as JSON in the shape of the recorded traces, every group written out. Warnings name keys
 * that have no effect.
 */
export function scenarioReport(
  asked: AskedScenario,
  text: string,
): { readonly text: string; readonly warnings: readonly string[] } {
  const raw = jsonOf(asked.file, text);
  const parsed = parseScenario(asked.file, raw);
  if (parsed.kind === 'wrong') throw new UsageError(parsed.issues.map(issueLine).join('\nerror: '));
  const { value } = parsed;
  const scenario = { ...value, lws: asked.lws ?? value.lws, gate: asked.gate ?? value.gate };
  checkEvents(asked.file, raw, scenario);
  const faults: (string | undefined)[] = [];
  const steps = runScenario(scenario, (cluster) => faults.push(cluster.lwsFault(SCENARIO_LWS)));
  const run = { scenario, steps, faults };
  return {
    text: asked.output === 'json' ? scenarioJson(asked, raw, run) : scenarioText(run),
    warnings: parsed.warnings.map(issueLine),
  };
}

function jsonOf(file: string, text: string): JsonObject {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file}${placeOf(text, error)}: is no JSON: ${error instanceof Error ? error.message : ''}`);
  }
  if (isBoundedJson(raw) && isJsonObject(raw)) return raw;
  throw new UsageError(
    isRecord(raw)
      ? `${file}: more than ${JSON_NODES_MAX} values, or deeper than ${JSON_DEPTH_MAX}: split the scenario`
      : `${file}: no scenario, wanted a JSON object with initial and events`,
  );
}

/** `:line` of a syntax error, from the offset that Node's message names; empty where it names none. */
function placeOf(text: string, error: unknown): string {
  const offset = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
  return offset === undefined ? '' : `:${text.slice(0, Number(offset)).split('\n').length}`;
}

function checkEvents(file: string, raw: JsonObject, scenario: Scenario): void {
  const key = Array.isArray(raw['events']) ? 'events' : 'steps';
  for (const [at, { type }] of scenario.events.entries()) {
    if (isScenarioEvent(type)) continue;
    throw new UsageError(`${file}: ${key}[${at}]: unknown event ${type}, wanted one of ${scenarioEvents().join(', ')}`);
  }
  const sizes = [scenario.initial, ...scenario.events.map(({ fields }) => fields)];
  const most = (field: 'replicas' | 'size'): number =>
    Math.max(1, ...sizes.map((fields) => accepted(Number(fields[field] ?? 0), scenario.lws)));
  if (most('replicas') <= GROUPS_MAX && most('replicas') * most('size') <= PODS_MAX) return;
  throw new UsageError(
    `${file}: ${most('replicas')} groups of ${most('size')} pods, the limits are ${GROUPS_MAX} groups and ${PODS_MAX} pods`,
  );
}

/** What the API server refuses creates no pods, and is a thing to try. The upper bound came with 0.10. */
function accepted(value: number, lws: LwsVersion): number {
  return Number.isInteger(value) && !(lws === '0.10' && value > REPLICAS_MAX) ? value : 0;
}

type Run = {
  readonly scenario: Scenario;
  readonly steps: readonly ScenarioStep[];
  /** After each step, why LWS fails with every reconcile; undefined where it does not. */
  readonly faults: readonly (string | undefined)[];
};

function scenarioJson(asked: AskedScenario, raw: JsonObject, { scenario, steps }: Run): string {
  const kept: Record<string, Json> = {};
  for (const key of ['name', 'description', 'initial', 'podsBoundToNodes', 'terminationMs']) {
    const value = raw[key];
    if (value !== undefined) kept[key] = value;
  }
  const lws = asked.lws ?? raw['lws'] ?? scenario.lws;
  return `${JSON.stringify({ ...kept, lws, maxUnavailableGate: scenario.gate, steps }, undefined, 1)}\n`;
}

function scenarioText({ scenario, steps, faults }: Run): string {
  const rows = steps.map((step, at) => [
    String(at + 1),
    eventText(step.event),
    `${short(step.sts?.['partition'])}/${short(step.sts?.['replicas'])}`,
    short(step.lws['readyReplicas']),
    short(step.lws['updatedReplicas']),
    [...step.groups.map(groupText), ...refusal(step.rejected), ...failure(faults, at)].join(' '),
  ]);
  const heading = `${scenario.name}: LWS ${scenario.lws}, MaxUnavailableStatefulSet ${scenario.gate}`;
  const table = alignedTable(
    [
      { title: '', align: 'right' },
      { title: 'Event', align: 'left' },
      { title: 'P/N', align: 'right' },
      { title: 'Ready', align: 'right' },
      { title: 'Updated', align: 'right' },
      { title: 'Groups', align: 'left' },
    ],
    rows,
  );
  return `${heading}\n\n${table}\nP/N: of the leader StatefulSet. ● ready  ~ not ready\n`;
}

function eventText(event: JsonObject): string {
  const { type, ...fields } = event;
  const words = Object.entries(fields).map(([key, value]) => `${key}=${short(value)}`);
  return [short(type), ...words].join(' ');
}

function short(value: Json | undefined): string {
  return typeof value === 'string' ? value : value === undefined ? '-' : JSON.stringify(value);
}

function groupText(group: JsonObject): string {
  const workers = isJsonObject(group['workers']) ? group['workers'] : {};
  const ready = group['leaderReady'] === true && workers['ready'] === (workers['want'] ?? workers['ready']);
  return `${short(group['index'])}:${short(group['revision'])}${ready ? '●' : '~'}`;
}

function refusal(rejected: JsonObject | undefined): readonly string[] {
  return rejected === undefined ? [] : [`refused: ${short(rejected['message'])}`];
}

/** Said in full once: what is written while LWS fails has no effect, however it looks in the object. */
function failure(faults: readonly (string | undefined)[], at: number): readonly string[] {
  const fault = faults[at];
  if (fault === undefined) return [];
  return [fault === faults[at - 1] ? 'LWS fails as before' : `LWS fails, and applies nothing of this: ${fault}`];
}
