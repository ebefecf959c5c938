/** Who gets the notifications of a world with somebody hostile: the targets that its environment names, and what may reach them. */

import type { Message, Notifier } from '../../src/ports/notifier.ts';
import { isSecret } from './secret.ts';
import type { Setup } from './setup.ts';
import { notReached } from './spoken-back.ts';
import { LawBroken } from './timeline.ts';
import type { Universe } from './universe.ts';

/** The target that the policy of the owners names. */
const OWNERS = 'on-call';
/** A target of this environment that only files of other people name. */
export const OTHERS = 'others';
/** What the pusher would like to have said in our name. */
export const SLANDER = 'click https://evil.example/';

export const WATCHED_FILE = 'policies/watched.yaml';

/** What people want of each delivery there: it goes back by itself, and they hear of it. */
export function watchedText({ seed }: Pick<Setup, 'seed'>): string {
  // Two of three seeds: a record could make a release go back by waits, or by counts, and by neither.
  const [deadline, restarts] = [[600, undefined] as const, [undefined, 2] as const, [undefined, undefined] as const][
    Number(seed) % 3
  ] ?? [undefined, undefined];
  return [
    'apiVersion: tranche.dev/v1alpha1',
    'kind: RolloutPolicy',
    'metadata: {name: watched}',
    'spec:',
    ...(deadline === undefined ? [] : [`  readyDeadlineSeconds: ${deadline}`, '  onFailure: rollback']),
    ...(restarts === undefined ? [] : [`  maxRestarts: ${restarts}`, '  onFailure: rollback']),
    '  notifyHoldSeconds: 60',
    '  notify:',
    `    - {to: ${OWNERS}, as: ${Number(seed) % 2 === 0 ? 'slack' : 'webhook'}}`,
    '',
  ].join('\n');
}

/** Notes what is wrong with a message. Every third one is not taken, so that it stays in its record. */
export function notifierOf(universe: Universe): Notifier {
  return {
    targets: [OWNERS, OTHERS],
    send: async (message) => {
      universe.wrong ??= wrongWith(message);
      universe.notified += 1;
      return universe.notified % 3 === 0 ? { kind: 'failed', why: notReached() } : { kind: 'sent' };
    },
  };
}

function wrongWith({ to, body, key }: Message): LawBroken | undefined {
  if (isSecret(body + key)) return new LawBroken('H3 no secret leaves', `a message for ${to} has it`);
  if (to !== OWNERS) return new LawBroken('H4 no word of others', `a message goes to ${to}, which no owner names`);
  if (isSlander(body + key)) return new LawBroken('H4 no word of others', `a message for ${to} says it: ${body}`);
  return undefined;
}

export function isSlander(text: string): boolean {
  return text.includes('evil.example');
}
