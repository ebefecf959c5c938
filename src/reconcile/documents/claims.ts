/** Which of several documents for one object counts, so that no folder takes the name of another one's object. */

import { CARRIER_KIND } from '../../api/carrier.ts';
import { CONFIG_FILE, type Config, isBelow } from '../../api/config.ts';
import { groupOf } from '../../api/group-of.ts';
import type { Issue } from '../../api/issue.ts';
import { LWS_KIND, OWN_GROUP, ROUTE_PROVIDER_KIND } from '../../api/kinds.ts';
import { MARK } from '../../api/marks.ts';
import { foldersOf } from '../../api/owners.ts';
import { isOfOtherWorkload } from '../../api/rollout.ts';
import { isManaged, oneInFile } from '../../manifests/one-in-file.ts';
import type { ManifestDocument, ManifestFile } from '../../manifests/parse-file.ts';
import { allRivals, placesText, rivalIssue, twiceIssue } from './desired-issues.ts';
import { groupedBy } from './grouped.ts';
import { namespaceOf, workloadName } from './manifest-index.ts';
import { nameOf } from './read-rollout.ts';
import { providerTwiceIssue, routeKindOf } from './read-route-providers.ts';

/** Several files that have one object, or Rollouts of several names for one workload. */
export type Contest = {
  readonly id: string;
  /** What they have in common: one of the `claimsOf` each, in any commit. */
  readonly claim: string;
  /** A text that each of them contains. */
  readonly marker: string;
  readonly name: string;
  readonly files: readonly string[];
};

/** By contest, the file of which main's own line had the document first; not there: nobody has looked, or nobody knows. */
export type Firsts = ReadonlyMap<string, string | undefined>;

/** A document that does not count, and the one that does. */
export type Loser = { readonly document: ManifestDocument; readonly winner: ManifestDocument; readonly issue: Issue };

export type Settled = {
  readonly files: readonly ManifestFile[];
  readonly losers: readonly Loser[];
  /** Twins that nothing decides between: all of them are left. */
  readonly open: readonly Contest[];
};

type Group = { readonly id: string; readonly of: readonly ManifestDocument[]; readonly isRivalry: boolean };

/**
 * The files without the documents that do not count: of an object that a folder of its owners has, those of other folders;
 * else those that came after the first, once that is known.
 */
export function settleClaims(files: readonly ManifestFile[], config: Config, firsts: Firsts): Settled {
  const documents = files.flatMap((file) => file.documents);
  const { losers, open } = settleDocuments(documents, config, firsts);
  const gone = new Set(losers.map(({ document }) => document));
  const kept = gone.size === 0 ? files : files.map((file) => without(file, gone));
  return { files: kept, losers, open };
}

/** The same of documents that are looked for apart. */
export function settleDocuments(
  documents: readonly ManifestDocument[],
  config: Config,
  firsts: Firsts,
): Pick<Settled, 'losers' | 'open'> {
  const losers: Loser[] = [];
  const open: Contest[] = [];
  const lost = new Set<ManifestDocument>();
  const lose = (more: readonly Loser[]): void => {
    for (const loser of more) {
      losers.push(loser);
      lost.add(loser.document);
    }
  };
  for (const all of groupsIn(documents, config)) {
    // A Rollout claims its workload as well: it is lost once.
    const group = { ...all, of: all.of.filter((one) => !lost.has(one)) };
    const parts = groupedBy(group.of, (document) => isForeign(document, config));
    const [own, foreign] = [parts.get(false) ?? [], parts.get(true) ?? []];
    const [first] = own;
    if (first !== undefined)
      lose(foreign.map((document) => ({ document, winner: first, issue: foreignIssue(document, config) })));
    const { left, twins } = oneOfEach(first === undefined ? group.of : own, group);
    lose(twins);
    if (left.length < 2) continue;
    const contest = contestOf(group, left);
    const file = firsts.get(contest.id);
    const [winner, ...others] = left.filter((document) => document.file === file);
    if (winner === undefined || others.length > 0) open.push(contest);
    else lose(laterOnes(winner, left, group));
  }
  return { losers, open };
}

/** Of each file the one that counts, where that is known, and those next to it. */
function oneOfEach(
  all: readonly ManifestDocument[],
  { isRivalry }: Group,
): { readonly left: readonly ManifestDocument[]; readonly twins: readonly Loser[] } {
  if (isRivalry || !COUNTED.includes(all[0]?.object.kind ?? '')) return { left: all, twins: [] };
  const twins = [...groupedBy(all, ({ file }) => file).values()].flatMap((inFile) => {
    const winner = oneInFile(inFile);
    return winner === undefined || inFile.length < 2 ? [] : inTheSameFile(winner, inFile);
  });
  const gone = new Set(twins.map(({ document }) => document));
  return { left: all.filter((document) => !gone.has(document)), twins };
}

/** Kinds of which one in a file may count next to others of its name. */
const COUNTED: readonly string[] = [LWS_KIND, CARRIER_KIND, 'Rollout'];

function inTheSameFile(winner: ManifestDocument, inFile: readonly ManifestDocument[]): readonly Loser[] {
  const [document = winner, ...more] = inFile.filter((one) => one !== winner);
  const named = twiceIssue(document, [winner]);
  const others = more.length === 0 ? '' : `, nor do those in ${placesText(more)}`;
  const why = isManaged(winner) ? 'the other one has the annotations of a delivery' : 'the first in a file counts';
  const issue = { ...named, message: `${named.message}; ${why}, so this one does not count${others}` };
  return [document, ...more].map((one) => ({ document: one, winner, issue }));
}

