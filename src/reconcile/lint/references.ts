/** Which ConfigMaps and Secrets a template refers to by name. */

import { isRecord } from '../../api/json.ts';
import type { FieldPath } from '../../rollout/edits/edit.ts';

/** `ConfigMap settings`, each with the place where it stands first. */
export function referencesIn(value: unknown, path: FieldPath): ReadonlyMap<string, FieldPath> {
  const names = new Map<string, FieldPath>();
  collectReferences(value, path, names);
  return names;
}

const REFERENCES: Readonly<Record<string, string>> = {
  configMapKeyRef: 'ConfigMap',
  configMapRef: 'ConfigMap',
  configMap: 'ConfigMap',
  secretKeyRef: 'Secret',
  secretRef: 'Secret',
};

function collectReferences(value: unknown, path: FieldPath, names: Map<string, FieldPath>): void {
  if (Array.isArray(value)) {
    for (const [place, item] of value.entries()) collectReferences(item, [...path, String(place)], names);
    return;
  }
  if (!isRecord(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const name = isRecord(inner) ? inner['name'] : undefined;
    const kind = REFERENCES[key];
    if (kind !== undefined && typeof name === 'string' && !names.has(`${kind} ${name}`))
      names.set(`${kind} ${name}`, [...path, key, 'name']);
    collectReferences(inner, [...path, key], names);
  }
}
