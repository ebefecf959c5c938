/** The documents of a YAML text as values, read once for each text: a story looks at the same files at every commit. */

import { parseAllDocuments, type Scalar, visit } from 'yaml';
import type { JsonObject } from '../../src/api/json.ts';

const known = new Map<string, readonly JsonObject[]>();
const KNOWN_MOST = 300;

/** All documents that are not empty. They are shared, and so frozen: who writes into one fails. */
export function yamlValues(text: string): readonly JsonObject[] {
  const before = known.get(text);
  if (before !== undefined) return before;
  const values = parseAllDocuments(text)
    .map((document) => {
      visit(document, { Scalar: (_, node) => endOpenText(text, node) });
      return frozen(document.toJS() as JsonObject | null);
    })
    .filter((value) => value !== null);
  if (known.size >= KNOWN_MOST) known.clear();
  known.set(text, values);
  return values;
}

/** Agents add no line break to block text whose last line has none; this library does. */
function endOpenText(text: string, node: Scalar): void {
  const { type = '', range, value } = node;
  const isOpen = type.startsWith('BLOCK') && range?.[1] === text.length && !text.endsWith('\n');
  if (isOpen && typeof value === 'string') node.value = value.replace(/\n$/, '');
}

/** The value, which nobody can change any more. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}
