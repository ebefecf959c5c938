/** What fields of other objects were before a delivery put them aside, as main's own line has them: the mark may say anything. */

import type { Aside } from '../../api/aside.ts';
import { ABSENT, type EditPath, type FieldValue, type ItemMatch, sameValue } from '../../api/field.ts';
import { at, isJsonObject, type Json } from '../../api/json.ts';
import type { Marks } from '../../api/marks.ts';
import type { Release } from '../../api/release.ts';
import { pathText } from '../../manifests/path-text.ts';
import type { Oid } from '../../ports/git.ts';
import { asideName } from '../../rollout/ladders/asides.ts';
import { namespaceOf } from '../documents/manifest-index.ts';
import { beforeAside, setOtherwise } from './before-aside.ts';
import type { Observation } from './observation.ts';
import type { Forged } from './stable-in-history.ts';
import { deliveredBy, isBefore, type Version } from './version.ts';

/**
 * What is to be put back: the value that the field had in main's own line right before a commit put it aside, by the mark
 * as it is, or by the first that named the field; and what the mark leaves out of it, where the field still is as this delivery
 * has set it. Where history does not go back so far, or has no such object there, the mark is all there is, and it only
 * reaches objects that the delivery writes into. Throws PortError.
 */
export async function asidesBorneOut(
  of: Observation,
  marks: Marks,
): Promise<{ readonly asides: readonly Aside[]; readonly forged: readonly Forged[] }> {
  const asides: Aside[] = [];
  const forged: Forged[] = [];
  const said = marks.restore?.objects ?? [];
  const release = deliveredBy(marks);
  for (const aside of await leftOut(of, said, release)) {
    const [was = aside.was] = await valuesBefore(of, aside);
    asides.push({ ...aside, was });
    forged.push(omission(aside, was));
  }
  for (const one of said) {
    const aside = await asSet(of, one, release);
    if (aside !== one)
      forged.push(setOtherwise(`${pathText(one.path)} of ${one.object}`, text(one.set), text(aside.set)));
    const values = await valuesBefore(of, aside);
    const [first] = values;
    const isTrue = first === undefined || values.some((value) => sameValue(value, aside.was));
    asides.push(isTrue ? aside : { ...aside, was: first });
    if (!isTrue) forged.push(forgery(aside, first));
  }
  return { asides, forged };
}

function text(value: FieldValue): string {
  return typeof value === 'object' ? 'nothing' : JSON.stringify(value);
}

/**
 * The same as this delivery set the field, where a commit changed that word of the mark alone: the field would pass for one that
 * a hand has written since.
 */
async function asSet(of: Observation, aside: Aside, release: Release | undefined): Promise<Aside> {
  const now = await valueAt(of, of.desired.commit, aside);
  if (now === undefined || sameValue(now, aside.set)) return aside;
  const there = (version: Version): Aside | undefined => asidesIn(version).find(sameField(aside));
  const walked = await of.git.line.walk<{ readonly by?: Oid; readonly set?: Aside['set'] }>(of.entry, {
    keyOf: (version) => JSON.stringify([version.kind, isBefore(version, release), there(version)?.set ?? null]),
    visit: ({ version, until }) => {
      const then = there(version);
      // One commit may take the entry out, and another bring it back.
      if (then === undefined) return isBefore(version, release) ? {} : undefined;
      return until !== undefined && sameValue(then.set, now) ? { by: until, set: then.set } : undefined;
    },
  });
  const { by, set } = walked.kind === 'found' ? walked.value : {};
  const left = by === undefined ? undefined : await valueAt(of, by, aside);
  return set === undefined || left === undefined || !sameValue(left, set) ? aside : { ...aside, set };
}

function omission({ object, path }: Aside, before: FieldValue): Forged {
  return {
    seen: `leaves out what ${pathText(path)} of ${object} was before this delivery set it`,
    hint: `${text(before)} is what is put back. git log -p of the file shows who changed the mark.`,
  };
}

