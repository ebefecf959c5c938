/** The people of folders that kustomize builds, and a bot: they edit what several folders share, an overlay, and what is ours. */

import { parseTrailers } from '../../src/rollout/commits/trailers.ts';
import {
  applyFile,
  applyText,
  type BuiltWorkload,
  COMPONENT,
  hasOwnVersion,
  isBuilt,
  isEntered,
  LISTING,
  overlayFile,
  patchFile,
  sizeFile,
  withEntry,
  withLabelsLast,
  withNote,
  withOwnVersion,
  withoutEntry,
  withSharedVersion,
} from './built-files.ts';
import type { Chance, Weighted } from './chance.ts';
import { withNumber } from './files.ts';
import { eagerActs, Person, revertOurs } from './people.ts';
import type { WorkloadSetup } from './setup.ts';
import type { Universe } from './universe.ts';

export function personOf(
  universe: Universe,
  workload: WorkloadSetup,
  chance: Chance,
  asked: { versions: number },
): Person {
  return isBuilt(workload)
    ? new BuiltPerson(universe, { workload, chance, asked })
    : new Person(universe, workload, chance);
}

/** How often an edit is made in what folders share. */
const SHARED_SHARE = 0.6;

class BuiltPerson extends Person {
  readonly built: BuiltWorkload;

  constructor(
    universe: Universe,
    of: { readonly workload: BuiltWorkload; readonly chance: Chance; readonly asked: { versions: number } },
  ) {
    super(universe, of.workload, of.chance, of.asked);
    this.built = of.workload;
  }

  override act(): void {
    this.chance.weighted<(person: BuiltPerson) => void>([...eagerActs(this), ...builtActs(this)])(this);
  }

  override ask(version: number, what: string): void {
    const overlay = this.read(overlayFile(this.built));
    const isShared = this.chance.flip(SHARED_SHARE);
    const isOwn = hasOwnVersion(overlay) && this.chance.flip(0.7);
    if (!isShared || isOwn) this.edit(overlayFile(this.built), withOwnVersion(overlay, version), what);
    else {
      const component = withSharedVersion(this.read(COMPONENT), version);
      // Who wants it everywhere takes an exception of this folder out.
      this.edits(
        [
          { path: COMPONENT, text: component },
          { path: overlayFile(this.built), text: withOwnVersion(overlay, undefined) },
        ],
        `${what} for all`,
      );
    }
  }

  override number(key: 'replicas' | 'maxUnavailable' | 'partition', value: number, what: string): void {
    const file = key === 'partition' ? patchFile(this.built) : sizeFile(this.built);
    this.edit(file, withNumber(this.read(file), key, value), what);
  }

  override note(text: string): void {
    this.edit(overlayFile(this.built), withNote(this.read(overlayFile(this.built)), text), 'a note');
  }

  read(path: string): string {
    return this.universe.text('main', path) ?? '';
  }

  /** Nothing where there is no such file. */
  edit(path: string, text: string, what: string): void {
    if (this.universe.text('main', path) !== undefined)
      this.universe.commit(path, text, `${this.workload.name}: ${what}`);
  }

  edits(writes: readonly { readonly path: string; readonly text: string | undefined }[], what: string): void {
    const changed = writes.filter(({ path, text }) => {
      const there = this.universe.text('main', path);
      return there !== undefined && there !== text;
    });
    if (changed.length === 0) return;
    const message = `${this.workload.name}: ${what}`;
    this.universe.repository.commit('main', { writes: changed, message });
    this.universe.say('people', message);
  }
}

function builtActs(person: BuiltPerson): Weighted<(person: BuiltPerson) => void> {
  const { marks, universe, built } = person;
  const { step } = marks ?? {};
  const underWay = step === undefined ? 0 : 1;
  const isOff = needsMending(universe, built);
  const isTaken = marks !== undefined ? 1 : 0;
  return [
    [0.8 + 2 * (step === 'rollback' ? 1 : 0), bump],
    [0.4, ownVersion],
    [isTaken * (0.3 + 0.5 * underWay), revertOurs],
    [isTaken * (0.15 + 0.5 * underWay), loseEntry],
    [built.labels === true ? isTaken * (0.15 + 0.4 * underWay) : 0, comeAfter],
    [isTaken * (0.1 + 0.4 * underWay), editPatch],
    [isTaken * (0.1 + 0.2 * underWay), losePatch],
    [0.15 + 0.3 * underWay, loseComponent],
    [0.1 + 0.2 * underWay, listElsewhere],
    [isOff ? 8 : 0, mend],
  ];
}

/** A bot knows the newest version only, and writes it wherever it is not. */
function bump(person: BuiltPerson): void {
  if (person.versions === 0) return;
  const text = withSharedVersion(person.read(COMPONENT), person.versions);
  person.edit(COMPONENT, text, `the bot bumps version ${person.versions}`);
}

/** A folder goes with the others again, or gets what it has as its own. */
function ownVersion(person: BuiltPerson): void {
  const file = overlayFile(person.built);
  const overlay = person.read(file);
  if (hasOwnVersion(overlay)) person.edit(file, withOwnVersion(overlay, undefined), 'no version of its own');
  else person.edit(file, withOwnVersion(overlay, person.chance.between(0, person.versions)), 'a version of its own');
}

