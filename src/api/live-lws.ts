/** Parses a LeaderWorkerSet as the API server returns it. */

import { agentsOf, controllerOf, lastWritten, writersOf } from './field-writers.ts';
import type { JsonObject } from './json.ts';
import type { Known } from './known.ts';
import type { LiveLws } from './live.ts';
import { type Fields, fieldsOf } from './live-fields.ts';
import { EXCLUSIVE_TOPOLOGY, releaseContent } from './release-content.ts';
import { versionIn } from './version-label.ts';

const CONDITIONS_MAX = 50;
const ROLLING = ['spec', 'rolloutStrategy', 'rollingUpdateConfiguration'] as const;

/**
 * What we read of a LeaderWorkerSet. Missing fields get the defaults of its CRD and webhook (replicas 1, size 1,
 * maxUnavailable 1, maxSurge 0, partition 0); a field of a wrong type makes the object `unknown`, with the field's path.
 */
export function parseLws(object: unknown): Known<LiveLws> {
  const fields = fieldsOf('leaderworkersets', object);
  return fields.end({
    uid: fields.text(['metadata', 'uid']),
    generation: fields.count(['metadata', 'generation']),
    observedGeneration: fields.countIfAny(['status', 'observedGeneration']),
    deleting: fields.has(['metadata', 'deletionTimestamp']),
    replicas: fields.count(['spec', 'replicas'], 1),
    size: fields.count(['spec', 'leaderWorkerTemplate', 'size'], 1),
    partition: fields.count([...ROLLING, 'partition'], 0),
    maxUnavailable: fields.countOrPercent([...ROLLING, 'maxUnavailable'], 1),
    maxSurge: fields.countOrPercent([...ROLLING, 'maxSurge'], 0),
    content: contentOf(fields),
    ...versionOf(fields),
    annotations: fields.texts(['metadata', 'annotations'], 'tranche.dev/'),
    writers: {
      replicas: writersOf(object, ['spec', 'replicas']),
      partition: writersOf(object, [...ROLLING, 'partition']),
      maxUnavailable: writersOf(object, [...ROLLING, 'maxUnavailable']),
      maxSurge: writersOf(object, [...ROLLING, 'maxSurge']),
    },
    writtenAt: lastWritten(object),
    agents: agentsOf(object),
    owner: controllerOf(object),
    conditions: fields.list(['status', 'conditions'], CONDITIONS_MAX).map((condition) => ({
      type: condition.text(['type']),
      status: condition.text(['status']),
      observedGeneration: condition.countIfAny(['observedGeneration']),
    })),
    readyReplicas: fields.count(['status', 'readyReplicas'], 0),
    updatedReplicas: fields.count(['status', 'updatedReplicas'], 0),
  });
}

function versionOf(fields: Fields): Pick<LiveLws, 'version'> {
  const template = fields.json(['spec', 'leaderWorkerTemplate']);
  const version = template === undefined ? undefined : versionIn({ spec: { leaderWorkerTemplate: template } });
  return version === undefined ? {} : { version };
}

function contentOf(fields: Fields): JsonObject {
  const template = fields.json(['spec', 'leaderWorkerTemplate']);
  const network = fields.json(['spec', 'networkConfig']);
  if (template === undefined) fields.wrong(['spec', 'leaderWorkerTemplate'], 'an object');
  return releaseContent({
    metadata: { annotations: fields.texts(['metadata', 'annotations'], EXCLUSIVE_TOPOLOGY) },
    spec: {
      ...(template === undefined ? {} : { leaderWorkerTemplate: template }),
      ...(network === undefined ? {} : { networkConfig: network }),
    },
  });
}
