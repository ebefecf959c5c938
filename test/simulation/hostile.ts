/** Somebody who can push to the status branch, and somebody who has a folder of main: they write anything there at any time. */

import { asWritten, isJsonObject, type Json } from '../../src/api/json.ts';
import { checksumOf } from '../../src/reconcile/status/record-store.ts';
import { digestOf } from '../../src/reconcile/status/signed.ts';
import { signaturesOf } from '../support/status-key.ts';
import type { Chance } from './chance.ts';
import { configText, type RolloutState } from './files.ts';
import { hostileFiles } from './hostile-files.ts';
import { OTHERS, SLANDER } from './notified.ts';
import type { WorkloadSetup } from './setup.ts';
import type { Universe } from './universe.ts';

const STATUS = 'tranche-status';
const FOLDER = 'teams/b';
/** Where a file of other people may lie: before the others by name, behind them, or under the other name of the configuration. */
const PLACES = ['a.yaml', `${FOLDER}/one.yaml`, `${FOLDER}/kustomization.yaml`, 'zz.yaml', 'tranche.yml'] as const;
/** A number above this is a time. */
const YEARS_SECONDS = 1_000_000_000;
/** The key of the pusher, which main does not name. */
const OTHERS_KEY = 9;

type Push = (universe: Universe, chance: Chance) => string | undefined;

const pushes: readonly (readonly [weight: number, push: Push])[] = [
  [2, deleted],
  [3, putBack],
  [3, fileTaken],
  [4, filePutBack],
  [6, forged],
  [6, wished],
  [2, swapped],
  [2, rubbish],
  [3, silencing],
  [3, spoken],
];

/** One way to do harm, to do it again and again. */
export function anyPush(chance: Chance): Push {
  return chance.weighted(pushes);
}

/** Changes, deletes, replays or forges what is on the status branch. */
export function pusherStep(universe: Universe, chance: Chance, push = anyPush(chance)): void {
  const { repository } = universe;
  const head = repository.head(STATUS);
  if (head !== undefined && universe.archive.at(-1) !== head && !universe.forged.has(head)) universe.archive.push(head);
  const what = push(universe, chance);
  const after = repository.head(STATUS);
  if (what === undefined || after === head) return;
  if (after !== undefined) universe.forged.add(after);
  universe.inject('status forged');
  universe.say('pusher', what);
}

function deleted({ repository }: Universe): string {
  repository.setHead(STATUS, undefined);
  return 'deletes the branch';
}

/** A commit of its own, for each is known by its id. */
function putBack(universe: Universe, chance: Chance): string | undefined {
  if (universe.archive.length === 0) return undefined;
  const old = universe.repository.files(chance.pick(universe.archive));
  const now = filesOf(universe);
  const paths = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  return written(universe, Object.fromEntries(paths.map((path) => [path, old[path]])), 'puts all back as it was');
}

function fileTaken(universe: Universe, chance: Chance): string | undefined {
  const paths = Object.keys(filesOf(universe));
  if (paths.length === 0) return undefined;
  const path = chance.pick(paths);
  return written(universe, { [path]: undefined }, `deletes ${path}`);
}

/** Records of before, with or without the index that has their numbers. */
function filePutBack(universe: Universe, chance: Chance): string | undefined {
  if (universe.archive.length === 0) return undefined;
  const old = universe.repository.files(chance.pick(universe.archive));
  const paths = chance.some(Object.keys(old), 0.5);
  const index = chance.flip(0.3) ? { 'index.json': undefined } : {};
  return written(
    universe,
    { ...Object.fromEntries(paths.map((path) => [path, old[path]])), ...index },
    'puts files back',
  );
}

/** One field or some of a record or the index; its checksum fits, and the signature is left, taken away, or of another key. */
function forged(universe: Universe, chance: Chance): string | undefined {
  const files = Object.entries(filesOf(universe)).filter(([path]) => path.endsWith('.json'));
  if (files.length === 0) return undefined;
  const [path, text] = chance.pick(files);
  const value = jsonIn(text);
  if (!isJsonObject(value)) return undefined;
  const { checksum: _sum, signature, ...content } = value;
  const changed = asWritten(changedIn(content, universe, chance));
  return writtenAs(universe, chance, { path, changed, signature });
}

