/** What Git asks for at one commit: the Rollouts, the workloads they name, and what is wrong with either. */

import type { Config } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import type { Rollout } from '../../api/rollout.ts';
import { updatesPrimary } from '../../api/styles.ts';
import { type KnownTexts, newKnownTexts } from '../../manifests/known-texts.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { samePatched } from '../../manifests/patch-place.ts';
import type { Tree } from '../../ports/git.ts';
import type { RolloutKey } from '../../rollout/snapshot.ts';
import type { Builds } from '../documents/built-over.ts';
import { withCalled } from '../documents/called.ts';
import { type Firsts, foreignIssue, isForeign, type Settled } from '../documents/claims.ts';
import {
  madeIssue,
  mayBe,
  missingIssue,
  notOverBuilds,
  rivalIssue,
  TWINS_READ_MOST,
  twiceIssues,
  type Unseen,
} from '../documents/desired-issues.ts';
import { fileIdsOf } from '../documents/file-ids.ts';
import { indexOf, type ManifestIndex, madeFor, workloadName } from '../documents/manifest-index.ts';
import { INTERESTS, type ParseCache, parsedAlone } from '../documents/parse-cache.ts';
import { type RolloutReading, readRollout } from '../documents/read-rollout.ts';
import {
  heldProviders,
  type RouteProviders,
  readRouteProviders,
  withRouteProviders,
} from '../documents/read-route-providers.ts';
import { besideRollout, keyOf, subjectOf } from '../documents/rollout-names.ts';
import { NO_TRAFFIC } from '../documents/traffic-index.ts';
import { type LosersTo, losersTo, twinIssues } from '../documents/twin-issues.ts';
import { managedAlone, outAlone } from '../documents/unnamed.ts';
import { withPools } from '../documents/with-pools.ts';
import { placeRefused } from '../documents/written-place.ts';
import { type CarriedBy, carriedBy, carrierIn, carriersAlone } from '../helm/carried-by.ts';
import { wantedBy } from '../helm/named-releases.ts';
import { policyIndex } from '../policies/policy-index.ts';
import { NO_SCOPE, readPolicies } from '../policies/read-policy.ts';
import { contentsOf } from './contents.ts';
import { countingOf } from './counting.ts';
import { type Desired, type DesiredRollout, isStepped } from './desired-rollout.ts';
import { elsewhereOf } from './elsewhere.ts';
import { fileIssues } from './file-issues.ts';
import { newTrials } from './trials.ts';
import { overAt, overWanted, rootIn } from './with-builds.ts';

type With = {
  readonly known?: KnownTexts;
  readonly firsts?: Firsts;
  /** What kustomize builds of these files. Not there: nothing is built. */
  readonly built?: Builds['built'];
  readonly unbuilt?: Builds['unbuilt'];
};

/** Reads a tree into rollouts. Pure but for the cache and what is known of texts, which only save time. */
export function desiredOf(
  tree: Tree,
  config: Config,
  cache: ParseCache,
  { known = newKnownTexts(), firsts = new Map(), built: builds = [], unbuilt = [] }: With = {},
): Desired {
  const { read, unreadable, texts } = contentsOf(tree);
  const parsed = parsedAlone(cache, read, { interests: INTERESTS, known });
  const { files, claims, releases, built } = countingOf(parsed, { texts, config, firsts, built: builds });
  const policies = readPolicies(files, unreadable, config);
  const blobs = fileIdsOf(tree);
  const index = indexOf({ files: claims.files, texts, blobs, config, built, releases });
  const providers = readRouteProviders(claims.files, config);
  const all = {
    index,
    policyOf: policyIndex(policies, { required: config.requiredPolicies, owners: config.owners }),
    unseen: { unread: unreadable.map(({ path }) => path), ...elsewhereOf({ blobs, texts, claims, index, config }) },
    config,
    providers,
    claims,
    losersTo: losersTo(claims),
    built,
    unbuilt,
    texts,
    firsts,
  };
  const entries = [...index.rollouts.map((document) => rolloutOf(document, all)), ...orphans(all)];
  const rollouts = withCalled(entries.filter(isRollout).sort(inOrder), config);
  const strays = entries.flatMap((entry) => (isRollout(entry) ? [] : [entry]));
  return {
    commit: tree.commit,
    config,
    blobs,
    folders: config.paths.includes('') ? [] : tree.folders,
    texts,
    files,
    index,
    rollouts,
    inDelivery: rollouts.filter(isStepped),
    ...fileIssues(all, { files, unreadable, policies, rollouts, issues: [...strays, ...ofClaims(all)], texts }),
    trials: newTrials(),
    traffic: NO_TRAFFIC,
    customs: providers.kinds,
    contests: claims.open,
  };
}

function ofClaims({ providers, claims, built, index }: Manifests): readonly Issue[] {
  return [...providers.issues, ...new Set(claims.losers.map(({ issue }) => issue)), ...outAlone(built, { index })];
}

type Manifests = {
  readonly index: ManifestIndex;
  readonly policyOf: ReturnType<typeof policyIndex>;
  /** Paths of files that are no text, or too large. */
  readonly unseen: Unseen;
  readonly config: Config;
  readonly providers: RouteProviders;
  readonly claims: Settled;
  readonly losersTo: LosersTo;
  readonly built: Builds['built'];
  readonly unbuilt: Builds['unbuilt'];
  readonly texts: ReadonlyMap<string, string>;
  readonly firsts: Firsts;
};

/** A rollout, or why it cannot even be distinguished from others: then it has no place among the records. */
type Entry = DesiredRollout | Issue;

function inOrder(a: DesiredRollout, b: DesiredRollout): number {
  return keyText(a.key) < keyText(b.key) ? -1 : keyText(a.key) > keyText(b.key) ? 1 : 0;
}

