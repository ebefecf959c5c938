/** The law that a commit is safe whichever of its objects the agent applies, asked of copies of the world. */

import { at, canonicalJson, isJsonObject, type JsonObject } from '../../src/api/json.ts';
import { text } from '../../src/simulator/objects/objects.ts';
import { PODS, SERVICES } from '../../src/simulator/objects/resource-table.ts';
import { Chance } from './chance.ts';
import { shareIn } from './client-routes.ts';
import { isOurs, type OurCommit } from './our-commit.ts';
import { kindsOf, serviceNames } from './routed-files.ts';
import { NAMESPACE } from './truth.ts';
import { nameOf, type Universe } from './universe.ts';

type Asked = Pick<OurCommit, 'universe' | 'oid' | 'parent' | 'reason' | 'clusterLaws'>;

/** Some of the objects that a commit changes, in the order in which the agent applies them. */
type Part = readonly string[];

/** More objects than this are not tried in every combination: as many parts of them are drawn. */
const ALL_PARTS_OBJECTS_MAX = 4;
const PARTS_MAX = 2 ** ALL_PARTS_OBJECTS_MAX - 2;

/** Longer than a roll of all groups takes. */
const ROLL_SECONDS = 600;

/**
 * S7: what a part of the commit leads to breaks no law of the cluster, and leaves every Service its ready groups;
 * nor does the rest, applied after it. Commits that the agent has not applied yet are skipped.
 */
export function partsSafe(asked: Asked): string | undefined {
  const changed = changedObjects(asked);
  // None is how the world is, and all is what the schedule plays.
  if (changed.length < 2) return undefined;
  const before = readyBehind(asked.universe);
  // Without Services there is nothing to compare with.
  const whole = before.size === 0 ? before : outcome(asked, { changed, part: changed }).serving;
  for (const part of partsOf(changed, new Chance(`parts of ${asked.oid}`))) {
    const { wrong, serving, rest } = outcome(asked, { changed, part });
    const fewer = unserved(serving, { before, whole });
    const alone = wrong ?? (fewer !== undefined && fewerByPeople(asked, part, { before, whole }) ? undefined : fewer);
    if (alone === undefined && rest === undefined) continue;
    // What happens without the commit as well is not its doing.
    if (outcome(asked, { changed, part: [] }).wrong !== undefined || ofPeople(asked)) continue;
    if (isOfHand(wrong ?? rest, () => ofHand(asked, { changed, part }))) continue;
    return alone === undefined ? `${part.join(', ')}, then the rest: ${rest}` : `${part.join(', ')} alone: ${alone}`;
  }
  return undefined;
}

/** The objects that differ from what the agent applied last, or from the parent, by kind and name. */
function changedObjects({ universe, oid, parent }: Asked): readonly string[] {
  const bases = new Set([parent, universe.agentAt ?? parent]);
  return [...new Set([...bases].flatMap((base) => differing(universe, base, oid)))].sort();
}

function differing(universe: Universe, from: string, to: string): readonly string[] {
  const [old, fresh] = [universe.repository.files(from), universe.repository.files(to)];
  // Parses cost time, and a file that is the same has the same objects.
  const edited = (path: string): boolean => old[path] !== fresh[path];
  const [were, are] = [objectsOf(universe, from, edited), objectsOf(universe, to, edited)];
  return [...new Set([...were.keys(), ...are.keys()])].filter((key) => were.get(key) !== are.get(key));
}

function objectsOf(universe: Universe, commit: string, wanted: (path: string) => boolean): ReadonlyMap<string, string> {
  const documents = [...universe.manifests(commit, wanted).values()].flat();
  return new Map(documents.map((document) => [keyOf(document), canonicalJson(document)]));
}

function keyOf(document: JsonObject): string {
  return `${text(document['kind'])} ${nameOf(document)}`;
}

/** Every part but none and all, each in an order of its own. */
function partsOf(changed: readonly string[], chance: Chance): readonly Part[] {
  const masks = Array.from({ length: Math.min(2 ** changed.length - 2, PARTS_MAX) }, (_, i) =>
    changed.length <= ALL_PARTS_OBJECTS_MAX ? i + 1 : chance.between(1, 2 ** changed.length - 2),
  );
  return masks.map((mask) =>
    shuffled(
      changed.filter((_, i) => Math.floor(mask / 2 ** i) % 2 === 1),
      chance,
    ),
  );
}

function shuffled(part: Part, chance: Chance): Part {
  const placed = part.map((key) => ({ key, place: chance.next() }));
  return placed.sort((a, b) => a.place - b.place).map(({ key }) => key);
}

type Outcome = {
  readonly wrong: string | undefined;
  readonly serving: Serving;
  /** What is wrong once the rest has come; undefined also where it is not asked. */
  readonly rest: string | undefined;
};

