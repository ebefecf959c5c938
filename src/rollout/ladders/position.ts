/** Where on its ladder a delivery stands, as the user's LeaderWorkerSet says it by two annotations. */

import { AT, MARK, withoutRelease } from '../../api/marks.ts';

const RUNGS = ['home', 'void', 'text', 'pods', 'traffic', 'fleet', 'all', 'switch'] as const;

/** `settled` is no place to stand on: its commit takes the marks away. */
export type RungName = (typeof RUNGS)[number] | 'settled';

/** Which ladder it is. Steps count from 1. */
export type Stage =
  | { readonly kind: 'step'; readonly index: number; readonly of: number }
  | { readonly kind: 'promote' }
  | { readonly kind: 'rollback' };

/** `at` undefined: before the first rung of the ladder. */
export type Position = { readonly stage: Stage; readonly at: RungName | undefined };

/** `2/4`, `promote` or `rollback`. */
export function printStage(stage: Stage): string {
  return stage.kind === 'step' ? `${stage.index}/${stage.of}` : stage.kind;
}

/** Whether both are the same ladder. */
export function sameStage(left: Stage | undefined, right: Stage): boolean {
  return left !== undefined && printStage(left) === printStage(right);
}

/** The position that annotations say; undefined: no delivery is under way, or they cannot be read. */
export function positionOf(annotations: Readonly<Record<string, string>>): Position | undefined {
  const stage = parseStage(withoutRelease(annotations[MARK.step] ?? ''));
  const at = RUNGS.find((rung) => rung === annotations[AT]);
  return stage === undefined ? undefined : { stage, at };
}

function parseStage(text: string): Stage | undefined {
  if (text === 'promote' || text === 'rollback') return { kind: text };
  const [, index = 0, of = 0] = (/^([1-9][0-9]?)\/([1-9][0-9]?)$/.exec(text) ?? []).map(Number);
  return index > 0 && index <= of ? { kind: 'step', index, of } : undefined;
}
