/** The cluster port straight on the model, without HTTP, and with faults: for scenarios and the simulation. */

import { badName, type Call, describe } from '../../src/adapters/cluster/call.ts';
import { absent, known, unknown } from '../../src/api/known.ts';
import { labelSelector } from '../../src/demo/api-server/selectors.ts';
import { wireList } from '../../src/demo/api-server/wire-object.ts';
import type { Cluster } from '../../src/ports/cluster.ts';
import type { Cluster as Model } from '../../src/simulator/cluster-model.ts';
import type { Reading } from '../../src/simulator/objects/object-store.ts';
import { type ResourceKind, resourceKinds, resourceName } from '../../src/simulator/objects/resource-table.ts';

/** What goes wrong with one read. A list that came in part, late or refused is `unknown`: the port has no half lists. */
export type ReadFault =
  | { readonly kind: 'unknown'; readonly why: string }
  /** The answer is as the cluster was: `model.snapshot()` of an earlier moment. */
  | { readonly kind: 'stale'; readonly reading: Reading };

export type FakeClusterOptions = {
  readonly model: Pick<Model, 'snapshot'>;
  /** What is installed; undefined: all that the model knows. */
  readonly kinds?: readonly ResourceKind[];
  /** Asked before each read; undefined: it goes well. */
  readonly fault?: (call: Call) => ReadFault | undefined;
};

/** Takes all of an object. */
export const whole = (object: unknown): unknown => object;

/** Answers as the real adapter does, within the same tick; see `contract.ts`. */
export function fakeCluster({ model, kinds = resourceKinds, fault }: FakeClusterOptions): Cluster {
  const begin = (call: Call): Reading | { readonly kind: 'unknown'; readonly why: string } => {
    const bad = badName(call);
    if (bad !== undefined) return { kind: 'unknown', why: `${describe(call)}: ${bad}` };
    const failure = fault?.(call);
    if (failure?.kind === 'unknown') return { kind: 'unknown', why: `${describe(call)}: ${failure.why}` };
    return failure?.reading ?? model.snapshot();
  };
  const kindOf = ({ resource }: Call) =>
    kinds.find(({ group, version, plural }) => {
      return group === resource.group && version === resource.version && plural === resource.plural;
    });
  return {
    list: async (resource, { namespace, labelSelector: text }, take) => {
      const call: Call = { resource, namespace };
      const reading = begin(call);
      if ('kind' in reading) return reading;
      const kind = kindOf(call);
      if (kind === undefined) return absent;
      const selector = labelSelector(text);
      if (selector.kind === 'bad') return unknown(`${describe(call)}: ${selector.message}`);
      const items = reading.list(resourceName(kind), namespace).filter(selector.matches);
      const list = wireList(kind, items, { resourceVersion: reading.resourceVersion, next: '', remaining: 0 });
      return known((list['items'] as readonly unknown[]).map(take));
    },
  };
}
