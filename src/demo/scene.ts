/** What there is to see of the demo at one moment, as plain values; the screens only draw it. */

import type { Instant } from '../api/time.ts';
import type { Hold } from '../rollout/hold.ts';
import type { Fleet, GroupView, RouteShare } from './fleet.ts';

/** Something that happened, oldest first in a scene. */
export type Happening =
  | {
      readonly kind: 'commit';
      readonly at: Instant;
      readonly oid: string;
      readonly author: string;
      readonly subject: string;
    }
  | { readonly kind: 'person'; readonly at: Instant; readonly says: string }
  | { readonly kind: 'agent'; readonly at: Instant; readonly oid: string };

/** What a hold says to those who watch. */
export type Wait = Pick<Hold, 'reason' | 'message'>;

/** The second workload of a delivery, where it has one, and what the clients of the route get. */
export type Traffic = {
  readonly second: Second | undefined;
  readonly shares: readonly RouteShare[];
};

type Second = {
  /** `canary` or `green`. */
  readonly side: string;
  /** undefined: it is not in the cluster yet. */
  readonly fleet: Fleet | undefined;
};

/** What clients have sent since the beginning, and how much of it failed. */
type Requests = { readonly sent: number; readonly failed: number };

export type Scene = {
  /** Seconds since the story started. */
  readonly at: Instant;
  readonly fleet: Fleet;
  /** undefined: the strategy has no route. */
  readonly traffic: Traffic | undefined;
  readonly requests: Requests;
  /** Where the rollout stands, in a few words: `step 2/3, StepPaused`. */
  readonly state: string;
  /** Of the last pass. */
  readonly holds: readonly Wait[];
  /** The head of main where the agent has not applied it yet; empty where it has. */
  readonly unapplied: string;
  readonly happened: readonly Happening[];
};

/**
 * One sign for one group; `asked` is the image that the live template has. Signs differ in shape and not in colour alone,
 * and are one column wide on every terminal.
 */
export function groupMark(group: GroupView, asked: string): '●' | '○' | '~' {
  if (!group.ready) return '~';
  return group.images.length === 1 && group.images[0] === asked ? '●' : '○';
}

/** The tag that its leader runs; `–` where there is no leader just now. */
export function groupTag({ leaderImage }: GroupView): string {
  return leaderImage.split(':')[1] ?? '–';
}

/** `vllm-svc 95 %, vllm-svc-canary 5 %`. */
export function shareText({ shares }: Traffic): string {
  return shares.map(({ backend, percent }) => `${backend} ${percent} %`).join(', ');
}

/** `+07:30`, `+1:02:05`. */
export function printTime(seconds: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  return `+${hours > 0 ? `${hours}:` : ''}${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
}
