/** Hands that go back in time: older files and folders put back, commits of ours reverted, a Rollout of another workload. */

import { ownFiles } from './built-files.ts';
import { lwsFile, numberIn, rolloutFile, splitOwn, templateStart } from './files.ts';
import { mergeLines, type Taken } from './merge-lines.ts';
import { isOurs } from './our-commit.ts';
import type { Person } from './people.ts';
import { secondName } from './routed-files.ts';
import type { Universe } from './universe.ts';

type Move = (person: Person) => void;

/** By what a story calls it. */
export const backHands = {
  'its file as before': (person) => putBack(person, before(person), lwsFile(person.workload.name)),
  'its template as before': templateBack,
  'its folder as before': (person) => putBack(person, before(person), `apps/${person.workload.name}/`),
  'all as before': (person) => putBack(person, before(person), ''),
  'our commits reverted': (person) => putBack(person, asked(person), ''),
  'our last commit reverted': (person) => revertLast(person),
  'the Rollout names another': (person) => {
    const { universe, workload } = person;
    const path = rolloutFile(workload.name);
    const text = universe.text('main', path) ?? '';
    universe.commit(path, text.replace(/^( {4}name: ).*$/m, '$1another'), 'the Rollout names another workload');
  },
  'the Rollout names it again': (person) => person.say({}, 'the Rollout names its workload again'),
  'two Rollouts are exchanged': (person) => exchange(person),
  'our last two commits reverted': (person) => revertLast(person, 2),
  'an earlier commit reverted, ours kept': (person) => revertEarlier(person, { back: 2, taken: 'ours' }),
  'an earlier commit reverted, theirs taken': (person) => revertEarlier(person, { back: 2, taken: 'theirs' }),
} as const satisfies Readonly<Record<string, Move>>;

export type BackHand = keyof typeof backHands;

/** The commit in which people have asked for the version that they have asked for last; undefined: nobody has. */
function asked({ universe, workload, versions }: Person): string | undefined {
  const message = `${workload.name}: version ${versions}`;
  return universe.repository.log('main').find((commit) => commit.message === message)?.oid;
}

/** The commit before that. */
function before(person: Person): string | undefined {
  const { repository } = person.universe;
  const oid = asked(person);
  return oid === undefined ? undefined : repository.log(oid)[1]?.oid;
}

/** `git checkout THEN -- FOLDER`; what came into it since then goes. */
function putBack({ universe, workload }: Person, then: string | undefined, folder: string): void {
  if (then === undefined) return;
  const writes = difference(universe, 'main', then).filter(({ path }) => path.startsWith(folder));
  commitAll(universe, {
    name: workload.name,
    writes,
    message: `${folder === '' ? 'everything' : folder} as of before`,
  });
}

