/** Who owns a live object. Lists are filtered by this before they are parsed: labels can be copied, uids cannot. */

import { at, isRecord } from './json.ts';

/** The API server takes no more owners than this seriously, and neither do we. */
const OWNERS_MAX = 50;

/** The uid of the controlling owner of an object; empty where it has none. */
export function controllerUid(object: unknown): string {
  const owners = at(object, ['metadata', 'ownerReferences']);
  if (!Array.isArray(owners)) return '';
  for (const owner of owners.slice(0, OWNERS_MAX)) {
    if (isRecord(owner) && owner['controller'] === true && typeof owner['uid'] === 'string') return owner['uid'];
  }
  return '';
}
