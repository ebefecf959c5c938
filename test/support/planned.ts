/** What a plan would write, in the notation of tables; checks on the way that edits, subject and record agree. */

import { expect } from 'vitest';
import { INTENT } from '../../src/api/intents.ts';
import type { JsonObject } from '../../src/api/json.ts';
import { MARK, parseMarks, withoutRelease } from '../../src/api/marks.ts';
import { parseRecreating } from '../../src/api/recreating.ts';
import { MAX_UNAVAILABLE_PATH, PARTITION_PATH, REPLICAS_PATH } from '../../src/api/workload-paths.ts';
import type { PlannedCommit } from '../../src/rollout/commits/planned-commit.ts';
import { parseTrailers } from '../../src/rollout/commits/trailers.ts';
import { editsOf, markEdits } from '../../src/rollout/edits/change-edits.ts';
import type { ObjectEdits } from '../../src/rollout/edits/edit.ts';
import { type Plan, plan, recordWritten } from '../../src/rollout/plan.ts';
import type { EditedFile, Snapshot } from '../../src/rollout/snapshot.ts';
import { letterOf, showMarks, showRelease, WORKLOAD_FILE, type World, world } from './snapshot.ts';

/** A row of the specification: what the world looks like, and `Reason: subject => marks [text A] [| Holds]`. */
export type Row = readonly [when: string, world: World, then: string];

/** The answer of `plan` to a world, as rows spell it. */
export function planned(of: World): string {
  return show(world(of));
}

/** The same for a snapshot that is there already. */
export function show(snapshot: Snapshot): string {
  const made = plan(snapshot);
  checkQuiet(made);
  const holds = [...new Set(made.holds.map((hold) => hold.reason))].join(' ');
  if (made.commit === undefined) return holds === '' ? 'nothing' : `hold ${holds}`;
  const gone = snapshot.recreateText.kind === 'known' ? snapshot.recreateText.value.manifest : undefined;
  const file = snapshot.workload ?? gone;
  if (file === undefined) throw new Error('a commit without a workload');
  const edits = editsIn(made);
  const commit = `${showCommit(made.commit, { file, edits })}${showRollout(edits)}`;
  return holds === '' ? commit : `${commit} | ${holds}`;
}

