/** Stands in for `src/manifests/closure.ts` in bundles of the simulation: walks the same files of a folder once for all schedules. */

import {
  type Closure,
  type ClosurePart,
  type Looked,
  closureOf as walkAfresh,
} from '../../../src/manifests/closure.ts';
import { Remembered } from './remembered.ts';

export type { Closure, ClosureFile, ClosurePart, Looked } from '../../../src/manifests/closure.ts';
export { kustomizationsAt } from '../../../src/manifests/closure.ts';

const known = new Remembered<Closure>(1500);

/** As the real one, which is pure: files are told by their ids. What an agent adds to a folder is walked each time. */
export function closureOf(root: string, looked: Looked, part?: ClosurePart): Closure {
  if (part !== undefined) return walkAfresh(root, looked, part);
  const files = [...looked.files.values()].map((file) => `${file.path} ${file.kind === 'text' ? file.oid : file.why}`);
  return known.of(`${root}\n${[...looked.paths].join(' ')}\n${files.join('\n')}`, () => walkAfresh(root, looked));
}
