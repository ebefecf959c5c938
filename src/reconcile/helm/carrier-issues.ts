/** What stands in the way where a Rollout says that a HelmRelease renders its workload. */

import { CARRIER, CARRIER_KIND, CARRIER_WANTED, type Carrier } from '../../api/carrier.ts';
import type { Config } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { at } from '../../api/json.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { placesText } from '../documents/desired-issues.ts';
import type { ManifestIndex } from '../documents/manifest-index.ts';
import { nameOf } from '../documents/read-rollout.ts';
import { CARRIER_PATH, carrierOf, releasesCalled } from './named-releases.ts';
import { fieldIssues } from './release-fields.ts';
import { RENDER_IT } from './rendered-into.ts';

type Read = {
  readonly index: Pick<ManifestIndex, 'helmReleases' | 'layoutOf'>;
  readonly config: Config;
  /** Documents of the workload among the files. */
  readonly found: readonly ManifestDocument[];
};

/** undefined: the Rollout names no carrier. Never empty otherwise: nothing of a HelmRelease is delivered in steps yet. */
export function carrierIssues(rollout: ManifestDocument, read: Read): readonly Issue[] | undefined {
  const said = at(rollout.value, CARRIER_PATH);
  if (said === undefined || said === null) return undefined;
  const carrier = carrierOf(rollout);
  if (carrier === undefined)
    return [
      issueAt(rollout, {
        reason: 'BadAnnotation',
        message: `${CARRIER} is ${JSON.stringify(said)}, wanted ${CARRIER_WANTED}`,
        hint: 'Write it so, or remove it where a file has the manifest of the workload.',
      }),
    ];
  const { found } = read;
  if (found.length > 0)
    return [
      issueAt(rollout, {
        reason: 'DuplicateObject',
        message: `${CARRIER} says that ${textOf(carrier)} renders the workload, and it is in ${placesText(found)}; wanted it from one of them`,
        hint: 'Remove the annotation where the cluster gets that file, else the document.',
      }),
    ];
  return ofRelease(rollout, carrier, read);
}

function ofRelease(rollout: ManifestDocument, carrier: Carrier, { index, config }: Read): readonly Issue[] {
  const { issues } = index.helmReleases();
  const named = releasesCalled(carrier, { index, config });
  const [release, ...twins] = named;
  if (release === undefined) return [missing(rollout, carrier, issues), ...issues];
  const unsupported = issueAt(rollout, {
    reason: 'NotSupportedYet',
    message: `${textOf(carrier)} (${placesText([release])}) renders the workload, and a LeaderWorkerSet that Flux renders from a chart is not delivered in steps yet`,
    hint: `${RENDER_IT} Until then each change of the HelmRelease reaches all groups at once.`,
  });
  const duplicate = issueAt(rollout, {
    reason: 'DuplicateObject',
    message: `${textOf(carrier)} is in ${placesText(named)}; wanted it once`,
    hint: 'Remove all but one, or narrow paths in tranche.yaml.',
  });
  return [
    unsupported,
    ...(twins.length > 0 ? [duplicate] : []),
    ...named.flatMap((one) => [...fieldIssues(one), ...index.layoutOf(one)]),
  ];
}

function missing(rollout: ManifestDocument, carrier: Carrier, unread: readonly Issue[]): Issue {
  const [first] = unread;
  const more = first === undefined ? '' : `; ${first.file}:${first.line} cannot be read`;
  return issueAt(rollout, {
    reason: 'WorkloadMissing',
    message: `no ${textOf(carrier)} in the files that were read${more}`,
    hint: `Check the annotation ${CARRIER}, the namespace of the ${CARRIER_KIND} (also namespaces in tranche.yaml), and paths in tranche.yaml.`,
  });
}

function issueAt(rollout: ManifestDocument, rest: Pick<Issue, 'reason' | 'message' | 'hint'>): Issue {
  const { file, lineOf } = rollout;
  const message = `${nameOf(rollout)}: ${rest.message}`;
  return { ...rest, file, line: lineOf(CARRIER_PATH), path: CARRIER_PATH.join('.'), message };
}

function textOf({ namespace, name }: Carrier): string {
  return `${CARRIER_KIND} ${namespace}/${name}`;
}