function checkQuiet(made: Plan): void {
  for (const hold of made.holds) expect(hold.message, hold.reason).toMatch(/\S/);
  if (made.commit === undefined) return;
  const trailers = parseTrailers(made.commit.message);
  expect(trailers?.reason).toBe(made.commit.reason);
  expect(trailers?.plannedFrom).toBe(made.main);
  expect(made.commit.message).toMatch(new RegExp(`^${escape(made.commit.subject)}\n\n.+`));
  expect(made.commit.message).not.toMatch(/undefined|NaN|\[object/);
}

function escape(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}

/** Applies the edits to the fields that we own, and names the outcome. */
function showCommit(
  commit: PlannedCommit,
  { file, edits }: { readonly file: EditedFile; readonly edits: readonly ObjectEdits[] },
): string {
  const fields = { ...fieldsOf(file) };
  let text = '';
  const whole = edits[0]?.document?.kind;
  if (!commit.reason.startsWith('Recreate')) expect(edits).toHaveLength(1);
  if (whole === 'remove') {
    expect(edits[0]?.edits).toEqual([]);
    expect(edits[0]?.file).toBe(WORKLOAD_FILE);
    return `${commit.reason}: ${commit.subject.replace('rollout(llm/vllm): ', '')} => ${showMarks(commit.progress.marks)}`;
  }
  if (whole === 'insert') text = ' back in its file';
  for (const edit of edits[0]?.edits ?? []) {
    const key = edit.path.map(String).join('/');
    if (edit.kind === 'restore') text = `${text.replace(/ text .$/, '')} text ${edit.source.slice(-1)}`;
    else if (edit.kind === 'remove') delete fields[key];
    else if (edit.kind !== 'set') throw new Error(`no kind of edit that is shown: ${edit.kind}`);
    else {
      expect(fields[key], `${key} is set to what it is`).not.toBe(edit.value);
      fields[key] = edit.value;
    }
  }
  expect(edits[0]?.file).toBe(WORKLOAD_FILE);
  const subject = commit.subject.replace('rollout(llm/vllm): ', '');
  checkSubject(subject, { before: fieldsOf(file), after: fields });
  const annotations = Object.fromEntries(
    Object.entries(fields)
      .filter(([key]) => key.startsWith('metadata/annotations/'))
      .map(([key, value]) => [key.replace('metadata/annotations/', ''), String(value)]),
  );
  const marks = parseMarks(annotations);
  if (marks !== undefined && !('release' in marks)) throw new Error(`unreadable marks: ${JSON.stringify(marks)}`);
  const trailers = parseTrailers(commit.message);
  expect(trailers?.release).toBe(annotations[MARK.release]);
  expect(trailers?.step).toBe(withoutRelease(annotations[MARK.step] ?? 'settled'));
  expect(marks === undefined ? '' : showRelease(marks.release)).toContain(letterOf(marks?.release.digest ?? ''));
  return `${commit.reason}: ${subject} => ${showMarks(marks)}${text}`;
}

/** What becomes of the annotation of the Rollout: ` keeps {…}`, ` keeps nothing`. */
function showRollout(edits: readonly ObjectEdits[]): string {
  const [edit] = edits[1]?.edits ?? [];
  if (edit === undefined) return '';
  expect(edit.path).toEqual(['metadata', 'annotations', INTENT.recreating]);
  if (edit.kind !== 'set') return ', keeps nothing';
  const kept = parseRecreating(String(edit.value));
  return kept === undefined
    ? ', keeps what cannot be read'
    : `, keeps ${kept.way} ${showRelease(kept.release)} of ${kept.text.slice(0, 1)}, stable ${kept.stable.commit.slice(0, 1)}`;
}

type Fields = Record<string, string | number | boolean | null>;

function fieldsOf(file: EditedFile): Fields {
  const fields: Fields = {};
  for (const edit of markEdits(undefined, file.workload.marks))
    if (edit.kind === 'set') fields[edit.path.map(String).join('/')] = edit.value;
  const { partition, replicas, maxUnavailable } = file.workload;
  if (replicas !== undefined) fields[REPLICAS_PATH.join('/')] = replicas;
  if (partition !== undefined) fields[PARTITION_PATH.join('/')] = partition;
  if (maxUnavailable !== undefined) fields[MAX_UNAVAILABLE_PATH.join('/')] = maxUnavailable;
  return fields;
}

/** A subject names every field that changes, from what it is to what it becomes. */
function checkSubject(subject: string, at: { readonly before: Fields; readonly after: Fields }): void {
  for (const [name, path] of [
    ['replicas', REPLICAS_PATH],
    ['partition', PARTITION_PATH],
    ['maxUnavailable', MAX_UNAVAILABLE_PATH],
  ] as const) {
    const key = path.join('/');
    const [before, after] = [at.before[key], at.after[key]];
    if (before === after) expect(subject).not.toContain(`${name} `);
    else expect(subject).toContain(`${name} ${before ?? 'unset'} → ${after ?? 'unset'}`);
  }
}

/** The edits of the files that a plan makes, object by object. */
export function editsIn({ commit }: Plan): readonly ObjectEdits[] {
  return editsOf(commit?.changes ?? []);
}

/** The next pass: the same world, with the record that the pass before left. */
export function again(of: World, before: World = of): World {
  const record = recordWritten(plan(world(before)));
  return { ...of, record: JSON.parse(JSON.stringify(record)) as typeof record };
}

/** Content of no consequence that keeps a snapshot plain JSON. */
export function roundTrip(snapshot: Snapshot): Snapshot {
  return JSON.parse(JSON.stringify(snapshot)) as Snapshot & JsonObject;
}