const LABEL = /(tranche\.dev\/version"?: )"?[0-9a-z.-]+"?/;

/** The template of the stable version, and the label of the version that is there: its field is nobody's but ours. */
function templateBack({ universe, workload, text, marks }: Person): void {
  const stable = universe.lws(workload.name, marks?.stable ?? 'main');
  if (stable === undefined) return;
  const [[own, others], [old]] = [splitOwn(text), splitOwn(stable)];
  const label = LABEL.exec(own)?.[0];
  const template = old.slice(templateStart(old));
  const back = label === undefined ? template : template.replace(LABEL, label);
  const writes = [{ path: lwsFile(workload.name), text: `${own.slice(0, templateStart(own))}${back}${others}` }];
  commitAll(universe, { name: workload.name, writes, message: 'the template of before' });
}

/** Of the line of main, newest first: the newest commit of ours, those of ours right before it, and the one before them. */
function oursInLine({ universe }: Person) {
  const line = universe.repository.log('main');
  const from = line.findIndex(({ oid }) => isOurs(universe, oid));
  const end = line.findIndex(({ oid }, i) => i > from && !isOurs(universe, oid));
  return from < 0 || end < 0 ? [] : line.slice(from, end + 1);
}

/** `git revert` of the newest commit of ours, or of a range of them, where nothing of what they wrote has been written since. */
export function revertLast(person: Person, count = 1): void {
  const { universe, workload } = person;
  const line = oursInLine(person);
  const [ours, parent] = [line[0], line[count]];
  if (ours === undefined || parent === undefined) return;
  const undone = difference(universe, ours.oid, parent.oid);
  const isThere = undone.every(({ path }) => universe.text('main', path) === universe.text(ours.oid, path));
  const subjects = line.slice(0, count).map(({ message }) => message.split('\n')[0] ?? '');
  const message = `Revert "${subjects.join('" and "')}"`;
  if (isThere) noteEmptied(person, undone);
  if (isThere) commitAll(universe, { name: workload.name, writes: undone, message });
}

type Earlier = {
  /** Which commit of ours: 1 is the newest. */
  readonly back: number;
  readonly taken: Taken;
};

/** `git revert` of one older commit of ours: a person resolves its conflicts, all of them in the same way. */
export function revertEarlier(person: Person, { back, taken }: Earlier): void {
  const { universe, workload } = person;
  const { repository } = universe;
  const ours = repository.log('main').filter(({ oid }) => isOurs(universe, oid))[back - 1];
  const [parent] = ours?.parents ?? [];
  if (ours === undefined || parent === undefined) return;
  const writes = difference(universe, ours.oid, parent).flatMap(({ path, text }) => {
    const [base, there] = [universe.text(ours.oid, path), universe.text('main', path)];
    // A file that came or went with it, or since, is one hunk.
    if (base === undefined || there === undefined || text === undefined)
      return base === there || taken === 'theirs' ? [{ path, text }] : [];
    return [{ path, text: mergeLines({ base, ours: there, theirs: text }, taken).text }];
  });
  const changed = writes.filter(({ path, text }) => text !== universe.text('main', path));
  noteEmptied(person, changed);
  if (changed.length > 0) universe.resolved.add(workload.name);
  const message = `Revert "${ours.message.split('\n')[0]}", ${taken} in conflicts`;
  commitAll(universe, { name: workload.name, writes: changed, message });
}

/** The hand takes groups away under their requests, as by an edit: no law asks that of us. */
function noteEmptied({ universe, workload }: Person, writes: readonly Write[]): void {
  const own = lwsFile(workload.name);
  const [, others] = splitOwn(writes.find(({ path }) => path === own)?.text ?? '');
  if (numberIn(others, 'replicas') === 0) universe.emptied.add(secondName(workload) ?? '');
}

const NAMED = /^( {4}name: ).*$/m;

/** Two Rollouts exchange what they name; nothing where there is one alone. */
function exchange({ universe, workload }: Person): void {
  const other = universe.healthy().find(({ name }) => name !== workload.name);
  if (other === undefined) return;
  const [one, two] = [rolloutFile(workload.name), rolloutFile(other.name)];
  const [first = '', second = ''] = [one, two].map((path) => universe.text('main', path));
  const [name, otherName] = [first, second].map((text) => NAMED.exec(text)?.[0] ?? '');
  if (name === '' || otherName === '') return;
  const writes = [
    { path: one, text: first.replace(NAMED, otherName ?? '') },
    { path: two, text: second.replace(NAMED, name ?? '') },
  ];
  universe.exchanged = true;
  universe.repository.commit('main', { writes, message: 'two Rollouts are exchanged' });
  universe.say('people', 'two Rollouts are exchanged');
}

type Write = { readonly path: string; readonly text: string | undefined };

/** What makes the files of one commit those of another. */
function difference({ repository }: Universe, from: string, to: string): readonly Write[] {
  const [are, were] = [repository.files(from), repository.files(to)];
  return Object.keys({ ...are, ...were })
    .filter((path) => are[path] !== were[path])
    .map((path) => ({ path, text: were[path] }));
}

function commitAll(
  universe: Universe,
  of: { readonly name: string; readonly writes: readonly Write[]; readonly message: string },
): void {
  const { name, writes, message } = of;
  if (writes.length === 0) return;
  // A partition of before may come back with them, as by any hand; in a range of commits those of others as well.
  const others = universe.setup.workloads.filter((one) => writes.some(({ path }) => ownFiles(one).includes(path)));
  for (const one of [name, ...others.map((other) => other.name)]) {
    universe.mixed.add(one);
    universe.putBack.add(one);
  }
  universe.repository.commit('main', { writes, message });
  universe.say('people', message);
}