/** What this delivery put aside last of fields that the mark says nothing of, and that are as it has set them. */
async function leftOut(
  of: Observation,
  said: readonly Aside[],
  release: Release | undefined,
): Promise<readonly Aside[]> {
  const walked = await of.git.line.walk<readonly Aside[]>(of.entry, {
    keyOf: (version) => JSON.stringify([version.kind, isBefore(version, release), asidesIn(version)]),
    visit: ({ version }) => {
      const others = asidesIn(version).filter((aside) => !said.some(sameField(aside)));
      return others.length > 0 || isBefore(version, release) ? others : undefined;
    },
  });
  const found: Aside[] = [];
  for (const aside of walked.kind === 'found' ? walked.value : []) {
    const now = await valueAt(of, of.desired.commit, aside);
    if (now !== undefined && sameValue(now, aside.set)) found.push(aside);
  }
  return found;
}

function forgery({ object, path, was }: Aside, before: FieldValue): Forged {
  return {
    seen: `says that ${pathText(path)} of ${object} was ${text(was)}, and main's own line had ${text(before)} before this delivery`,
    hint: `${text(before)} is what is put back. git log -p of the file shows who changed the mark.`,
  };
}

/**
 * The best first, of those in main's own line that can be read. A value that this delivery has set itself was nobody's: a hand
 * has taken the mark out since, by a revert say, and left the field.
 */
async function valuesBefore(of: Observation, aside: Aside): Promise<readonly FieldValue[]> {
  const said = (isOurs: (other: Aside) => boolean) => (version: Version) => asidesIn(version).some(isOurs);
  const set: FieldValue[] = [];
  const notice = (version: Version): void => {
    const there = asidesIn(version).find(sameField(aside));
    if (there !== undefined) set.push(there.set);
  };
  const before = await beforeAside(of, {
    isAside: said(sameField(aside)),
    isSame: said(sameEntry(aside)),
    notice,
  });
  const found: FieldValue[] = [];
  for (const { commit } of before) {
    const value = await valueAt(of, commit, aside);
    const isOurs = found.length > 0 && value !== undefined && set.some((one) => sameValue(one, value));
    if (value !== undefined && !isOurs) found.push(value);
  }
  return found;
}

function asidesIn(version: Version): readonly Aside[] {
  return version.kind === 'read' ? (version.workload.workload.marks?.restore?.objects ?? []) : [];
}

function sameField({ object, path }: Aside): (other: Aside) => boolean {
  const wanted = JSON.stringify([object, path]);
  return (other) => JSON.stringify([other.object, other.path]) === wanted;
}

function sameEntry(aside: Aside): (other: Aside) => boolean {
  const isField = sameField(aside);
  return (other) => isField(other) && sameValue(other.was, aside.was);
}

/** Whether a field of another object is in main as this delivery has set it. Throws PortError. */
export async function isStillSet(of: Observation, { restore }: Marks): Promise<boolean> {
  const asides = restore?.objects ?? [];
  const now = await Promise.all(asides.map((aside) => valueAt(of, of.desired.commit, aside)));
  return asides.some(({ set }, place) => {
    const value = now[place];
    return value !== undefined && sameValue(value, set);
  });
}

/** undefined: the commit has no such object, or has it twice. */
async function valueAt(
  { git, entry, desired }: Observation,
  commit: Oid,
  aside: Aside,
): Promise<FieldValue | undefined> {
  const kind = aside.object.replace(/[./].*$/s, '');
  const documents = await git.documentsAt(commit, { kinds: [kind], paths: undefined });
  const [document, ...twins] = documents.filter(
    (one) => asideName(one.object) === aside.object && namespaceOf(one, desired.config) === entry.key.namespace,
  );
  if (document === undefined || twins.length > 0) return undefined;
  const value = scalarAt(document.value, aside.path);
  return value === undefined || value === null ? ABSENT : typeof value === 'object' ? undefined : value;
}

function scalarAt(value: Json, path: EditPath): Json | undefined {
  return path.reduce<Json | undefined>((here, part) => {
    if (!Array.isArray(here)) return typeof part === 'string' ? at(here, [part]) : undefined;
    const items: readonly Json[] = here;
    return typeof part === 'string' ? items[Number(part)] : items.find((item) => isMatch(item, part));
  }, value);
}

function isMatch(item: Json, { key, value }: ItemMatch): boolean {
  return isJsonObject(item) && item[key] === value;
}
