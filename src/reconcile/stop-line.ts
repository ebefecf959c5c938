/** Stops the line, and lets it go: a RolloutPolicy that denies every step, written and taken away by one commit. */

import { BRAKE_NOTE, printBrakeNote } from '../api/brake-note.ts';
import { type Config, isBelow } from '../api/config.ts';
import { POLICY_KIND } from '../api/kinds.ts';
import { POLICY_API_VERSION } from '../api/rollout-policy.ts';
import { type Instant, printInstant } from '../api/time.ts';
import { unifiedDiff } from '../manifests/diff.ts';
import { lineMessage } from '../rollout/commits/messages.ts';
import { desiredHead } from './observe/read-settings.ts';
import { type Giver, trailerBy } from './order.ts';
import type { Overrides, Ports } from './pass.ts';
import { STOP_MEANWHILE } from './status/brakes.ts';
import { type OrderResult, writeOrder } from './write/write-order.ts';

/** `stop`: no step starts before `until`, in seconds since the epoch; undefined: for a year. */
export type LineWish =
  | { readonly kind: 'stop'; readonly until: Instant | undefined; readonly why: string }
  | { readonly kind: 'go' };

/** Less than as far as windows are looked at: it is shut for long, and not for ever. */
const YEAR_SECONDS = 365 * 86_400;
/** Clocks differ: it is shut for a machine that is behind as well. */
const EARLIER_SECONDS = 600;
/** The first line of the file: what has another one is not ours to write over or to delete. */
const MARK = '# Written by `tranche stop`; `tranche go` takes it away.';

/** A brake that nobody's file keeps waiting. */
const AT_ONCE = 'To stop at once: tranche pause NAME, for each Rollout.';

/** Carries the wish out on the desired branch. Throws PortError where Git fails or that branch never holds still. */
export async function orderLine(
  ports: Ports,
  at: Giver & { readonly wish: LineWish; readonly overrides: Overrides; readonly pullRequest?: boolean },
): Promise<OrderResult> {
  const { git, clock } = ports;
  return writeOrder(ports, { ...at, by: trailerBy(at) }, async () => {
    const { main, config } = await desiredHead(git, at.overrides);
    const file = config.stopFile;
    const now = clock.now();
    const found = (await git.readAt(main, { paths: [file], suffixes: [], markers: [] })).files[0];
    const before = found === undefined ? undefined : found.content.kind === 'text' ? found.content.text : '';
    const refusal = refusalOf(at.wish, { config, before, now });
    if (refusal !== undefined) return { kind: 'refused', why: refusal };
    const what = at.wish.kind;
    const text = at.wish.kind === 'go' ? undefined : policyText(at.wish, { now, by: at.by });
    if (text === before) return { kind: 'written', commits: [], what: `${what}: it is so already`, diff: '' };
    const signature = { ...config.author, atSeconds: now };
    const message = messageOf(at, { file, main });
    const steps = [{ writes: [{ path: file, text }], message, signature, author: at.author }];
    const diff = unifiedDiff({ file, before: before ?? '', after: text ?? '' });
    const next = at.wish.kind === 'go' ? {} : { next: meanwhile(at.wish, now) };
    return {
      kind: 'push',
      batch: { config, main, status: undefined, steps, statusCommit: undefined },
      what,
      diff,
      ...next,
    };
  });
}

/** Why it cannot be: the policy would not count, or the file is somebody's own. */
function refusalOf(
  wish: LineWish,
  { config, before, now }: { readonly config: Config; readonly before: string | undefined; readonly now: Instant },
): string | undefined {
  const { stopFile: file, paths } = config;
  if (before !== undefined && !before.startsWith(MARK))
    return `${file} is there and was not written by tranche stop. ${wish.kind === 'stop' ? `${AT_ONCE} ` : ''}Name another file as stopFile in tranche.yaml, or change it by hand`;
  if (wish.kind === 'go')
    return before === undefined
      ? `nothing is stopped: there is no ${file}. Other policies with deny are in their own files`
      : undefined;
  if (!isBelow(paths, file))
    return `${file} is not on the paths that are read (${paths.join(', ')}), so it would stop nothing. ${AT_ONCE} For the next time name a file there as stopFile in tranche.yaml, or add its folder to paths`;
  if (wish.until !== undefined && (wish.until <= now || wish.until > now + YEAR_SECONDS))
    return `--until ${printInstant(wish.until)} is not within the year that starts now (${printInstant(now)}). Give a later, or an earlier time`;
  return undefined;
}

function meanwhile({ until }: LineWish & { readonly kind: 'stop' }, now: Instant): string {
  return `From the next pass on: ${STOP_MEANWHILE}. It ends at ${printInstant(until ?? now + YEAR_SECONDS)}, or with: tranche go`;
}

function policyText(
  { until, why }: LineWish & { readonly kind: 'stop' },
  { now, by }: { readonly now: Instant; readonly by: string },
): string {
  const [from, to] = [printInstant(now - EARLIER_SECONDS), printInstant(until ?? now + YEAR_SECONDS)];
  return [
    MARK,
    `apiVersion: ${POLICY_API_VERSION}`,
    `kind: ${POLICY_KIND}`,
    'metadata:',
    '  name: stop',
    '  annotations:',
    `    ${BRAKE_NOTE}: '${printBrakeNote({ since: now, by, why }).replaceAll("'", "''")}'`,
    'spec:',
    '  deny:',
    `    - {from: "${from}", to: "${to}"}`,
    '',
  ].join('\n');
}

function messageOf(
  { wish, ...giver }: Pick<Giver, 'by' | 'isClaim'> & { readonly wish: LineWish },
  { file, main }: { readonly file: string; readonly main: string },
): string {
  const isGo = wish.kind === 'go';
  const subject = isGo ? 'rollouts: go, steps may start again' : 'rollouts: stop, no step starts until tranche go';
  const body = [isGo ? '' : wish.why, `${isGo ? 'Deletes' : 'Writes'} ${file}.`];
  return lineMessage(subject, { body, by: trailerBy(giver), main });
}
