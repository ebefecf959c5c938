/** Which fields of an LWS an event of a scenario names, and the part of the object that they make. */

import { isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import { SUBGROUP_TOPOLOGY, TOPOLOGY } from '../objects/labels.ts';
import { part, text } from '../objects/objects.ts';
import { podTemplate, podTemplates } from './scenario-manifest.ts';

type Place = readonly string[];

const ROLLING: Place = ['rolloutStrategy', 'rollingUpdateConfiguration'];
const TEMPLATE: Place = ['leaderWorkerTemplate'];

/** Where in `spec` the value of each key goes; whole parts before their fields. */
const places: Readonly<Record<string, Place>> = {
  rolloutStrategy: ['rolloutStrategy'],
  replicas: ['replicas'],
  startupPolicy: ['startupPolicy'],
  networkConfig: ['networkConfig'],
  subdomainPolicy: ['networkConfig', 'subdomainPolicy'],
  partition: [...ROLLING, 'partition'],
  maxSurge: [...ROLLING, 'maxSurge'],
  maxUnavailable: [...ROLLING, 'maxUnavailable'],
  size: [...TEMPLATE, 'size'],
  restartPolicy: [...TEMPLATE, 'restartPolicy'],
  volumeClaimTemplates: [...TEMPLATE, 'volumeClaimTemplates'],
  vct: [...TEMPLATE, 'volumeClaimTemplates'],
  persistentVolumeClaimRetentionPolicy: [...TEMPLATE, 'persistentVolumeClaimRetentionPolicy'],
  subGroupPolicy: [...TEMPLATE, 'subGroupPolicy'],
  subGroupSize: [...TEMPLATE, 'subGroupPolicy', 'subGroupSize'],
  subGroupPolicyType: [...TEMPLATE, 'subGroupPolicy', 'subGroupPolicyType'],
};

/** Annotations of the LWS that have a short name here. */
const topologies: Readonly<Record<string, string>> = {
  exclusiveTopology: TOPOLOGY,
  subGroupExclusiveTopology: SUBGROUP_TOPOLOGY,
};

/** Keys that are read in addition to those above. */
const others = ['template', 'leaderTemplate', 'workerTemplate', 'extra', 'metadata', 'labels', 'annotations'];

/** The keys of an event or of `initial` that say something about the LWS. */
export function isLwsField(key: string): boolean {
  return Object.hasOwn(places, key) || Object.hasOwn(topologies, key) || others.includes(key);
}

/** `spec` and `metadata` of these fields, and nothing else; `letter` is the template's where `extra` comes alone. */
export function lwsFields(
  fields: JsonObject,
  letter: string,
): { readonly spec: JsonObject; readonly metadata: JsonObject } {
  let spec: JsonObject = {};
  for (const [key, place] of Object.entries(places)) {
    const value = fields[key];
    if (value !== undefined) spec = placed(spec, place, value);
  }
  for (const [key, value] of Object.entries(templatesOf(fields, letter)))
    spec = placed(spec, [...TEMPLATE, key], value);
  return { spec, metadata: metadataOf(fields) };
}

/** Letters stand for whole pod templates; an object in their place is one. */
function templatesOf(fields: JsonObject, letter: string): JsonObject {
  const extra = part(fields, 'extra');
  const both = fields['template'] !== undefined || fields['extra'] !== undefined;
  const made: Record<string, Json> = both ? { ...podTemplates(text(fields['template'], letter), extra) } : {};
  for (const role of ['leader', 'worker'] as const) {
    const own = fields[`${role}Template`];
    if (own !== undefined) made[`${role}Template`] = typeof own === 'string' ? podTemplate(own, role, extra) : own;
  }
  return made;
}

function metadataOf(fields: JsonObject): JsonObject {
  const metadata = part(fields, 'metadata');
  const annotations: Record<string, Json> = { ...part(metadata, 'annotations'), ...part(fields, 'annotations') };
  for (const [key, annotation] of Object.entries(topologies)) {
    const value = fields[key];
    if (value !== undefined) annotations[annotation] = value;
  }
  const labels = { ...part(metadata, 'labels'), ...part(fields, 'labels') };
  return {
    ...metadata,
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

/** Unlike a merge patch this keeps `null`: in an event it says that a field is to go. */
function placed(root: JsonObject, [key, ...rest]: Place, value: Json): JsonObject {
  if (key === undefined) return root;
  const before = root[key];
  if (rest.length > 0) return { ...root, [key]: placed(isJsonObject(before) ? before : {}, rest, value) };
  return { ...root, [key]: isJsonObject(before) && isJsonObject(value) ? { ...before, ...value } : value };
}
