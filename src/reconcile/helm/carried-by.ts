/** The HelmRelease that renders the workload of a Rollout: where its marks and its entry stand, and what is in the way. */

import { CARRIER, CARRIER_KIND, CARRIER_WANTED, type Carrier } from '../../api/carrier.ts';
import type { Config } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { at } from '../../api/json.ts';
import { MARK } from '../../api/marks.ts';
import type { Rollout } from '../../api/rollout.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { BuiltOver } from '../documents/built-over.ts';
import type { Firsts } from '../documents/claims.ts';
import { notSteppedAlone, placesText, TWINS_READ_MOST } from '../documents/desired-issues.ts';
import { helmReleasesIn } from '../documents/helm-releases.ts';
import { type ManifestIndex, namespaceOf } from '../documents/manifest-index.ts';
import { nameOf } from '../documents/read-rollout.ts';
import { withBuiltReleases } from './built-releases.ts';
import { entryIssues, isOfAnother, nameInEntry } from './entry-issues.ts';
import { CARRIER_PATH, carrierOf } from './named-releases.ts';
import { fieldIssues } from './release-fields.ts';

type Read = {
  readonly index: Pick<ManifestIndex, 'helmReleases' | 'releasesCalled' | 'layoutOf'>;
  readonly config: Config;
  /** Documents of the workload among the files. */
  readonly found: readonly ManifestDocument[];
  /** undefined: it cannot be read. */
  readonly rollout: Rollout | undefined;
  /** Of the workload. */
  readonly name: string;
};

export type CarriedBy = {
  /** undefined: none that counts, and `issues` say why. */
  readonly document: ManifestDocument | undefined;
  readonly issues: readonly Issue[];
};

/** undefined: the Rollout names no carrier. */
export function carriedBy(rollout: ManifestDocument, read: Read): CarriedBy | undefined {
  const said = at(rollout.value, CARRIER_PATH);
  if (said === undefined || said === null) return undefined;
  const carrier = carrierOf(rollout);
  if (carrier === undefined)
    return refused(rollout, {
      reason: 'BadAnnotation',
      message: `${CARRIER} is ${JSON.stringify(said)}, wanted ${CARRIER_WANTED}`,
      hint: 'Write it so, or remove it where a file has the manifest of the workload.',
    });
  const { found } = read;
  const by = ofRelease(rollout, carrier, read);
  if (found.length === 0) return by;
  const { issues } = refused(rollout, {
    reason: 'DuplicateObject',
    message: `${CARRIER} says that ${textOf(carrier)} renders the workload, and it is in ${placesText(found)}; wanted it from one of them`,
    hint: 'Remove the annotation where the cluster gets that file, else the document.',
  });
  // Who has a folder of their own takes no delivery away from the HelmRelease that is in one.
  return { document: isManaged(by.document) ? by.document : undefined, issues };
}

function ofRelease(document: ManifestDocument, carrier: Carrier, { index, rollout, name }: Read): CarriedBy {
  const { issues } = index.helmReleases();
  const named = index.releasesCalled(carrier);
  const [release, ...twins] = named;
  if (release === undefined) return { document: undefined, issues: [missing(document, carrier, issues), ...issues] };
  const duplicate = issueAt(document, {
    reason: 'DuplicateObject',
    message: `${textOf(carrier)} is in ${placesText(named)}; wanted it once`,
    hint: 'Remove all but one, or narrow paths in tranche.yaml.',
  });
  return {
    document: twins.length > 0 || isOfAnother(release, name) ? undefined : release,
    issues: [
      ...(twins.length > 0 ? [duplicate] : []),
      ...notSteppedAlone(document, rollout, BY_FLUX),
      ...named.slice(0, TWINS_READ_MOST).flatMap((one) => [...fieldIssues(one), ...index.layoutOf(one)]),
      ...(twins.length > 0 ? [] : entryIssues(release, name, { name: document.object.name })),
    ],
  };
}

const BY_FLUX = {
  made: 'that Flux renders from a chart',
  plain: 'let CI commit what the chart renders, and let Flux apply that',
};

/** How an identity says so, where the workload is this document. */
export function carrierIn(document: ManifestDocument | undefined, config: Config): { readonly carrier?: Carrier } {
  if (document?.object.kind !== CARRIER_KIND) return {};
  return { carrier: { namespace: namespaceOf(document, config) ?? '', name: document.object.name } };
}

/** Managed HelmReleases that no Rollout names any more, with the LeaderWorkerSet that their entry is for. */
export function carriersAlone({
  texts,
  rollouts,
  config,
  built,
  firsts,
}: {
  readonly texts: ReadonlyMap<string, string>;
  readonly rollouts: readonly ManifestDocument[];
  readonly config: Config;
  readonly built: readonly BuiltOver[];
  readonly firsts: Firsts;
}): readonly { readonly document: ManifestDocument; readonly name: string }[] {
  const marked = new Map([...texts].filter(([, text]) => text.includes(CARRIER_KIND) && text.includes(MARK.release)));
  const named = rollouts.flatMap((rollout) => carrierOf(rollout) ?? []);
  return withBuiltReleases(helmReleasesIn(marked), { built, config, firsts }).all.flatMap((document) => {
    const namespace = namespaceOf(document, config);
    const isNamed = named.some((one) => one.name === document.object.name && one.namespace === namespace);
    return isManaged(document) && !isNamed ? [{ document, name: nameInEntry(document) }] : [];
  });
}

function isManaged(document: ManifestDocument | undefined): boolean {
  return at(document?.value, ['metadata', 'annotations', MARK.release]) !== undefined;
}

function refused(rollout: ManifestDocument, rest: Said): CarriedBy {
  return { document: undefined, issues: [issueAt(rollout, rest)] };
}

function missing(rollout: ManifestDocument, carrier: Carrier, unread: readonly Issue[]): Issue {
  const [first] = unread;
  const more = first === undefined ? '' : `; ${first.file}:${first.line} cannot be read`;
  return issueAt(rollout, {
    reason: 'WorkloadMissing',
    message: `no ${textOf(carrier)} in the files that were read${more}`,
    hint: `Check the annotation ${CARRIER}, the namespace of the ${CARRIER_KIND} (also namespaces in tranche.yaml), and paths in tranche.yaml. If a kustomization makes that name: set TRANCHE_KUSTOMIZE, the path of kustomize, where tranche runs.`,
  });
}

type Said = Pick<Issue, 'reason' | 'message' | 'hint'>;

function issueAt(rollout: ManifestDocument, rest: Said): Issue {
  const { file, lineOf } = rollout;
  const message = `${nameOf(rollout)}: ${rest.message}`;
  return { ...rest, file, line: lineOf(CARRIER_PATH), path: CARRIER_PATH.join('.'), message };
}

function textOf({ namespace, name }: Carrier): string {
  return `${CARRIER_KIND} ${namespace}/${name}`;
}
