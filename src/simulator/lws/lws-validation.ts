/** What the CRD schema and LWS's validating webhook refuse, in their own words. */

import { isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import type { LwsVersion } from '../modes.ts';
import { part, specOf, text } from '../objects/objects.ts';
import { type Cause, deniedByWebhook, invalid, type StatusBody, undecodable } from '../objects/status-body.ts';
import { resolved } from './lws-view.ts';

const WEBHOOK = 'vleaderworkerset.kb.io';
const REPLICAS_MAX = 1_000_000;
const INT32_MAX = 2_147_483_647;
const DNS_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const DNS_1035_MESSAGE =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, " +
  "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is " +
  "'[a-z]([-a-z0-9]*[a-z0-9])?')";
const ROLLING = 'spec.rolloutStrategy.rollingUpdateConfiguration';

type Request = { readonly before: JsonObject | undefined; readonly after: JsonObject; readonly lws: LwsVersion };

/** Why a defaulted LeaderWorkerSet is refused: decoding (400), schema (422), webhook (403), in the server's order. */
export function lwsFaults(request: Request): StatusBody | undefined {
  const decoding = notDecodable(request.after);
  if (decoding !== undefined) return undecodable('mleaderworkerset.kb.io', decoding);
  const schema = schemaRefusal(request.after, request.lws);
  if (schema !== undefined) return schema;
  const faults = webhookFaults(request, nameOf(request.after));
  if (faults.length === 0) return undefined;
  return deniedByWebhook(WEBHOOK, faults.length === 1 ? `${faults[0]}` : `[${faults.join(', ')}]`);
}

/** What the schema of the CRD alone refuses: all that is asked where the webhooks are not, as of a scale. */
export function schemaRefusal(object: JsonObject, lws: LwsVersion): StatusBody | undefined {
  const causes = schemaFaults(object, lws);
  if (causes.length === 0) return undefined;
  return invalid({ group: 'leaderworkerset.x-k8s.io', kind: 'LeaderWorkerSet', name: nameOf(object) }, causes);
}

function nameOf(object: JsonObject): string {
  return text(part(object, 'metadata')['name']);
}

function notDecodable(object: JsonObject): string | undefined {
  const rolling = part(part(specOf(object), 'rolloutStrategy'), 'rollingUpdateConfiguration');
  const fields: readonly [Json | undefined, string, string][] = [
    [rolling['partition'] ?? 0, 'RollingUpdateConfiguration', `${ROLLING}.partition`],
    [specOf(object)['replicas'], 'LeaderWorkerSetSpec', 'spec.replicas'],
    [part(specOf(object), 'leaderWorkerTemplate')['size'], 'LeaderWorkerTemplate', 'spec.leaderWorkerTemplate.size'],
  ];
  for (const [value, struct, path] of fields) {
    if (typeof value === 'number' && Number.isInteger(value)) continue;
    const type = typeof value === 'boolean' ? 'bool' : Array.isArray(value) ? 'array' : typeof value;
    return `json: cannot unmarshal ${type} into Go struct field ${struct}.${path} of type int32`;
  }
  return undefined;
}

function schemaFaults(object: JsonObject, lws: LwsVersion): readonly Cause[] {
  const spec = specOf(object);
  const template = part(spec, 'leaderWorkerTemplate');
  const causes: Cause[] = [];
  const replicas = Number(spec['replicas']);
  if (replicas < 0) {
    causes.push(badValue('spec.replicas', replicas, 'spec.replicas in body should be greater than or equal to 0'));
    causes.push(badValue('.spec.replicas', replicas, 'should be a non-negative integer'));
  }
  if (lws === '0.10' && replicas > REPLICAS_MAX) {
    causes.push(
      badValue('spec.replicas', replicas, `spec.replicas in body should be less than or equal to ${REPLICAS_MAX}`),
    );
  }
  if (!isJsonObject(template['workerTemplate'])) {
    causes.push({
      reason: 'FieldValueRequired',
      message: 'Required value',
      field: 'spec.leaderWorkerTemplate.workerTemplate',
    });
  }
  const policies = ['Default', 'RecreateGroupOnPodRestart', 'RecreateGroupAfterStart', 'None'];
  causes.push(
    ...unsupported(
      'spec.leaderWorkerTemplate.restartPolicy',
      template['restartPolicy'],
      lws === '0.10' ? policies : policies.filter((policy) => policy !== 'RecreateGroupAfterStart'),
    ),
    ...unsupported('spec.rolloutStrategy.type', part(spec, 'rolloutStrategy')['type'], ['RollingUpdate']),
    ...unsupported('spec.startupPolicy', spec['startupPolicy'], ['LeaderCreated', 'LeaderReady']),
  );
  return causes;
}

function badValue(field: string, value: number, message: string): Cause {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${value}: ${message}`, field };
}

function unsupported(field: string, value: Json | undefined, allowed: readonly string[]): readonly Cause[] {
  if (typeof value === 'string' && allowed.includes(value)) return [];
  const list = allowed.map((name) => `"${name}"`).join(', ');
  const message = `Unsupported value: ${JSON.stringify(value ?? '')}: supported values: ${list}`;
  return [{ reason: 'FieldValueNotSupported', message, field }];
}

function webhookFaults({ before, after, lws }: Request, name: string): readonly string[] {
  const spec = specOf(after);
  const replicas = Number(spec['replicas']);
  const size = Number(part(spec, 'leaderWorkerTemplate')['size']);
  const faults: string[] = [];
  if (!DNS_1035.test(name) || name.length > 63) faults.push(wrong('metadata.name', name, DNS_1035_MESSAGE));
  if (size < 1) {
    faults.push(wrong('spec.leaderWorkerTemplate.size', size, 'size must be equal or greater than 1'));
  }
  if (replicas * size > INT32_MAX) {
    faults.push(
      wrong('spec.replicas', replicas, `the product of replicas and worker replicas must not exceed ${INT32_MAX}`),
    );
  }
  faults.push(...rollingFaults(part(part(spec, 'rolloutStrategy'), 'rollingUpdateConfiguration'), replicas));
  if (lws === '0.6') faults.push(...sizeFaults(before, size));
  faults.push(...subGroupFaults(before, after, size));
  return faults;
}

function rollingFaults(rolling: JsonObject, replicas: number): readonly string[] {
  const faults: string[] = [];
  for (const key of ['maxUnavailable', 'maxSurge']) {
    const value = rolling[key];
    const field = `${ROLLING}.${key}`;
    if (typeof value === 'number') {
      if (value < 0) faults.push(wrong(field, value, 'must be greater than or equal to 0'));
    } else if (typeof value !== 'string' || !/^[0-9]+%$/.test(value)) {
      const message =
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex " +
        "used for validation is '[0-9]+%')";
      faults.push(wrong(field, value ?? '', message));
    } else if (Number(value.slice(0, -1)) > 100) faults.push(wrong(field, value, 'must not be greater than 100%'));
  }
  const partition = rolling['partition'] ?? 0;
  if (Number(partition) < 0)
    faults.push(wrong(`${ROLLING}.partition`, partition, 'must be greater than or equal to 0'));
  if (faults.length > 0) return faults;
  const unavailable = resolved(rolling['maxUnavailable'], replicas, 'down');
  const surge = resolved(rolling['maxSurge'], replicas, 'up');
  // A percentage that rounds to 0 after a scale-down refuses every later write, even of a label (trace 26).
  if (replicas !== 0 && unavailable === 0 && surge === 0) {
    faults.push(
      wrong(`${ROLLING}.maxUnavailable`, rolling['maxUnavailable'] ?? 0, 'must not be 0 when `maxSurge` is 0'),
    );
  }
  return faults;
}

/** Until 0.7 the size of the groups was fixed at creation (KEP-552). */
function sizeFaults(before: JsonObject | undefined, size: number): readonly string[] {
  if (before === undefined || part(specOf(before), 'leaderWorkerTemplate')['size'] === size) return [];
  return [wrong('spec.leaderWorkerTemplate.size', size, 'field is immutable')];
}

function subGroupFaults(before: JsonObject | undefined, after: JsonObject, size: number): readonly string[] {
  const field = 'spec.leaderWorkerTemplate.SubGroupPolicy.subGroupSize';
  const wanted = subGroupSize(after);
  if (before !== undefined) {
    const had = subGroupSize(before);
    if (had === undefined && wanted !== undefined) {
      return [wrong(field, wanted, 'cannot enable subGroupSize after the lws is already created')];
    }
    if (had !== undefined && wanted === undefined) {
      return [wrong(field, null, 'cannot remove subGroupSize after enabled')];
    }
    if (wanted !== undefined && wanted !== had) return [wrong(field, wanted, 'field is immutable')];
  }
  if (typeof wanted !== 'number') return [];
  if (wanted < 1) return [wrong(field, wanted, 'subGroupSize must be equal or greater than 1')];
  if (wanted > size) return [wrong(field, wanted, 'subGroupSize cannot be larger than size')];
  if (size % wanted !== 0 && (size - 1) % wanted !== 0) {
    return [wrong(field, wanted, 'size or size - 1 must be divisible by subGroupSize')];
  }
  return [];
}

function subGroupSize(object: JsonObject): Json | undefined {
  return part(part(specOf(object), 'leaderWorkerTemplate'), 'subGroupPolicy')['subGroupSize'];
}

function wrong(field: string, value: Json, message: string): string {
  return `${field}: Invalid value: ${JSON.stringify(value)}: ${message}`;
}
