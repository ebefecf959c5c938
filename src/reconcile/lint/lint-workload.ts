/** What a managed LeaderWorkerSet must not have: every rule with its line, its reason and the way out. */

import { percentOf } from '../../api/int-or-percent.ts';
import type { Issue } from '../../api/issue.ts';
import { at } from '../../api/json.ts';
import { MAX_SURGE_PATH, MAX_UNAVAILABLE_PATH, PARTITION_PATH, REPLICAS_PATH } from '../../api/workload-paths.ts';
import { openBase } from './lint-base.ts';
import { changes, recreated, refusedSize, wholeSize } from './lint-changes.ts';
import { type Finding, issueOf, type LintFacts } from './lint-finding.ts';
import { referencesIn } from './references.ts';

/** Everything that keeps this workload from being stepped (reference: the contract for a managed LWS). */
export function lintWorkload(facts: LintFacts): readonly Issue[] {
  const findings = [...numbers(facts), ...owners(facts), ...refusedSize(facts), ...changes(facts)];
  return findings.map((finding) => issueOf(facts.document, finding));
}

/** What a delivery cannot see or roll back, and what goes in no step: said, not refused. */
export function lintWarnings(facts: LintFacts): readonly Issue[] {
  return [...wholeSize(facts), ...recreated(facts), ...fixedReferences(facts), ...openBase(facts)];
}

/**
 * Each name once, where it stands first, but for those that `tranche.yaml` says never change, and those that kustomize builds as
 * the version to go back to had them.
 */
function fixedReferences({ document, namespace, accepted, compared }: LintFacts): readonly Issue[] {
  const template = ['spec', 'leaderWorkerTemplate'];
  const open = [...referencesIn(at(document.value, template), template)].filter(
    ([name]) => !accepted.includes(name.replace(' ', '/')) && compared?.get(name) !== 'same',
  );
  return open
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, path]) =>
      issueOf(document, {
        path,
        reason: 'FixedReference',
        what:
          compared?.get(name) === 'differs'
            ? `${name} differs between the version to go back to and this one: groups get it as they restart, whatever the step, and a rollback does not bring the old one back`
            : `a container refers to ${name} by a fixed name: a change of it is not seen and not rolled back`,
        hint: `Give it a new name with every change, as kustomize generators do. Where it never changes, as a token, say so in tranche.yaml: fixedReferences: [${namespace}/${name.replace(' ', '/')}].`,
      }),
    );
}

function numbers({ file, autoscaled }: LintFacts): readonly Finding[] {
  const { workload } = file;
  const findings: Finding[] = [];
  // What no entry of ours says, the chart does: a lost entry is said of the HelmRelease.
  const isHere = file.carried === undefined;
  if (isHere && workload.marks !== undefined && workload.partition === undefined) {
    findings.push({
      path: PARTITION_PATH,
      reason: 'PartitionMissing',
      what: 'partition is missing, which LWS reads as 0: the next edit would restart every group',
      hint: 'Put back the value that the last commit of tranche wrote; 1000000 when nothing is being delivered.',
    });
  }
  if (workload.maxSurge !== undefined && workload.maxSurge !== 0) {
    findings.push({
      path: MAX_SURGE_PATH,
      reason: 'SurgeUnsupported',
      what: `maxSurge is ${workload.maxSurge}, wanted 0: surge groups start on the new template at once, whatever the partition`,
      hint: 'Set maxSurge: 0. For extra groups in a delivery write surge into a RolloutPolicy.',
    });
  }
  if (workload.maxUnavailable !== undefined && percentOf(workload.maxUnavailable) !== undefined) {
    findings.push({
      path: MAX_UNAVAILABLE_PATH,
      reason: 'PercentMaxUnavailable',
      what: `maxUnavailable is ${workload.maxUnavailable}, wanted a count: a percentage becomes 0 when the workload is scaled down, and LWS stops`,
      hint: 'Write a number of groups, at least 1.',
    });
  } else if (workload.maxUnavailable === 0) {
    findings.push({
      path: MAX_UNAVAILABLE_PATH,
      reason: 'NoBudget',
      what: 'maxUnavailable is 0, wanted at least 1: no group could ever restart',
      hint: 'Set maxUnavailable: 1.',
    });
  }
  if (isHere && workload.replicas === undefined && !autoscaled) {
    findings.push({
      path: REPLICAS_PATH,
      reason: 'ReplicasMissing',
      what: 'replicas is missing and nothing is known to write it',
      hint: 'Add replicas, or list the workload under autoscaled in tranche.yaml.',
    });
  }
  return findings;
}

function owners({ document }: LintFacts): readonly Finding[] {
  const findings: Finding[] = [];
  if (at(document.value, ['metadata', 'labels', 'kueue.x-k8s.io/queue-name']) !== undefined) {
    findings.push({
      path: ['metadata', 'labels', 'kueue.x-k8s.io/queue-name'],
      reason: 'KueueManaged',
      what: 'Kueue manages this workload and refuses changes of its template',
      hint: 'Take it out of the queue to deliver it in steps.',
    });
  }
  if (at(document.value, ['spec', 'leaderWorkerTemplate', 'restartPolicy']) === 'Default') {
    findings.push({
      path: ['spec', 'leaderWorkerTemplate', 'restartPolicy'],
      reason: 'RestartPolicyDefault',
      what: 'restartPolicy is Default, which LWS rewrites to None: Git and cluster would differ for ever',
      hint: 'Write restartPolicy: None.',
    });
  }
  if (at(document.value, ['spec', 'groupIdentity']) === 'Hash') {
    findings.push({
      path: ['spec', 'groupIdentity'],
      reason: 'GroupIdentityHash',
      what: 'groupIdentity is Hash, where LWS has no partition',
      hint: 'Use groupIdentity: Ordinal.',
    });
  }
  return findings;
}
