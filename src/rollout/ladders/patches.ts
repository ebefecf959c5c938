/** What `patchPodTemplateMetadata` puts on the leaders of the second workload, taken away again. */

import { at, isJsonObject, isRecord, type JsonObject } from '../../api/json.ts';
import type { Delivery } from './delivery.ts';

/** Its content without the labels and annotations that `patchPodTemplateMetadata` puts on leaders. */
export function unpatched(content: JsonObject, { plan }: Pick<Delivery, 'plan'>): JsonObject {
  const patch = plan.strategy['patchPodTemplateMetadata'];
  const template = content['leaderWorkerTemplate'];
  if (!isRecord(patch) || !isJsonObject(template)) return content;
  const key = template['leaderTemplate'] === undefined ? 'workerTemplate' : 'leaderTemplate';
  const pod = template[key];
  const metadata = at(pod, ['metadata']);
  if (!isJsonObject(pod) || !isJsonObject(metadata)) return content;
  const kept = Object.fromEntries(
    Object.entries(metadata).map(([name, map]) => {
      const patched = patch[name];
      if (!isJsonObject(map) || !isRecord(patched)) return [name, map];
      return [name, Object.fromEntries(Object.entries(map).filter(([one]) => !Object.hasOwn(patched, one)))];
    }),
  );
  return { ...content, leaderWorkerTemplate: { ...template, [key]: { ...pod, metadata: kept } } };
}