/** What our patch says does not hold any more: what people's files say does. */
function note({ universe, workload }: BuiltPerson): void {
  universe.mixed.add(workload.name);
}

function loseEntry(person: BuiltPerson): void {
  const file = overlayFile(person.built);
  note(person);
  if (person.chance.flip(0.7)) person.edit(file, withoutEntry(person.read(file)), 'the entry is lost');
  else
    person.edits(
      [
        { path: file, text: withoutEntry(person.read(file)) },
        { path: applyFile(person.built), text: undefined },
      ],
      'the entry and what applies the patch are lost',
    );
}

function comeAfter(person: BuiltPerson): void {
  const file = overlayFile(person.built);
  person.edit(file, withLabelsLast(person.read(file)), 'labels come after the patch');
}

function editPatch(person: BuiltPerson): void {
  const file = patchFile(person.built);
  const text = person.read(file);
  if (person.chance.flip(0.5))
    return person.edit(file, text.replace('metadata:\n', `metadata:\n${FOREIGN}`), 'a label in the patch');
  note(person);
  person.edit(file, text.replace(/^ {2}leaderWorkerTemplate:\n(?: {4}.*\n)*/m, ''), 'the pin taken out by hand');
}

function losePatch(person: BuiltPerson): void {
  person.edits([{ path: patchFile(person.built), text: undefined }], 'the patch is deleted');
}

function loseComponent(person: BuiltPerson): void {
  person.edits([{ path: COMPONENT, text: undefined }], 'the component is deleted');
}

function listElsewhere({ universe, built }: BuiltPerson): void {
  const root = built.root.split('/').at(-1) ?? '';
  universe.commit(
    LISTING,
    `resources: [../${root}]\nnameSuffix: -other\n`,
    `${built.root} is listed by another folder`,
  );
}

function mend(person: BuiltPerson): void {
  mendFolder(person.universe, person.built);
}

type Write = { readonly path: string; readonly text: string | undefined };

/** Whether somebody has lost or edited what a delivery hangs on. */
export function needsMending(universe: Universe, workload: BuiltWorkload): boolean {
  return mendingOf(universe, workload).length > 0;
}

/** Puts back what the issues of a pass name: our files as our last commit left them, and people's component. */
export function mendFolder(universe: Universe, workload: BuiltWorkload): boolean {
  const writes = mendingOf(universe, workload);
  if (writes.length === 0) return false;
  universe.repository.commit('main', { writes, message: `${workload.name}: mended` });
  universe.say('people', `${workload.name}: ${writes.map(({ path }) => path).join(', ')} mended`);
  return true;
}

/** Whether our patch is gone or edited. */
export function isPatchLost(universe: Universe, workload: BuiltWorkload): boolean {
  return ownMending(universe, workload).some(({ path }) => path === patchFile(workload));
}

function mendingOf(universe: Universe, workload: BuiltWorkload): readonly Write[] {
  return [...peoplesMending(universe), ...ownMending(universe, workload)];
}

function peoplesMending(universe: Universe): readonly Write[] {
  const lost =
    universe.text('main', COMPONENT) === undefined ? [{ path: COMPONENT, text: before(universe, COMPONENT) }] : [];
  const listing = universe.text('main', LISTING) === undefined ? [] : [{ path: LISTING, text: undefined }];
  return [...lost, ...listing];
}

/** The last text of a file that main had. */
function before({ repository }: Universe, path: string): string | undefined {
  for (const { oid } of repository.log('main')) {
    const text = repository.text(oid, path);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** What a hand writes into our patch. */
const FOREIGN = '  labels: {by: hand}\n';

/** Our patch as our last commit for it left it, without what that found there of a hand. Its numbers are orders of people. */
function ownMending(universe: Universe, workload: BuiltWorkload): readonly Write[] {
  const [patch, apply, overlay] = [patchFile(workload), applyFile(workload), overlayFile(workload)];
  const { repository } = universe;
  const ours = repository
    .log('main')
    .find(({ oid, message }) => isOf(message, workload) && repository.text(oid, patch) !== undefined);
  if (ours === undefined) return [];
  const last = repository.text(ours.oid, patch)?.replace(FOREIGN, '') ?? '';
  const there = universe.text('main', patch);
  const isEdited = there === undefined || there.includes(FOREIGN) || (hasPin(last) && !hasPin(there));
  const text = universe.text('main', overlay) ?? '';
  return [
    ...(isEdited ? [{ path: patch, text: last }] : []),
    ...(universe.text('main', apply) === undefined ? [{ path: apply, text: applyText(workload) }] : []),
    ...(isEntered(text) ? [] : [{ path: overlay, text: withEntry(text) }]),
  ];
}

function isOf(message: string, { name }: BuiltWorkload): boolean {
  return parseTrailers(message)?.rollout.split('/').at(-1) === name;
}

function hasPin(patch: string): boolean {
  return patch.includes('leaderWorkerTemplate:');
}