/** A record that reads well and says what somebody would like: all waits are over, and the groups fail again and again. */
function wished(universe: Universe, chance: Chance): string | undefined {
  const records = Object.entries(filesOf(universe)).filter(([path]) => path.startsWith('rollouts/'));
  if (records.length === 0) return undefined;
  const [path, text] = chance.pick(records);
  const value = jsonIn(text);
  if (!isJsonObject(value)) return undefined;
  const { checksum: _sum, signature, ...content } = value;
  const long = universe.now - chance.pick([700, 7000, 90_000]);
  const times = chance.flip(0.5) ? 0 : 99;
  return writtenAs(universe, chance, { path, changed: asWritten(withWishes(content, { long, times })), signature });
}

/** A record with texts for people in our name, to targets of the pusher's choice. */
function spoken(universe: Universe, chance: Chance): string | undefined {
  const records = Object.entries(filesOf(universe)).filter(([path]) => path.startsWith('rollouts/'));
  if (records.length === 0) return undefined;
  const [path, text] = chance.pick(records);
  const value = jsonIn(text);
  if (!isJsonObject(value)) return undefined;
  const { checksum: _sum, signature, ...content } = value;
  const release = '0'.repeat(32);
  const notice = { event: 'failed', release: `${release}.1`, text: SLANDER, key: SLANDER, at: universe.now };
  const outbox = [[{ to: 'on-call', as: 'slack' }], [{ to: OTHERS, as: 'webhook' }]].map((to) => ({ ...notice, to }));
  return writtenAs(universe, chance, {
    path,
    changed: asWritten({ ...content, notices: { outbox, told: [] } }),
    signature,
  });
}

/** Each time becomes one of long ago, and each count of restarts the same. */
function withWishes(value: Json, wish: { readonly long: number; readonly times: number }, key = ''): Json {
  if (Array.isArray(value)) return value.map((one) => withWishes(one, wish, key));
  if (isJsonObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, withWishes(one, wish, `${key} ${name}`)] as const),
    ) satisfies Json;
  if (typeof value !== 'number') return value;
  if (value > YEARS_SECONDS) return Math.min(value, wish.long);
  return key.endsWith(' restarts count') ? Math.max(value, wish.times) : value;
}

/** Its checksum fits, and the signature is left, taken away, or of another key. */
function writtenAs(
  universe: Universe,
  chance: Chance,
  { path, changed, signature }: { readonly path: string; readonly changed: Json; readonly signature: Json | undefined },
): string {
  const { own } = signaturesOf(OTHERS_KEY);
  const digest = digestOf(changed);
  const signed = chance.pick([
    {},
    { signature: signature ?? null },
    { signature: { key: own?.key ?? '', number: universe.now + 9, value: own?.sign(digest) ?? '' } },
  ]);
  const made = { checksum: checksumOf(digest), ...signed, ...(isJsonObject(changed) ? changed : {}) };
  return written(universe, { [path]: `${JSON.stringify(made, undefined, 2)}\n` }, `forges ${path}`);
}

/** Of numbers mostly those that somebody would like: ever, now, to come. */
function changedIn(value: Json, universe: Universe, chance: Chance): Json {
  if (Array.isArray(value)) return chance.flip(0.1) ? [] : value.map((one) => changedIn(one, universe, chance));
  if (isJsonObject(value))
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, one]) =>
        key === 'version' || !chance.flip(0.97) ? [] : [[key, changedIn(one, universe, chance)] as const],
      ),
    ) satisfies Json;
  if (!chance.flip(0.3)) return value;
  if (typeof value === 'number')
    return chance.pick([0, 1, 99, universe.now, universe.now - 90_000, universe.now + 90_000]);
  if (typeof value === 'boolean') return !value;
  // What reads as a sentence is one for people; other texts are names that would only make it unreadable.
  return typeof value === 'string' && value.includes(' ') ? SLANDER : value;
}

