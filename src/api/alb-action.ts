/** The action of AWS's load balancer controller: JSON in an annotation of an Ingress, which names target groups. */

import { isBoundedJson } from './bounded-json.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';

export type TargetGroup = {
  /** Empty: no Service, but a group of AWS by its own name. */
  readonly service: string;
  readonly port: number | string | undefined;
  readonly weight: number | undefined;
  readonly json: JsonObject;
};

export type AlbAction = {
  readonly groups: readonly TargetGroup[];
  readonly sticky: boolean;
  /** The same action with other groups. */
  readonly withGroups: (groups: readonly JsonObject[]) => JsonObject;
};

/** The action in the text; undefined: it forwards to no list of groups, or is no JSON. The controller reads keys in either case. */
export function parseAlbAction(text: string): AlbAction | undefined {
  const action = parseJson(text);
  if (!isJsonObject(action)) return undefined;
  const forward = entry(action, 'forwardConfig');
  const config = forward?.value;
  if (forward === undefined || !isJsonObject(config)) return undefined;
  const list = entry(config, 'targetGroups');
  if (list === undefined || !Array.isArray(list.value)) return undefined;
  const groups = list.value.filter((item: Json) => isJsonObject(item));
  const stickiness = entry(config, 'targetGroupStickinessConfig')?.value;
  return {
    groups: groups.map(readGroup),
    sticky: isJsonObject(stickiness) && entry(stickiness, 'enabled')?.value === true,
    withGroups: (next) => ({ ...action, [forward.key]: { ...config, [list.key]: next } }),
  };
}

/** undefined: no JSON, or more of it than anybody writes. */
export function parseJson(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isBoundedJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readGroup(json: JsonObject): TargetGroup {
  const [service, port, weight] = ['serviceName', 'servicePort', 'weight'].map((key) => entry(json, key)?.value);
  return {
    service: typeof service === 'string' ? service : '',
    port:
      typeof port === 'string' && /^[0-9]{1,5}$/.test(port)
        ? Number(port)
        : typeof port === 'number' || typeof port === 'string'
          ? port
          : undefined,
    weight: typeof weight === 'number' ? weight : undefined,
    json,
  };
}

/** A group with other values, under the keys that it has; a new key is spelled like those next to it. */
export function withValues(json: JsonObject, values: Readonly<Record<string, Json | undefined>>): JsonObject {
  const isUpper = Object.keys(json).some((key) => /^[A-Z]/.test(key));
  const entries = new Map(Object.entries(json));
  for (const [name, value] of Object.entries(values)) {
    const key = entry(json, name)?.key ?? (isUpper ? name.slice(0, 1).toUpperCase() + name.slice(1) : name);
    if (value === undefined) entries.delete(key);
    else entries.set(key, value);
  }
  return Object.fromEntries(entries);
}

function entry(json: JsonObject, name: string): { readonly key: string; readonly value: Json } | undefined {
  const key = Object.keys(json).find((one) => one.toLowerCase() === name.toLowerCase());
  const value = key === undefined ? undefined : json[key];
  return key === undefined || value === undefined ? undefined : { key, value };
}
