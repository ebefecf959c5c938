/** What must be true of every commit that fills a second workload, seen from outside: which fields of which objects change. */

import { isJsonObject, type Json, type JsonObject } from '../../../src/api/json.ts';
import { count, part, specOf, strings, text as textOf } from '../../../src/simulator/objects/objects.ts';
import { admissionVerdict } from '../admission.ts';
import { yamlValues } from '../yaml-values.ts';

type Files = Readonly<Record<string, string>>;

const LWS = 'LeaderWorkerSet';
const AT = 'tranche.dev/rung';
const MADE_FOR = 'tranche.dev/made-for';

/** Fields of the user's own workload; its template only where a template is put back. */
const OWN = [
  /^metadata\.annotations(\.tranche\.dev\/[a-z-]+)?$/,
  /^spec\.replicas$/,
  /^spec\.rolloutStrategy(\.rollingUpdateConfiguration)?(\.(partition|maxUnavailable|maxSurge))?$/,
];
const TEMPLATE = /^spec\.leaderWorkerTemplate/;
/** Of an autoscaler: the least that it leaves. */
const FLOOR = /^spec\.(minReplicas|minReplicaCount)$/;
const SELECTOR =
  /^spec\.selector\.(leaderworkerset\.sigs\.k8s\.io\/(name|template-revision-hash)|tranche\.dev\/version)$/;
/** Of routes: where requests go, in any kind's words. */
const SHARE = /(^spec\.(rules|http|routes|weighted|subsets|backends)|^metadata\.annotations)/;

/** Whether a commit belongs to a delivery with a second workload: the rung that it has reached, or left, stands in a file. */
export function isLadderCommit(before: Files, after: Files): boolean {
  return [before, after].some((files) => documentsOf(files).some(({ value }) => annotations(value)[AT] !== undefined));
}

/** Why the commit must not be; undefined: it may. */
export function ladderFault(before: Files, after: Files): string | undefined {
  const [were, are] = [documentsOf(before), documentsOf(after)];
  const removed = were.find(({ key }) => !are.some((one) => one.key === key));
  if (removed !== undefined) return `removes ${removed.key}`;
  const changed = are.flatMap(({ key, value }) => {
    const old = were.find((one) => one.key === key)?.value;
    const paths = old === undefined ? [''] : differences(old, value, '');
    return paths.length === 0 ? [] : [{ key, value, old, paths }];
  });
  for (const one of changed) {
    const fault = documentFault(one);
    if (fault !== undefined) return fault;
  }
  const shares = changed.some(({ value, paths }) => isRoute(value) && paths.length > 0);
  const texts = changed.some(
    ({ value, old, paths }) => isMade(value) && old !== undefined && paths.some((path) => TEMPLATE.test(path)),
  );
  if (shares && texts && !isRestored(are)) return 'changes the template of the second workload and a share at once';
  return commentsLost(before, after);
}

type Changed = {
  readonly key: string;
  readonly value: JsonObject;
  readonly old: JsonObject | undefined;
  readonly paths: readonly string[];
};

function documentFault({ key, value, old, paths }: Changed): string | undefined {
  if (value['kind'] === LWS) {
    const verdict = admissionVerdict(old, value);
    if (!verdict.allowed) return `is refused by the admission policy: ${verdict.message}`;
  }
  if (isMade(value)) return madeFault(key, value, old, paths);
  if (old === undefined)
    return isRoute(value) && textOf(part(value, 'metadata')['name']).endsWith('-canary') ? undefined : `adds ${key}`;
  const allowed = ALLOWED[textOf(value['kind'])] ?? [SHARE];
  const other = paths.find(
    (path) => !allowed.some((one) => one.test(path)) && !(value['kind'] === LWS && TEMPLATE.test(path)),
  );
  return other === undefined ? undefined : `changes ${other} of ${key}`;
}

/** What a commit may change of documents that people made, by kind; of any other kind, a share. */
const ALLOWED: Readonly<Record<string, readonly RegExp[]>> = {
  [LWS]: OWN,
  Service: [SELECTOR],
  HorizontalPodAutoscaler: [FLOOR],
  ScaledObject: [FLOOR],
};

/** The workload that we made is given another template at no groups alone, before the commit and after it. */
function madeFault(
  key: string,
  value: JsonObject,
  old: JsonObject | undefined,
  paths: readonly string[],
): string | undefined {
  if (value['kind'] !== LWS || !paths.some((path) => path === '' || TEMPLATE.test(path))) return undefined;
  const groups = [old, value].filter((one) => one !== undefined).map((one) => count(specOf(one)['replicas'], 1));
  return groups.some((replicas) => replicas > 0) ? `gives ${key} a template while it has groups` : undefined;
}

/** The document is one that we made. */
function isMade(value: JsonObject): boolean {
  return annotations(value)[MADE_FOR] !== undefined;
}

function isRoute(value: JsonObject): boolean {
  return !['Rollout', ...Object.keys(ALLOWED)].includes(textOf(value['kind']));
}

/** No route names a Service that we made. */
function isRestored(documents: readonly Document[]): boolean {
  const made = documents.filter(({ value }) => value['kind'] === 'Service' && isMade(value));
  const routes = documents.filter(({ value }) => isRoute(value)).map(({ value }) => JSON.stringify(value));
  return made.every(
    ({ value }) => !routes.some((route) => route.includes(`"${textOf(part(value, 'metadata')['name'])}"`)),
  );
}

type Document = { readonly key: string; readonly value: JsonObject };

function documentsOf(files: Files): readonly Document[] {
  return Object.entries(files).flatMap(([path, text]) =>
    /\.ya?ml$/.test(path)
      ? yamlValues(text).map((value) => ({
          key: `${textOf(value['kind'])} ${textOf(part(value, 'metadata')['name'])} in ${path}`,
          value,
        }))
      : [],
  );
}

function annotations(value: JsonObject): Readonly<Record<string, string>> {
  return strings(part(value, 'metadata')['annotations']);
}

/** The paths of the fields that differ; a list differs as a whole. */
function differences(left: Json | undefined, right: Json | undefined, path: string): readonly string[] {
  if (isJsonObject(left) && isJsonObject(right)) {
    const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
    return keys.flatMap((key) => differences(left[key], right[key], path === '' ? key : `${path}.${key}`));
  }
  return JSON.stringify(left) === JSON.stringify(right) ? [] : [path];
}

/** People's comments stay, every one. */
function commentsLost(before: Files, after: Files): string | undefined {
  const comments = (text: string): readonly string[] => text.match(/(^|\s)#.*$/gm)?.map((one) => one.trim()) ?? [];
  for (const [path, text] of Object.entries(before)) {
    const kept = comments(after[path] ?? '');
    const lost = comments(text).find((one) => !kept.includes(one));
    if (lost !== undefined) return `takes a comment out of ${path}: ${lost}`;
  }
  return undefined;
}
