/** Commands as messages print them: typed as they stand they mean this Rollout and no other. */

import type { RolloutKey } from '../snapshot.ts';

/** The verbs of `tranche` that are about one Rollout, and how each names it. */
const VERBS = {
  abort: '',
  acknowledge: '',
  analyze: '',
  approve: '',
  eject: '',
  jump: '',
  pause: '',
  plan: '--only ',
  propose: '',
  repair: '',
  resume: '',
  retry: '',
  'show-stable': '',
  status: '',
  undo: '',
} as const satisfies Readonly<Record<string, string>>;

export type CommandVerb = keyof typeof VERBS;

/** `tranche approve vllm --hold Overshoot`; `tranche plan --only llm/vllm`. `rest`: what comes behind the Rollout. */
export function command(verb: CommandVerb, { name, called }: Called, rest = ''): string {
  return `tranche ${verb} ${VERBS[verb]}${called ?? name}${rest === '' ? '' : ` ${rest}`}`;
}

export type Called = Pick<RolloutKey, 'name' | 'called'>;