/** What a part leads to, and what the laws say to it; then to the rest that comes after it. */
function outcome(asked: Asked, { changed, part }: { readonly changed: Part; readonly part: Part }): Outcome {
  const { oid } = asked;
  const { fork, played } = copy(asked);
  const there = new Set([...fork.manifests(oid).values()].flat().map(keyOf));
  const removed = changed.filter((key) => !there.has(key));
  fork.sync(oid, {
    pick: (all) => part.flatMap((key) => all.filter((document) => keyOf(document) === key)),
    // Removals go together: with the part that has all of them.
    prune: removed.length > 0 && removed.every((key) => part.includes(key)),
  });
  const wrong = played();
  const serving = readyBehind(fork);
  if (wrong !== undefined || part.length === 0 || part.length === changed.length)
    return { wrong, serving, rest: undefined };
  fork.sync(oid);
  return { wrong, serving, rest: played() };
}

/** The files as they were before the commit lead to the same: what people have released for update there comes with any part of it. */
function fewerByPeople(asked: Asked, part: Part, than: Parameters<typeof unserved>[1]): boolean {
  const { fork, played } = copy(asked);
  fork.sync(asked.parent, { pick: (all) => all.filter((document) => part.includes(keyOf(document))), prune: false });
  played();
  return unserved(readyBehind(fork), than) !== undefined;
}

/** The stable template that people put back restarts groups by itself, whatever they answer, once the agent applies it. */
function ofPeople(asked: Asked): boolean {
  if (asked.reason !== 'Reverted') return false;
  const { fork, played } = copy(asked);
  fork.sync(asked.parent);
  return played() !== undefined;
}

/** What a hand has written in the commit before leads to by itself, applied in the same parts; undefined: to nothing, or it is ours. */
function ofHand(asked: Asked, parts: { readonly changed: Part; readonly part: Part }): string | undefined {
  if (isOurs(asked.universe, asked.parent)) return undefined;
  const without = outcome({ ...asked, oid: asked.parent }, parts);
  return without.wrong ?? without.rest;
}

/** The same is wrong without our commit, by what a hand has written in the one before: another fault stays ours. */
export function isOfHand(wrong: string | undefined, byHand: () => string | undefined): boolean {
  return wrong !== undefined && byHand() === wrong;
}

/** A copy of the world, and what the laws say to it once all groups have had the time to roll. */
function copy(asked: Asked): { readonly fork: Universe; readonly played: () => string | undefined } {
  const fork = asked.universe.fork();
  const laws = asked.clusterLaws(fork);
  for (const law of laws) law.opened(asked.oid);
  const played = (): string | undefined => {
    fork.observe();
    fork.tick(ROLL_SECONDS);
    fork.observe();
    return laws.map((law) => law.look()?.join(': ')).find((wrong) => wrong !== undefined);
  };
  return { fork, played };
}

/** `asked`: somebody sends requests there, as far as routes say it. */
type Serving = ReadonlyMap<string, { readonly ready: number; readonly budget: number; readonly asked: boolean }>;

/** A Service that keeps fewer ready groups than it had and than all of the commit leaves it, but for the budget. */
function unserved(
  serving: Serving,
  { before, whole }: { readonly before: Serving; readonly whole: Serving },
): string | undefined {
  for (const [name, { ready, budget, asked }] of before) {
    if (!asked && serving.get(name)?.asked !== true) continue;
    const kept = Math.min(ready, whole.get(name)?.ready ?? 0);
    const least = Math.max(kept - budget, Math.min(1, kept));
    const left = serving.get(name)?.ready ?? 0;
    if (left < least) return `${left} ready groups serve ${name}, where ${least} must`;
  }
  return undefined;
}

/** Of each Service the ready groups whose leaders it selects, and how many of them may be down. */
function readyBehind(universe: Universe): Serving {
  const { objects } = universe.cluster;
  const leaders = objects.list(PODS, NAMESPACE);
  return new Map(
    objects.list(SERVICES, NAMESPACE).flatMap((service) => {
      const selector = at(service, ['spec', 'selector']);
      if (!isJsonObject(selector)) return [];
      const chosen = new Set(leaders.filter((pod) => selects(selector, pod.metadata.labels ?? {})).map(uidOf));
      const behind = universe.setup.workloads.flatMap(({ name }) => {
        const truth = universe.truth(name);
        const groups = truth?.groups.filter(({ leaderUid }) => chosen.has(leaderUid)) ?? [];
        return truth === undefined || groups.length === 0 ? [] : [{ groups, budget: truth.maxUnavailable }];
      });
      const ready = behind.flatMap(({ groups }) => groups.filter((group) => group.ready)).length;
      const budget = behind.reduce((sum, one) => sum + one.budget, 0);
      const { name } = service.metadata;
      return [[name, { ready, budget, asked: isAskedFor(universe, name) }] as const];
    }),
  );
}

/** Of a Service behind routes: whether one of them sends there now. Others may be asked by anybody. */
function isAskedFor(universe: Universe, service: string): boolean {
  const workload = universe.setup.workloads.find(
    (one) => kindsOf(one).length > 0 && Object.values(serviceNames(one)).includes(service),
  );
  const rules = universe.scenes.get(workload?.name ?? '')?.at(-1)?.rules;
  return rules === undefined || shareIn(rules, service) > 0;
}

function uidOf(pod: { readonly metadata: { readonly uid: string } }): string {
  return pod.metadata.uid;
}

function selects(selector: JsonObject, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}
