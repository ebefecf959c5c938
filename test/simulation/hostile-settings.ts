/** Somebody merges into `tranche.yaml` in mid-delivery, copies what others have into a folder of their own, or forges numbers of records. */

import { isJsonObject } from '../../src/api/json.ts';
import type { FileContent } from '../support/files-of-others.ts';
import type { Chance } from './chance.ts';
import { configText, lwsFile, rolloutFile } from './files.ts';
import { clearFolder, forgedFile } from './hostile.ts';
import { routeFile, serviceFile } from './routed-files.ts';
import type { WorkloadSetup } from './setup.ts';
import type { Universe } from './universe.ts';

const CONFIG = 'tranche.yaml';
const OTHER_NAME = 'tranche.yml';
const COPY = 'teams/b/copy.yaml';
const NUMBERS = 'numbers/default.json';

/** A file of settings that nobody can read, or of which a part is wrong. */
const WRONG: Readonly<Record<string, string>> = {
  'no YAML': 'policyPaths: [policies\n',
  'a field that there is not': 'policyPath: [policies]\n',
  'another type': 'policyPaths: 7\n',
  'two documents': 'cluster: default\n---\ncluster: default\n',
  'the key of none': 'statusKeys: [none]\n',
  'owners of no namespace': 'owners: {LLM: [teams/b]}\n',
};

/** Whether a commit has settings by which no step may go forward: as files of these worlds are, they are right or one of those. */
export function isWrong({ setup }: Universe, text: string | undefined): boolean {
  return setup.hostile?.config === true && (text === undefined || Object.values(WRONG).includes(text));
}

type Of = { readonly workload: WorkloadSetup };
type Harm = (universe: Universe, chance: Chance, of: Of) => void;

const harms: readonly (readonly [weight: number, harm: Harm])[] = [
  [4, spoilt],
  [2, garbled],
  [2, handedOver],
  [3, copied],
];

/** One of these comes, or what came last is mended. */
export function settingsStep(universe: Universe, chance: Chance, of: Of): void {
  if (universe.others.size > 0 && chance.flip(0.5)) return clearFolder(universe);
  clearFolder(universe);
  chance.weighted(harms)(universe, chance, of);
}

function put(
  universe: Universe,
  path: string,
  { content, what }: { readonly content: FileContent; readonly what: string },
) {
  universe.inject('settings of others');
  universe.place(path, content, `others write ${path}: ${what}`);
  universe.others.add(path);
}

function spoilt(universe: Universe, chance: Chance): void {
  const [what, content] = chance.pick(Object.entries(WRONG));
  put(universe, CONFIG, { content, what });
}

/** No text at all, or only under a name that is not read. */
function garbled(universe: Universe, chance: Chance): void {
  const own = configText(universe.setup);
  const bytes = Buffer.concat([Buffer.from(own), Buffer.from([0xff, 0xfe])]);
  if (chance.flip(0.5)) return put(universe, CONFIG, { content: bytes, what: 'bytes that are no text' });
  universe.commit(CONFIG, undefined, 'others take tranche.yaml away');
  universe.others.add(CONFIG);
  put(universe, OTHER_NAME, { content: own, what: 'under the other name' });
}

/** The namespace is of another folder from now on: of that alone, or of all. */
function handedOver(universe: Universe, chance: Chance): void {
  const folders = chance.pick(['teams/b', 'apps, rollouts, policies, teams/b']);
  const content = `${configText(universe.setup)}owners:\n  llm: [${folders}]\n`;
  put(universe, CONFIG, { content, what: `llm is of ${folders}` });
}

/** All documents of a workload, as they are or as they were, in the folder of somebody else. */
function copied(universe: Universe, chance: Chance, { workload: { name } }: Of): void {
  const line = universe.repository.log('main');
  const { oid } = chance.flip(0.5) ? line[0]! : chance.pick(line);
  const paths = [lwsFile(name), rolloutFile(name), serviceFile(name), routeFile(name)];
  const texts = paths.map((path) => universe.text(oid, path)).filter((text) => text !== undefined);
  const content = texts.map((text) => (text.endsWith('\n') ? text : `${text}\n`)).join('---\n');
  put(universe, COPY, { content, what: `${name} as of ${oid.slice(0, 7)}` });
}

/** Numbers of records that are too high, too low, gone, or those of before. */
export function numbersForged(universe: Universe, chance: Chance): string | undefined {
  const { repository } = universe;
  if (repository.head('tranche-status') === undefined) return undefined;
  const now = repository.files('tranche-status');
  const old = universe.archive.length === 0 ? {} : repository.files(chance.pick(universe.archive));
  const forms: readonly { readonly text: string | undefined }[] = [
    { text: undefined },
    { text: old[NUMBERS] },
    { text: withNumbers(now, 1_000_000_000) },
    { text: withNumbers(now, 0) },
    { text: '{"numbers": 7}\n' },
  ];
  return forgedFile(universe, NUMBERS, chance.pick(forms).text);
}

/** Each record has this many more; what signed the file before is left in it. */
function withNumbers(files: Readonly<Record<string, string>>, more: number): string {
  const said: unknown = JSON.parse(files[NUMBERS] ?? '{}');
  const paths = Object.keys(files).filter((path) => path.startsWith('rollouts/') && path.endsWith('.json'));
  const numbers = Object.fromEntries([...paths, 'index.json'].map((path) => [path, more]));
  return `${JSON.stringify({ ...(isJsonObject(said as never) ? (said as object) : {}), numbers }, undefined, 2)}\n`;
}
