/** The label by which requests find the release, edited by hand in the middle of a delivery. */

import { inShort, shortRelease } from '../../api/release.ts';
import { VERSION, versionIn } from '../../api/version-label.ts';
import { SENTINEL } from '../../api/workload.ts';
import { withBudgetAfter } from '../budget.ts';
import { drafting, type WorkloadMove } from '../edits/workload-change.ts';
import { hold } from '../hold.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { goesByLabel, isLabelled, servicesOnly, withdrawShare } from '../ladders/version-edits.ts';
import { versionMove } from '../ladders/version-move.ts';
import type { Decision } from '../move.ts';
import type { InDelivery } from '../state.ts';

/** Groups that restart would carry it, and no route would find them: the share is withdrawn, and the label is put back. */
export function labelEdited(on: Delivering, { marks, index, of }: InDelivery): Decision | undefined {
  const { situation, delivery } = on;
  // A template that overtook another keeps its label until it is restarted anyway: its groups are found by their revision.
  if (isLabelled(delivery) || !goesByLabel(delivery)) return undefined;
  const { file, partition } = situation;
  const seen = versionIn(delivery.own.value) ?? 'missing';
  const wanted = shortRelease(marks.release);
  const held = hold('VersionLabelEdited', {
    seen: `${file.file}: the label ${VERSION} of the leaders is ${inShort(seen)}, and ${wanted} is being delivered: it is put back`,
    waits: 'tranche',
  });
  const isInert = partition === SENTINEL;
  const fields: WorkloadMove = {
    reason: 'RouteRestored',
    label: `step ${index}/${of}, label`,
    ...withBudgetAfter(situation, { marks, floor: marks.restore?.floor ?? partition }),
    why: `The label ${VERSION} of the leaders was edited to ${inShort(seen)}. ${isInert ? 'Nothing has restarted for it.' : 'Groups that restart for it are found by no route, so no request is sent to them until they are back under their own.'}`,
  };
  const commit = isInert ? servicesOnly(delivery, []) : withdrawShare(delivery);
  return versionMove(on, drafting(fields, 'StepUpgrade', [held]), {
    at: isInert ? 'template' : 'route-restored',
    commit,
    labels: true,
  });
}