/** The record of one Rollout in the place of another, or of another cluster in the place of ours. */
function swapped(universe: Universe, chance: Chance): string | undefined {
  const records = Object.entries(filesOf(universe)).filter(([path]) => path.startsWith('rollouts/'));
  if (records.length === 0) return undefined;
  const [[from, text], [to]] = [chance.pick(records), chance.pick(records)];
  const path = from === to ? from.replace('rollouts/default', 'rollouts/east') : to;
  return written(universe, { [path]: text.replaceAll('"east"', '"default"') }, `puts ${from} at ${path}`);
}

function rubbish(universe: Universe, chance: Chance): string | undefined {
  const paths = Object.keys(filesOf(universe));
  const path = chance.pick([...paths, 'rollouts/default/llm/nobody.json', 'numbers/default.json']);
  const text = chance.pick(['', '{', '[]', 'null', '{"version": 99}', '\u0000', 'x'.repeat(100_000)]);
  return written(universe, { [path]: text }, `writes rubbish to ${path}`);
}

/** An index that says that nothing is to be done here, of this cluster or another one. */
function silencing(universe: Universe, chance: Chance): string | undefined {
  const value = jsonIn(filesOf(universe)['index.json'] ?? '{}');
  if (!isJsonObject(value)) return undefined;
  const { signature: _signature, ...rest } = value;
  const main = universe.repository.head('main') ?? '';
  const cluster = chance.pick(['default', 'east']);
  const index = { ...rest, cluster, main, settled: true, nextAuditAt: universe.now + 3000 };
  const gone = chance.flip(0.5) ? Object.keys(filesOf(universe)).filter((path) => path.startsWith('rollouts/')) : [];
  const records = Object.fromEntries(gone.map((path) => [path, undefined]));
  return written(universe, { ...records, 'index.json': JSON.stringify(index) }, 'says that all is settled');
}

function filesOf({ repository }: Universe): Readonly<Record<string, string>> {
  return repository.head(STATUS) === undefined ? {} : repository.files(STATUS);
}

function jsonIn(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

function written(universe: Universe, files: Readonly<Record<string, string | undefined>>, what: string): string {
  const writes = Object.entries(files).map(([path, text]) => ({ path, text }));
  universe.repository.commit(STATUS, { writes, message: 'status' });
  return what;
}

/** One file of the status branch is another one, or gone. */
export function forgedFile(universe: Universe, path: string, text: string | undefined): string {
  return written(universe, { [path]: text }, `forges ${path}`);
}

/** One file of somebody else comes, changes or goes; what it says of the workload is meant to stop it. */
export function folderStep(
  universe: Universe,
  chance: Chance,
  { workload, state }: { readonly workload: WorkloadSetup; readonly state: RolloutState },
): void {
  if (universe.others.size > 0 && chance.flip(0.5)) return clearFolder(universe);
  const path = chance.pick(PLACES);
  const [what, content] = chance.pick(Object.entries(hostileFiles(universe, { workload, state })));
  clearFolder(universe);
  universe.inject('folder of others');
  universe.place(path, content, `others write ${path}: ${what}`);
  universe.others.add(path);
}

/** What they have written is gone: forward moves may wait for that, and nothing else does. */
export function clearFolder(universe: Universe): void {
  const settings = configText(universe.setup);
  for (const path of universe.others) {
    if (path === 'tranche.yaml') {
      if (universe.text('main', path) === settings) continue;
      universe.repository.commit('main', { writes: [{ path, text: settings }], message: `${path} is mended` });
      universe.say('people', `${path} is mended`);
      continue;
    }
    // Bytes and links have no text; a link is taken away as no pass may write it.
    if (universe.text('main', path) === undefined) universe.repository.unlink('main', path);
    else
      universe.repository.commit('main', { writes: [{ path, text: undefined }], message: `others take ${path} away` });
    universe.say('people', `others take ${path} away`);
  }
  universe.others.clear();
}
