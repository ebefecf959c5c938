/** Decides of the fields of a Flux Kustomization whether what Flux makes of them is known from its file alone. */

import { isJsonObject, type Json, type JsonObject } from '../api/json.ts';
import type { FieldPath } from '../rollout/edits/edit.ts';
import { list } from './kustomize-changes.ts';
import type { ManifestDocument } from './parse-file.ts';
import { pathText } from './path-text.ts';

type Fault = { readonly path: FieldPath; readonly hint: string };
type Rule = (value: Json, path: FieldPath) => readonly Fault[];

/** The first thing in these fields that is not known; undefined: there is none. */
export function fluxShapeFault(document: ManifestDocument, fields: JsonObject): Fault | undefined {
  const known = Object.entries(fields).flatMap(([key, value]) => RULES[key]?.(value, [key]) ?? [unknown([key])]);
  const keys = Object.keys(fields).map((key) => pathText(['spec', key]));
  const [first] = document.ambiguous.filter(({ path }) => keys.some((key) => isAt(path, key)));
  const ambiguous =
    first === undefined
      ? []
      : [{ path: [], hint: `Write ${first.path} so that every reader of YAML takes it for one thing.` }];
  return [...known, ...ambiguous][0];
}

function isAt(path: string, key: string): boolean {
  return path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`);
}

/** What Flux fills in of the object itself, where another one applies it, is in no file. */
const VARIABLE = /\$\{/;

const text: Rule = (value, path) => {
  if (typeof value !== 'string' || value === '') return [{ path, hint: `Write ${pathText(path)} as text.` }];
  if (!VARIABLE.test(value)) return [];
  return [{ path, hint: `Write ${pathText(path)} without \${…}, which another Kustomization may fill in.` }];
};

function unknown(path: FieldPath): Fault {
  return { path, hint: `Remove ${pathText(path)}, which tranche does not follow.` };
}

const items =
  (rule: Rule): Rule =>
  (value, path) =>
    Array.isArray(value)
      ? list(value).flatMap((one, place) => rule(one, [...path, String(place)]))
      : [{ path, hint: `Write ${pathText(path)} as a list.` }];

const map =
  (rules: Readonly<Record<string, Rule>>, required: string | undefined): Rule =>
  (value, path) => {
    if (!isJsonObject(value)) return [{ path, hint: `Write ${pathText(path)} as a map.` }];
    const missing = required !== undefined && value[required] === undefined ? [`${pathText(path)}.${required}`] : [];
    return [
      ...missing.map((one) => ({ path, hint: `Write ${one}.` })),
      ...Object.entries(value).flatMap(
        ([key, inner]) => rules[key]?.(inner, [...path, key]) ?? [unknown([...path, key])],
      ),
    ];
  };

const SELECTOR = Object.fromEntries(
  ['group', 'version', 'kind', 'name', 'namespace', 'labelSelector', 'annotationSelector'].map((key) => [key, text]),
);

const RULES: Readonly<Record<string, Rule>> = {
  targetNamespace: text,
  namePrefix: text,
  nameSuffix: text,
  patches: items(map({ patch: text, target: map(SELECTOR, undefined) }, 'patch')),
  components: items(text),
  images: items(map({ name: text, newName: text, newTag: text, digest: text }, 'name')),
};