function isRollout(entry: Entry): entry is DesiredRollout {
  return 'key' in entry;
}

function rolloutOf(document: ManifestDocument, all: Manifests): Entry {
  const { index, config } = all;
  const key = keyOf(document, config);
  if ('reason' in key) return key;
  const read = changed(readRollout(document), (rollout) => withRouteProviders(rollout, all.providers.kinds));
  const policy = all.policyOf(subjectOf(document, { key, strategy: read.rollout?.rollout.style }));
  const reading = changed(read, (rollout) => withPools(rollout, policy.rules));
  const held = heldProviders(reading.rollout?.rollout, all.providers);
  const issues: Issue[] = [...reading.issues, ...policy.issues, ...held];
  const { namespace } = key;
  // Each of them is held, and by one issue.
  issues.push(...twiceIssues(index.rolloutsCalled(key)));
  const name = workloadName(document);
  const rivals = index.rivalsOf({ namespace, name }, key.name);
  if (name !== '' && rivals.many > 0) issues.push(rivalIssue(document, rivals, name));
  const found = index.workloadsCalled({ namespace, name });
  const gone = reading.rollout?.intents.recreating;
  const carried = carriedBy(document, { index, config, found, rollout: reading.rollout?.rollout, name });
  const workload = carried?.document ?? (found.length === 1 ? found[0] : undefined);
  const over = overWanted(document, { workload, namespace, name }, all);
  if (over !== undefined && over.named.kind === undefined)
    issues.push(...notOverBuilds(document, { rollout: reading.rollout?.rollout, root: over.root }));
  if (over?.document === undefined && over !== undefined)
    issues.push(...over.issues, ...(gone === undefined && over.takenOut !== undefined ? [over.takenOut.issue] : []));
  else if (gone === undefined || found.length > 0)
    issues.push(...placeIssues(document, { name, namespace, found, carried }, all));
  const scalers = updatesPrimary(reading.rollout?.rollout.style) ? index.scalersOf({ namespace, name }) : [];
  issues.push(...twinIssues([document, workload, ...scalers], all.losersTo));
  for (const one of [document, workload])
    if (one !== undefined) issues.push(...(isForeign(one, config) ? [foreignIssue(one, config)] : []), ...placeOf(one));
  const file = over?.file ?? workload?.file ?? gone?.file;
  const identity =
    file === undefined ? undefined : { file, namespace, name, ...rootIn(over), ...carrierIn(workload, config) };
  return {
    key,
    rollout: document,
    reading,
    workload,
    identity,
    policy,
    issues,
    ...(over === undefined ? {} : { over }),
  };
}

function placeOf(document: ManifestDocument): readonly Issue[] {
  const refused = placeRefused(document);
  return refused === undefined ? [] : [refused];
}

/** The reading of a Rollout with what other documents say of it. */
function changed(reading: RolloutReading, change: (rollout: Rollout) => Rollout): RolloutReading {
  const { rollout: file } = reading;
  if (file === undefined) return reading;
  const rollout = change(file.rollout);
  return rollout === file.rollout ? reading : { ...reading, rollout: { ...file, rollout } };
}

/** Whether the workload is there once, and as a file that the cluster gets as it is. A patch looks like a second one. */
function placeIssues(
  rollout: ManifestDocument,
  asked: {
    readonly name: string;
    readonly namespace: string;
    readonly found: readonly ManifestDocument[];
    readonly carried: CarriedBy | undefined;
  },
  { index, unseen, unbuilt }: Manifests,
): readonly Issue[] {
  const { name, namespace, found, carried } = asked;
  const [first] = found;
  const folders = unbuilt.filter(({ named }) => samePatched(named, wantedBy(rollout, { namespace, name })));
  const notBuilt = folders.flatMap(({ issues }) => issues);
  if (first === undefined && carried !== undefined) return [...notBuilt, ...carried.issues];
  if (first === undefined)
    return name === '' ? [] : [...notBuilt, missingIssue(rollout, { name, namespace }, mayBe(unseen, folders))];
  const of = madeFor(first);
  const made = of === undefined ? [] : [madeIssue(rollout, first, of)];
  const layouts = notBuilt.length > 0 ? notBuilt : found.slice(0, TWINS_READ_MOST).flatMap(index.layoutOf);
  return [...(carried?.issues ?? []), ...made, ...(layouts.length > 0 ? layouts : twiceIssues(found))];
}

/** Managed workloads that no Rollout names. */
function orphans(all: Manifests): readonly Entry[] {
  const { index, config } = all;
  const carriers = carriersAlone({ ...all, rollouts: index.rollouts });
  return [...managedAlone(all), ...carriers.map(({ document }) => document)].map((workload) => {
    const key = keyOf(workload, config);
    if ('reason' in key) return key;
    const reading = { rollout: undefined, issues: [], warnings: [] };
    const issues = index.layoutOf(workload);
    const over = overAt(workload, key, all);
    const name = carriers.find(({ document }) => document === workload)?.name ?? key.name;
    const made = { ...rootIn(over), ...carrierIn(workload, config) };
    const identity = { file: workload.file, namespace: key.namespace, name, ...made };
    const entry = { key: besideRollouts(key, all), rollout: undefined, reading, workload, identity };
    return { ...entry, policy: NO_SCOPE, issues, ...(over === undefined ? {} : { over }) };
  });
}

/** A Rollout that is about another workload may have the name. */
function besideRollouts(key: RolloutKey, { index }: Manifests): RolloutKey {
  return index.rolloutsCalled(key).length > 0 ? besideRollout(key) : key;
}

/** For sorting, the same on every machine. */
function keyText({ namespace, name }: RolloutKey): string {
  return `${namespace}/${name}`;
}
