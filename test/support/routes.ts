/** Writes shares into texts of routes, as a delivery would: the edits of a provider, spliced into the user's bytes. */

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { JsonObject } from '../../src/api/json.ts';
import { type CustomKind, parseRouteProvider } from '../../src/api/route-provider.ts';
import { parseManifestFile } from '../../src/manifests/parse-file.ts';
import { applyEdits } from '../../src/manifests/splice/apply-edits.ts';
import { customRoute } from '../../src/rollout/traffic/custom-route.ts';
import { trafficProviders } from '../../src/rollout/traffic/index.ts';
import type {
  Displaced,
  RouteDocument,
  RouteEdits,
  RouteFiles,
  Share,
  Sides,
  TrafficProvider,
} from '../../src/rollout/traffic/provider.ts';

export const SIDES: Sides = {
  owner: 'vllm',
  backend: 'Service',
  stable: 'vllm-svc',
  canary: 'vllm-svc-canary',
  workloads: { stable: 'vllm', canary: 'vllm-canary' },
};

/** The provider of a folder of fixtures: the line of its name, or the RouteProvider that is there. */
export function providerIn(folder: string): TrafficProvider {
  const key = folder.split('-')[0] ?? '';
  const found = Object.entries(trafficProviders).find(([name]) => name === key);
  if (found !== undefined) return found[1];
  return customRoute(customKind(folder));
}

/** What the RouteProvider of a folder says. */
export function customKind(folder: string): CustomKind {
  const url = new URL(`../../fixtures/traffic/${folder}/provider.yml`, import.meta.url);
  const { kind, faults } = parseRouteProvider(parse(readFileSync(url, 'utf8')));
  if (kind === undefined) throw new Error(faults.map(({ message }) => message).join('; '));
  return kind;
}

/** Texts of files by path, and what was put aside of them. */
export type Texts = {
  readonly files: Readonly<Record<string, string>>;
  readonly displaced: readonly Displaced[];
};

/** The documents of a kind in these texts. */
export function documentsOf(files: Texts['files'], kinds: readonly string[]): readonly RouteDocument[] {
  return Object.entries(files).flatMap(([file, text]) => {
    const { documents, issues } = parseManifestFile(file, text, kinds);
    if (issues.length > 0) throw new Error(issues.map(({ message }) => message).join('; '));
    return documents;
  });
}

/** The first route of the provider's kind, and the document that was made of it. */
export function routeIn({ files, displaced }: Texts, { kind }: TrafficProvider): RouteFiles {
  const all = documentsOf(files, [kind]);
  const canary = all.find(({ object }) => object.name.endsWith('-canary'));
  const route = all.find((one) => one !== canary);
  if (route === undefined) throw new Error(`no ${kind}`);
  return { route, canary, displaced };
}

/** A document as an API server answers with it: the keys of a map stand in order of the alphabet. */
export function asServed(files: RouteFiles): RouteFiles {
  const { route, canary } = files;
  const served = (document: RouteDocument): RouteDocument => ({
    ...document,
    value: JSON.parse(JSON.stringify(document.value, inOrder)) as JsonObject,
  });
  return { ...files, route: served(route), canary: canary === undefined ? undefined : served(canary) };
}

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** The texts after these edits; throws where one is refused. */
export function spliced(files: Texts['files'], edits: readonly RouteEdits[]): Texts['files'] {
  let texts = files;
  for (const { file, object, edits: list, copyOf } of edits) {
    const document = copyOf === undefined ? {} : { document: { kind: 'copy', of: copyOf, source: undefined } as const };
    const made = applyEdits(texts[file] ?? '', { file, object, edits: list, ...document });
    if (made.kind === 'refused') throw new Error(`${made.issue.reason}: ${made.issue.message}`);
    texts = { ...texts, [file]: made.text };
  }
  return texts;
}

/** The texts once the route sends this share. */
export function written(texts: Texts, provider: TrafficProvider, share: Share, sides = SIDES): Texts {
  const made = provider.write(routeIn(texts, provider), sides, share);
  if (made.kind === 'unwritable') throw new Error(made.faults.map(({ message }) => message).join('; '));
  return { files: spliced(texts.files, made.edits), displaced: made.displaced };
}

/** The texts once everything is there that the first share needs. */
export function prepared(texts: Texts, provider: TrafficProvider, sides = SIDES): Texts {
  return { ...texts, files: spliced(texts.files, provider.prepare(routeIn(texts, provider), sides)) };
}

/** An object as the text of a file. */
export function textOf(value: JsonObject): Texts {
  return { files: { 'route.json': `${JSON.stringify(value, null, 2)}\n` }, displaced: [] };
}

export function weight(percent: number): Share {
  return { kind: 'weight', percent };
}

export const NO_SHARE: Share = { kind: 'none' };
