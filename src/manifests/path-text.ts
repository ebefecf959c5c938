/** Writes a path into a document the way people write it: `spec.steps[1].replicas`, `env[name=TZ].value`. */

import type { EditPath, ItemMatch } from '../rollout/edits/edit.ts';

const PLAIN_SEGMENT = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const INDEX_SEGMENT = /^(0|[1-9][0-9]{0,6})$/;

/** The path as text. Digits are taken for a place in a list, other unusual keys are quoted; the root is empty. */
export function pathText(path: EditPath): string {
  return path.map(segmentText).join('');
}

function segmentText(segment: string | ItemMatch, at: number): string {
  if (typeof segment === 'object') return `[${segment.key}=${segment.value}]`;
  if (INDEX_SEGMENT.test(segment)) return `[${segment}]`;
  if (!PLAIN_SEGMENT.test(segment)) return `[${JSON.stringify(segment)}]`;
  return at === 0 ? segment : `.${segment}`;
}
