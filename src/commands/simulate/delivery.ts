/** The delivery that `tranche simulate` shows: the Rollout of some files, and the documents that its steps would change. */

import { DEFAULT_CONFIG } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { issueLine } from '../../api/issue-line.ts';
import { LWS_KIND, POLICY_KIND, ROUTE_PROVIDER_KIND } from '../../api/kinds.ts';
import type { PolicyRules } from '../../api/policy-rules.ts';
import { parseRollout, type Rollout } from '../../api/rollout.ts';
import { SCALER_KINDS } from '../../api/scaler.ts';
import { isOneWorkload } from '../../api/styles.ts';
import type { KnownTexts } from '../../manifests/known-texts.ts';
import { type ManifestDocument, type ManifestFile, parseManifestFile } from '../../manifests/parse-file.ts';
import { UsageError } from '../../options.ts';
import { idsOfTexts } from '../../reconcile/documents/file-ids.ts';
import { scalersIn } from '../../reconcile/documents/manifest-index.ts';
import { ambiguousFields, fieldIssue } from '../../reconcile/documents/read-rollout.ts';
import { readRouteProviders, withRouteProviders } from '../../reconcile/documents/read-route-providers.ts';
import { readWorkload } from '../../reconcile/documents/read-workload.ts';
import { trafficIndexOf, trafficKinds } from '../../reconcile/documents/traffic-index.ts';
import { withPools } from '../../reconcile/documents/with-pools.ts';
import type { DeliveryParts, Texts } from '../../reconcile/ladder/delivery-parts.ts';
import { findParts } from '../../reconcile/ladder/find-parts.ts';
import { policyIndex } from '../../reconcile/policies/policy-index.ts';
import { readPolicies } from '../../reconcile/policies/read-policy.ts';
import type { WorkloadFile } from '../../rollout/snapshot.ts';

/** A delivery that can be climbed, and its workload as it stands. */
export type OpenDelivery = { readonly parts: DeliveryParts; readonly file: WorkloadFile };

const ROLLOUT_KIND = 'Rollout';
const KINDS: readonly string[] = [ROLLOUT_KIND, LWS_KIND, ...SCALER_KINDS];

/** The delivery of the one Rollout in these files; undefined: there is none. UsageErrors name what is wrong or missing. */
export function deliveryOf(texts: Texts, known?: KnownTexts): OpenDelivery | undefined {
  const asked = [...texts].map(([file, text]) =>
    parseManifestFile(file, text, [ROUTE_PROVIDER_KIND, POLICY_KIND], known),
  );
  const { kinds: customs, issues: wrongProviders } = readRouteProviders(asked, DEFAULT_CONFIG);
  const files = [...texts].map(([file, text]) =>
    parseManifestFile(file, text, [...KINDS, ...trafficKinds(customs)], known),
  );
  const documents = files.flatMap((file) => file.documents);
  const [rollout, ...others] = documents.filter(({ object }) => object.kind === ROLLOUT_KIND);
  if (rollout === undefined) return undefined;
  if (others.length > 0)
    throw wrong([issueAt(rollout, 'SeveralRollouts', `${others.length + 1} Rollouts`, 'Name the file of one.')]);
  const issues = [...files.flatMap((file) => file.issues), ...wrongProviders];
  if (issues.length > 0) throw wrong(issues);
  const read = withRouteProviders(planOf(rollout), customs);
  const plan = withPools(read, rulesFor(read, { rollout, asked }));
  const file = workloadOf(rollout, { plan, documents });
  const traffic = trafficIndexOf({
    files,
    layouts: files,
    texts,
    blobs: idsOfTexts(texts),
    config: DEFAULT_CONFIG,
    customs,
  });
  const { namespace } = rollout.object;
  const scalersOf = scalersIn(documents, DEFAULT_CONFIG);
  const parts = findParts({ plan, namespace, file, stableText: undefined, traffic, config: DEFAULT_CONFIG, scalersOf });
  if (parts !== undefined) return { parts, file };
  throw wrong([
    isOneWorkload(plan.style) && plan.routing === undefined
      ? issueAt(
          rollout,
          'NoTraffic',
          'its strategy steps the workload itself and routes no traffic, so that a release has no rungs',
          'Name the file of the LeaderWorkerSet alone, with the change.',
        )
      : issueAt(
          rollout,
          'DocumentMissing',
          'the Service or a route that it names is not in these files, once and in its namespace',
          'Name their files, too.',
        ),
  ]);
}

/** What the policies among the files say of the Rollout. */
function rulesFor(
  { style }: Rollout,
  { rollout: { object }, asked }: { readonly rollout: ManifestDocument; readonly asked: readonly ManifestFile[] },
): PolicyRules {
  const { namespace, name } = object;
  const policies = readPolicies(asked, [], DEFAULT_CONFIG);
  const subject = { cluster: DEFAULT_CONFIG.cluster, namespace, name, labels: {}, strategy: style, file: '' };
  return policyIndex(policies, { required: [], owners: {} })(subject).rules;
}

function planOf(document: ManifestDocument): Rollout {
  const { rollout, faults } = parseRollout(document.value);
  const issues = [...faults.map((fault) => fieldIssue(document, fault)), ...ambiguousFields(document)];
  if (rollout === undefined || issues.length > 0) throw wrong(issues);
  return rollout;
}

type Named = { readonly plan: Rollout; readonly documents: readonly ManifestDocument[] };

function workloadOf(rollout: ManifestDocument, { plan, documents }: Named): WorkloadFile {
  const [document] = documents.filter(
    ({ object }) =>
      object.kind === LWS_KIND && object.name === plan.workload.name && object.namespace === rollout.object.namespace,
  );
  if (document === undefined)
    throw wrong([
      issueAt(
        rollout,
        'WorkloadMissing',
        `no ${LWS_KIND} ${plan.workload.name} of its namespace in these files`,
        'Name its file, too.',
      ),
    ]);
  const { workload, issues } = readWorkload(document);
  if (workload === undefined || issues.length > 0) throw wrong(issues);
  return workload;
}

function issueAt(document: ManifestDocument, reason: string, what: string, hint: string): Issue {
  const { file, firstLine: line, object } = document;
  return { file, line, path: '', reason, message: `${object.kind} ${object.name}: ${what}`, hint };
}

function wrong(issues: readonly Issue[]): UsageError {
  return new UsageError(issues.map(issueLine).join('\nerror: '));
}
