/** Parses a ControllerRevision that LWS wrote: which template a key stands for. */

import { isJsonObject, type Json } from './json.ts';
import type { Known } from './known.ts';
import type { LiveRevision } from './live.ts';
import { type Fields, fieldsOf } from './live-fields.ts';
import { REVISION_KEY } from './lws-labels.ts';
import { releaseContent } from './release-content.ts';
import { versionIn } from './version-label.ts';

/**
 * What we read of a ControllerRevision owned by an LWS; those of StatefulSets carry the same labels, so filter by
 * owner first. `content` is `.data.spec` without the `$patch` marks that LWS adds for its own merge.
 */
export function parseRevision(object: unknown): Known<LiveRevision> {
  const fields = fieldsOf('controllerrevisions', object);
  const template = part(fields, 'leaderWorkerTemplate');
  const network = part(fields, 'networkConfig');
  if (template === undefined) fields.wrong(['data', 'spec', 'leaderWorkerTemplate'], 'an object');
  const version = template === undefined ? undefined : versionIn({ spec: { leaderWorkerTemplate: template } });
  return fields.end({
    name: fields.text(['metadata', 'name']),
    key: fields.text(['metadata', 'labels', REVISION_KEY]),
    revision: fields.count(['revision']),
    content: releaseContent({
      spec: {
        ...(template === undefined ? {} : { leaderWorkerTemplate: template }),
        ...(network === undefined ? {} : { networkConfig: network }),
      },
    }),
    ...(version === undefined ? {} : { version }),
  });
}

function part(fields: Fields, key: string): Json | undefined {
  const value = fields.json(['data', 'spec', key]);
  if (!isJsonObject(value)) return undefined;
  const { $patch: _, ...rest } = value;
  return rest;
}
