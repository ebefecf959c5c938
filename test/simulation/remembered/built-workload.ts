/** Stands in for `src/reconcile/roots/built-workload.ts` in bundles of the simulation: reads each output of a build once. */

import { type BuiltReading, builtWorkloads as readAfresh } from '../../../src/reconcile/roots/built-workload.ts';
import { Remembered } from './remembered.ts';

export { type BuiltReading, type BuiltWorkload, workloadsOf } from '../../../src/reconcile/roots/built-workload.ts';

const known = new Remembered<BuiltReading>(1000);

/** As the real one, which is pure. */
export function builtWorkloads(text: string, root: Parameters<typeof readAfresh>[1]): BuiltReading {
  return known.of(`${root.file}\n${text}`, () => readAfresh(text, root));
}
