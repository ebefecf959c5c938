/** How groups and counts are spoken of: the words that holds and commits share. Decides nothing. */

import type { PolicyFieldName } from '../../api/policy-rules.ts';
import type { Surge } from '../../api/restore.ts';
import { type Group, nameGroups } from '../observed/groups.ts';
import type { Snapshot } from '../snapshot.ts';

/** `RolloutPolicy production (policies/production.yaml:8)`: who says what counts. */
export function policySaying({ policySources }: Pick<Snapshot, 'policySources'>, field: PolicyFieldName): string {
  const places = policySources?.[field] ?? [];
  if (places.length === 0) return 'a RolloutPolicy';
  return `RolloutPolicy ${places.map(({ policy, file, line }) => `${policy} (${file}:${line})`).join(' and ')}`;
}

/** A hold as people read it: what was seen, then what to do. A colon behind what was seen leads over to it. */
export function holdMessage(told: { readonly seen: string; readonly action?: string }): string {
  const { seen, action } = told;
  if (action === undefined) return seen;
  return seen.endsWith(':') ? `${seen} ${action}` : `${seen}. ${action}`;
}

/** `group 3 is`, `groups 1 and 2 are`. */
export function groupsAre(indexes: readonly number[]): string {
  return `${nameGroups(indexes)} ${indexes.length === 1 ? 'is' : 'are'}`;
}

/** `group 2 is not ready (leader: ImagePullBackOff)`, `groups 0–2 are not ready`. */
export function notReady(groups: readonly Group[]): string {
  return `${groupsAre(groups.map((group) => group.index))} not ready${whyUnready(groups)}`;
}

/** ` (leader: ImagePullBackOff)`, where all the groups say the same. */
export function whyUnready(groups: readonly Group[]): string {
  const [first] = groups;
  const same = groups.every((group) => group.waitingOn === first?.waitingOn);
  return same && first !== undefined && first.waitingOn !== '' ? ` (${first.waitingOn})` : '';
}

/** What keeps groups whose leader alone is on the release: LWS may make their workers only once it is ready. */
export function leadersAhead(missing: readonly Group[]): string {
  const ahead = missing.filter(({ leader }) => leader.version === 'release');
  if (ahead.length === 0) return '';
  const those = nameGroups(ahead.map((group) => group.index));
  const are = ahead.length === 1 ? `the leader of ${those} is on it, its` : `the leaders of ${those} are on it, their`;
  return `; ${are} workers are not yet${whyUnready(ahead)}`;
}

/** `the only group is`, `all 4 groups are`. */
export function allGroupsAre(count: number): string {
  return count === 1 ? 'the only group is' : `all ${count} groups are`;
}

/** `the extra group 4`, `the extra groups 4 and 5`. */
export function extraGroups({ was, set }: Surge): string {
  return `the extra ${nameGroups(Array.from({ length: set - was }, (_, index) => was + index))}`;
}

/** `1 more group of 2 pods`, `2 more groups of 8 pods each`: what a surge costs. */
export function moreGroups(count: number, size: number): string {
  const pods = `${size} ${size === 1 ? 'pod' : 'pods'}`;
  return count === 1 ? `1 more group of ${pods}` : `${count} more groups of ${pods} each`;
}

/** `1 group`, `2 groups`. */
export function groupCount(count: number): string {
  return `${count} ${count === 1 ? 'group' : 'groups'}`;
}

/** `2 leader pods and 1 StatefulSet`: what there is of each, and nothing of what there is none. */
export function countsOf(counts: Readonly<Record<string, number>>): string {
  const there = Object.entries(counts).flatMap(([what, count]) =>
    count > 0 ? [`${count} ${what}${count === 1 ? '' : 's'}`] : [],
  );
  const last = there.at(-1) ?? 'nothing';
  return there.length < 2 ? last : `${there.slice(0, -1).join(', ')} and ${last}`;
}

/** `1 of 1 group`, `2 of 4 groups`. */
export function ofGroups(part: number, all: number): string {
  return `${part} of ${all} ${all === 1 ? 'group' : 'groups'}`;
}

/** `1 of 4 groups is`, `3 of 4 groups are`, `0 of 1 group is`. */
export function ofGroupsAre(part: number, all: number): string {
  return `${ofGroups(part, all)} ${part === 1 || all === 1 ? 'is' : 'are'}`;
}

/** No character of a name, and gone from every text that people read. */
const AS_WRITTEN = '\u2060';

/** A name of the user as the first word of a sentence: it keeps its spelling. */
export function nameFirst(name: string): string {
  return `${AS_WRITTEN}${name}`;
}

/** Starts with a capital, unless the first word is a name, a path or a field, which keep their spelling. */
export function capital(text: string): string {
  const isWord = /^[a-z]+(?![\w./-])/.test(text);
  return (isWord ? text.charAt(0).toUpperCase() + text.slice(1) : text).replaceAll(AS_WRITTEN, '');
}
