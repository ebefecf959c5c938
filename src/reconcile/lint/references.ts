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
  secret: 'Secret',
  nodePublishSecretRef: 'Secret',
};

/** Where the name stands: a volume of a Secret has a word of its own for it, a projected one has not. */
const NAMES = ['name', 'secretName'];

function collectReferences(value: unknown, path: FieldPath, names: Map<string, FieldPath>): void {
  if (Array.isArray(value)) {
    for (const [place, item] of value.entries()) collectReferences(item, [...path, String(place)], names);
    return;
  }
  if (!isRecord(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const kind = Object.hasOwn(REFERENCES, key) ? REFERENCES[key] : undefined;
    if (kind !== undefined && isRecord(inner))
      for (const word of NAMES) {
        const name = inner[word];
        if (typeof name === 'string' && !names.has(`${kind} ${name}`))
          names.set(`${kind} ${name}`, [...path, key, word]);
      }
    collectReferences(inner, [...path, key], names);
  }
}
