/** The `trafficRoutings` of a Rollout: checked as Kruise checks them, not acted on yet. */

import type { FieldReader } from './field-reader.ts';

const INT32_MAX = 2_147_483_647;
const ROUTINGS_READ = 16;

/** How many routings there are; broken rules become faults (reference: rollout_create_update_handler.go:252-300). */
export function readTrafficRoutings(strategy: FieldReader): number {
  const routings = strategy.objects('trafficRoutings', ROUTINGS_READ);
  if (routings.length > 1) {
    strategy.fault('trafficRoutings', 'TooMany', `has ${routings.length} elements, wanted at most 1`, 'Keep one.');
  }
  for (const routing of routings) readRouting(routing);
  return routings.length;
}

function readRouting(routing: FieldReader): void {
  routing.allow(['service', 'gracePeriodSeconds', 'ingress', 'gateway', 'customNetworkRefs']);
  routing.text('service');
  routing.integer('gracePeriodSeconds', { min: 0, max: INT32_MAX });
  const providers = ['ingress', 'gateway', 'customNetworkRefs'].filter((key) => routing.has(key));
  if (providers.length === 0) {
    routing.fault('', 'NoProvider', 'names no provider', 'Add one of ingress, gateway, customNetworkRefs.');
  }
  if (routing.has('ingress')) routing.object('ingress').text('name');
  if (routing.has('gateway')) routing.object('gateway').text('httpRouteName');
}
