/** Gates for texts that were aborted: they wait until somebody asks for them by name. */

import type { RetryIntent } from '../../api/intents.ts';
import type { Marks } from '../../api/marks.ts';
import { sameRelease, shortRelease } from '../../api/release.ts';
import { type Hold, hold } from '../hold.ts';
import { highestSerial, type Situation } from '../situation.ts';
import { advice, commandLine } from '../texts/advice.ts';

/** A template that was aborted is not fought and not delivered, until somebody asks for it by name. */
export function heldAsAborted({ digest, snapshot, file }: Situation, marks: Marks): Hold | undefined {
  const given = marks.aborted.find((release) => release.digest === digest);
  if (given === undefined || retried(digest, marks, snapshot.rollout?.intents.retry)) return undefined;
  return hold('ReleaseAborted', {
    seen: `${file.file}: this template was aborted as ${shortRelease(given)}. It stays locked: nothing restarts`,
    action: advice`To deliver it after all: ${commandLine('retry', snapshot.key)}; otherwise put another template into the file`,
  });
}

/**
 * Whether `wish` asks for this text: it must name the last time that the template was aborted, so that it counts once. An
 * order that was not carried out never outlives what came next: it is void once another release has been started.
 */
export function retried(digest: string, marks: Marks, wish: RetryIntent | undefined): boolean {
  const given = marks.aborted.find((release) => release.digest === digest);
  return sameRelease(given, wish?.release) && wish?.after === highestSerial(marks);
}
