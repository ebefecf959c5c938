/** A HelmRelease has other inputs than its entry of ours names: the commit that names them, before any step goes by what is live. */

import type { Marks } from '../../api/marks.ts';
import type { StepState } from '../../api/record.ts';
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
  if (file.carried === undefined) return undefined;
  if (entry?.inputs === digest) return namedAgain(situation, { marks, stepState: 'BeforeStepUpgrade' });
  const why = `${file.file} has other inputs than before, ${shortDigest(digest)}. The patch of tranche names them from now on, and changes nothing else: once the LeaderWorkerSet says the same, it is rendered from these and from nothing else, and the first step follows.`;
  return naming(situation, { marks, stepState: 'BeforeStepUpgrade', why });
}

/** In a step: its groups may be ready on others than those that the file has again. undefined: nothing says so. */
export function inputsNamedAgain(situation: Situation, marks: Marks): Draft | undefined {
  const { file, digest } = situation;
  const isNamed = file.carried?.renderers.entry?.inputs === digest;
  return isNamed ? namedAgain(situation, { marks, stepState: 'StepUpgrade' }) : undefined;
}

type Naming = { readonly marks: Marks; readonly stepState: StepState };

/**
 * Others stood there under the same words, and were taken back: Flux may have rendered those. The words change in the patch alone,
 * and no step follows before they are live. undefined: none did.
 */
function namedAgain(situation: Situation, to: Naming): Draft | undefined {
  const { file, digest } = situation;
  const between = file.carried?.between;
  if (between === undefined) return undefined;
  const why = `${betweenText(file.file, between.commit)}. The patch of tranche names the inputs ${shortDigest(digest)} again, and changes nothing else: once the LeaderWorkerSet says the same, it is rendered from these.`;
  return naming(situation, { ...to, why });
}

function naming(situation: Situation, { marks, stepState, why }: Naming & { readonly why: string }): Draft {
  const holds = holdsOf(before.retry, situation);
  if (holds.length > 0) return holding(holds, stepState);
  return drafting({ reason: 'InputsWritten', label: MOVES.InputsWritten.label, marks, why }, stepState);
}
