/** How many GPUs a group asks for: what its leader and its workers are limited to, or request. */

import { at, isRecord, type JsonObject } from './json.ts';
import { parseQuantity } from './quantity.ts';

/** `nvidia.com/gpu`, `amd.com/gpu`, `gpu.intel.com/i915`, `nvidia.com/mig-1g.5gb`: whole devices, or named parts of one. */
const GPU = /^([a-z0-9.-]+\/gpu|gpu\.[a-z0-9.-]+\/.+|[a-z0-9.-]+\/mig-.+)$/;
/** `parseQuantity` counts in 10⁻¹⁸. */
const ONE = 10n ** 18n;

/** Of one group of a release: the leader, and `size` − 1 workers. The leader is a worker where it has no template. */
export function gpusOfGroup(content: JsonObject, size: number): number {
  const worker = gpusOfPod(at(content, ['leaderWorkerTemplate', 'workerTemplate', 'spec']));
  const leader = at(content, ['leaderWorkerTemplate', 'leaderTemplate', 'spec']);
  return (leader === undefined ? worker : gpusOfPod(leader)) + Math.max(0, size - 1) * worker;
}

/** Containers run together; each init container runs alone. */
function gpusOfPod(spec: unknown): number {
  const containers = gpusIn(spec, 'containers');
  return Math.max(
    containers.reduce((all, one) => all + one, 0),
    ...gpusIn(spec, 'initContainers'),
  );
}

function gpusIn(spec: unknown, key: 'containers' | 'initContainers'): readonly number[] {
  const containers = isRecord(spec) ? spec[key] : undefined;
  return Array.isArray(containers) ? containers.map(gpusOfContainer) : [];
}

function gpusOfContainer(container: unknown): number {
  const resources = isRecord(container) ? container['resources'] : undefined;
  if (!isRecord(resources)) return 0;
  const asked = { ...fieldsOf(resources['requests']), ...fieldsOf(resources['limits']) };
  return Object.entries(asked)
    .filter(([name]) => GPU.test(name))
    .reduce((all, [, value]) => all + countOf(value), 0);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function countOf(value: unknown): number {
  const quantity = typeof value === 'string' || typeof value === 'number' ? parseQuantity(String(value)) : undefined;
  return quantity === undefined ? 0 : Number(quantity / ONE);
}
