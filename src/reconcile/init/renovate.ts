/** Finds where Renovate may merge new images into the files of workloads by itself, by its configuration in Git. */

import type { Issue } from '../../api/issue.ts';
import { isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import { FOLDERS, matchesPath, ONE, STAR } from '../../api/path-pattern.ts';
import { unifiedDiff } from '../../manifests/diff.ts';
import type { FieldPath } from '../../rollout/edits/edit.ts';
import { RENOVATE_FILES, type RenovateFile, readRenovate } from './renovate-file.ts';

/** Files that one finding names, and its patch lists. */
const FILES_MOST = 20;

/** What merges an image into a file: the place that says so, and why; undefined: people do. */
type Merging = { readonly path: FieldPath; readonly why: string } | undefined;

/**
 * One finding, of the configuration that counts. Without automerge there is none: a pull request of Renovate that someone merges
 * is a release as any other. `files`: of the workloads that are delivered.
 */
export function renovateIssues(texts: ReadonlyMap<string, string>, files: readonly string[]): readonly Issue[] {
  const read = RENOVATE_FILES.flatMap((file) => readRenovate(file, texts.get(file) ?? '') ?? []).slice(0, 1);
  return read.flatMap((renovate) => {
    const met = files.flatMap((file) => {
      const merging = isManaged(renovate.config, file) ? mergingOf(renovate.config, file) : undefined;
      return merging === undefined ? [] : [{ file, merging }];
    });
    const [first] = met;
    return first === undefined ? [] : [issueOf(renovate, first.merging, [...new Set(met.map(({ file }) => file))])];
  });
}

function issueOf(renovate: RenovateFile, { path, why }: NonNullable<Merging>, files: readonly string[]): Issue {
  const named = files.slice(0, FILES_MOST);
  const rule = `{"matchFileNames": ${JSON.stringify(named)}, "automerge": false}`;
  const after = renovate.withRule(rule);
  const issue = {
    file: renovate.file,
    line: renovate.lineOf(path),
    path: path.join('.'),
    reason: 'ImageWriter',
    message: `Renovate: ${why}: an image that it merges into ${named.join(', ')} by itself starts a release, or takes the place of one in progress`,
    hint: 'Let people merge what it proposes for these files, by a last entry of packageRules.',
  };
  const { file, text } = renovate;
  return after === undefined ? issue : { ...issue, patch: unifiedDiff({ file, before: text, after }) };
}

/** Kubernetes files are read where a manager names them: none does by itself, and a preset that is not shown here may. */
function isManaged(config: JsonObject, file: string): boolean {
  const ignored = listOf(config['ignorePaths']).some((path) => file.includes(path) || fits(path, file) === true);
  if (ignored || config['enabled'] === false) return false;
  const only = Array.isArray(config['enabledManagers']) ? listOf(config['enabledManagers']) : undefined;
  const custom = [config['customManagers'], config['regexManagers']].flatMap((list) =>
    Array.isArray(list) ? list.map((one: Json) => ['custom.regex', one] as const) : [],
  );
  const managers = [...Object.entries(config), ...custom].filter(
    ([name]) => only === undefined || only.includes(name) || (name === 'custom.regex' && only.includes('regex')),
  );
  const patterns = managers.flatMap(([, manager]) =>
    isJsonObject(manager) && manager['enabled'] !== false
      ? [
          ...listOf(manager['managerFilePatterns']).map((pattern) => fits(pattern, file)),
          ...listOf(manager['fileMatch']).map((pattern) => fits(`/${pattern}/`, file)),
        ]
      : [],
  );
  return unreadPreset(config) !== undefined || patterns.some((fit) => fit !== false);
}

/** The last that says something of the file counts. A rule that asks for more than the file may hold for its image: or may not. */
function mergingOf(config: JsonObject, file: string): Merging {
  const preset = unreadPreset(config);
  let merging: Merging =
    preset === undefined ? undefined : { path: ['extends'], why: `what ${preset} says is not in this repository` };
  for (const key of Object.keys(config)) if (merges(config[key])) merging = automerge([key]);
  if (config['automerge'] === true) merging = automerge(['automerge']);
  const rules = config['packageRules'];
  for (const [place, rule] of (Array.isArray(rules) ? rules : []).entries()) {
    if (!isJsonObject(rule)) continue;
    const named = [...listOf(rule['matchFileNames']), ...listOf(rule['matchPaths'])];
    const fit = named.map((pattern) => fits(pattern, file));
    const isCovered = named.length === 0 || fit.includes(true);
    const mayCover = isCovered || fit.includes(undefined);
    const isWhole = Object.keys(rule).every(
      (key) => !/^(match|exclude)/.test(key) || /^match(FileNames|Paths)$/.test(key),
    );
    if (merges(rule) && mayCover) merging = automerge(['packageRules', String(place)]);
    else if ((rule['automerge'] === false || rule['enabled'] === false) && isCovered && isWhole) merging = undefined;
  }
  return merging;
}

function automerge(path: FieldPath): Merging {
  return { path, why: `automerge is on in ${path.join('.')}` };
}

/** Itself, for one kind of update, or by a preset that is called so. */
function merges(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some((one: Json) => typeof one === 'string' && /^:automerge/i.test(one));
  if (!isJsonObject(value)) return false;
  return (
    value['automerge'] === true || Object.values(value).some((one) => isJsonObject(one) && one['automerge'] === true)
  );
}

/** One of another repository or package. Those of Renovate itself, as `config:recommended`, merge nothing but by that name. */
function unreadPreset({ extends: presets }: JsonObject): string | undefined {
  return listOf(presets).find((preset) => /^[a-z]+>|^[@a-z0-9][^:]*$/i.test(preset));
}

/** Unbounded repetitions that a pattern may have, and letters of a path: so that no pattern takes long. */
const REPEATS_MOST = 2;
const LETTERS_MOST = 300;

/** Whether a pattern of Renovate fits, `/…/` as a regular expression; undefined: it is one that is not tried here. */
function fits(pattern: string, file: string): boolean | undefined {
  const [, negated = '', body] = /^(!?)\/(.*)\/i?$/s.exec(pattern) ?? [];
  if (body === undefined) return /[{}[\]()!]/.test(pattern) ? undefined : matchesPath(pathPattern(pattern), file);
  const repeats = body.match(/[*+]|\{\d*,\}/g) ?? [];
  if (negated !== '' || file.length > LETTERS_MOST || repeats.length > REPEATS_MOST || /\)[*+{]/.test(body))
    return undefined;
  try {
    return new RegExp(body, pattern.endsWith('i') ? 'iu' : 'u').test(file);
  } catch {
    return undefined;
  }
}

function pathPattern(pattern: string) {
  return pattern
    .split('/')
    .map((name) =>
      name === '**' ? FOLDERS : name.split('').map((sign) => (sign === '*' ? STAR : sign === '?' ? ONE : sign)),
    );
}

function listOf(value: Json | undefined): readonly string[] {
  const list: readonly Json[] = Array.isArray(value) ? value : [value ?? null];
  return list.filter((one) => typeof one === 'string');
}