/** The file without these documents. */
export function without(file: ManifestFile, gone: ReadonlySet<ManifestDocument>): ManifestFile {
  const documents = file.documents.filter((document) => !gone.has(document));
  return documents.length === file.documents.length ? file : { ...file, documents };
}

/** Whether the namespace of the document belongs to other folders. */
export function isForeign(document: ManifestDocument, config: Config): boolean {
  if (document.object.apiVersion.startsWith(OWN_GROUP)) return false;
  const folders = foldersOf(config.owners, namespaceOf(document, config) ?? '');
  return folders !== undefined && !isBelow(folders, document.file);
}

/** Documents that want one name, one workload or one kind of route. Policies add up: none of them takes another one's place. */
function groupsIn(documents: readonly ManifestDocument[], config: Config): readonly Group[] {
  const claims = documents.flatMap((document) => claimsOf(document, config).map((id) => ({ id, document })));
  const groups = groupedBy(claims, ({ id }) => id);
  return [...groups].flatMap(([id, claimed]) => {
    if (claimed.length < 2) return [];
    const of = claimed.map(({ document }) => document);
    return [{ id, of, isRivalry: of.some(({ object }) => object.name !== of[0]?.object.name) }];
  });
}

/** A Rollout that Kruise steps, of a Deployment say: it is neither read nor a rival. */
function isOfOthers({ object, value }: ManifestDocument): boolean {
  return object.kind === 'Rollout' && isOfOtherWorkload(value);
}

/** What a document claims: its own name, and a Rollout the workload that it names; a RouteProvider the kind that it is for. */
export function claimsOf(document: ManifestDocument, config: Config): readonly string[] {
  const { apiVersion, kind, name } = document.object;
  if (apiVersion.startsWith(OWN_GROUP)) return providerIds(document, config);
  if (isOfOthers(document)) return [];
  const namespace = namespaceOf(document, config) ?? '';
  const group = groupOf(apiVersion);
  const own = JSON.stringify([group, kind, namespace, name]);
  const workload = kind === 'Rollout' ? workloadName(document) : '';
  return workload === '' ? [own] : [own, JSON.stringify([group, kind, namespace, '', workload])];
}

/** What a document claims that has annotations of tranche: to be what is delivered under its name. */
export function managedClaim(document: ManifestDocument, config: Config): readonly string[] {
  if (!isManaged(document)) return [];
  const { kind, name } = document.object;
  return [JSON.stringify([MARK.release, kind, namespaceOf(document, config) ?? '', name])];
}

/** Where `policyPaths` is set, those outside of it never count next to one inside: they contest each other alone. */
function providerIds(document: ManifestDocument, { policyPaths }: Config): readonly string[] {
  const of = routeKindOf(document);
  const isInside = policyPaths === undefined || isBelow(policyPaths, document.file);
  return of === undefined ? [] : [JSON.stringify([ROUTE_PROVIDER_KIND, of.group, of.kind, isInside])];
}

/** Documents of one name, whatever else there is; undefined: they claim nothing. */
export function contestAmong(documents: readonly ManifestDocument[], config: Config): Contest | undefined {
  const [id] = documents.slice(0, 1).flatMap((document) => claimsOf(document, config));
  return id === undefined ? undefined : contestOf({ id }, documents);
}

function contestOf({ id }: Pick<Group, 'id'>, left: readonly ManifestDocument[]): Contest {
  const files = [...new Set(left.map(({ file }) => file))].sort();
  return {
    id: JSON.stringify([id, ...files]),
    claim: id,
    marker: left[0]?.object.kind ?? '',
    name: left[0]?.object.name ?? '',
    files,
  };
}

/** Those that came after the first. All that have the same object share one issue: a name in fifty files is one mistake. */
function laterOnes(winner: ManifestDocument, left: readonly ManifestDocument[], group: Group): readonly Loser[] {
  const later = left.filter((document) => document !== winner);
  const shared = group.isRivalry ? undefined : laterIssue(later, winner, group);
  return later.map((document) => ({ document, winner, issue: shared ?? laterIssue([document], winner, group) }));
}

function laterIssue(later: readonly ManifestDocument[], winner: ManifestDocument, { isRivalry }: Group): Issue {
  const [document = winner, ...more] = later;
  const isProvider = document.object.kind === ROUTE_PROVIDER_KIND;
  const rival = isProvider ? providerTwiceIssue(document, winner) : undefined;
  const named = isRivalry
    ? rivalIssue(document, allRivals([winner]), workloadName(document))
    : twiceIssue(document, [winner]);
  const issue = rival ?? named;
  const others = more.length === 0 ? '' : `, nor do those in ${placesText(more)}`;
  return { ...issue, message: `${issue.message}; ${winner.file} had it first, so this one does not count${others}` };
}

/** The document is for a namespace that belongs to other folders. */
export function foreignIssue(document: ManifestDocument, config: Config): Issue {
  const namespace = namespaceOf(document, config) ?? '';
  const folders = foldersOf(config.owners, namespace) ?? [];
  return {
    file: document.file,
    line: document.lineOf(['metadata', 'namespace']),
    path: 'metadata.namespace',
    reason: 'ForeignFolder',
    message: `${nameOf(document)}: namespace ${namespace} belongs to ${folders.join(', ')} by owners of ${CONFIG_FILE}, so that it does not count from here`,
    hint: `Move it there, or name its folder under owners in ${CONFIG_FILE}.`,
  };
}
