/** A HelmRelease has other inputs than its entry of ours names: the commit that names them, before any step goes by what is live. */

import type { Marks } from '../../api/marks.ts';
import { shortDigest } from '../../api/release.ts';
import { type Draft, drafting } from '../edits/workload-change.ts';
import { before } from '../gates/before.ts';
import { holdsOf } from '../gates/gate.ts';
import { holding, MOVES } from '../move.ts';
import { betweenText } from '../observed/rendered.ts';
import type { Situation } from '../situation.ts';

/**
 * Values and patch come in one upgrade, so that the digest in the patch proves, once it is live, that the object was rendered from
 * these inputs. undefined: the entry names them already, or a file has the template itself.
 */
export function inputsWritten(situation: Situation, marks: Marks): Draft | undefined {
  const { file, digest } = situation;
  const { entry } = file.carried?.renderers ?? {};
  if (file.carried === undefined || entry?.inputs === digest) return undefined;
  const holds = holdsOf(before.retry, situation);
  if (holds.length > 0) return holding(holds, 'BeforeStepUpgrade');
  return drafting(
    {
      reason: 'InputsWritten',
      label: MOVES.InputsWritten.label,
      marks,
      why: `${file.file} has other inputs than before, ${shortDigest(digest)}. The patch of tranche names them from now on, and changes nothing else: once the LeaderWorkerSet says the same, it is rendered from these and from nothing else, and the first step follows.`,
    },
    'BeforeStepUpgrade',
  );
}

/**
 * Others were there since, and were taken back before any pass has looked: Flux may have rendered those, and groups that are ready
 * say nothing of what came back. The words change in the patch alone, and no step follows before they are live. undefined: none were.
 */
export function inputsNamedAgain(situation: Situation, marks: Marks): Draft | undefined {
  const { file, digest } = situation;
  const between = file.carried?.between;
  if (between === undefined || file.carried?.renderers.entry?.inputs !== digest) return undefined;
  const holds = holdsOf(before.retry, situation);
  if (holds.length > 0) return holding(holds, 'StepUpgrade');
  return drafting(
    {
      reason: 'InputsWritten',
      label: MOVES.InputsWritten.label,
      marks,
      why: `${betweenText(file.file, between)}. The patch of tranche names the inputs ${shortDigest(digest)} again, and changes nothing else: once the LeaderWorkerSet says the same, it is rendered from these.`,
    },
    'StepUpgrade',
  );
}
