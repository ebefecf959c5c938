/** How far back a verb looks, as people write it. */

import { type Instant, parseInstant } from '../api/time.ts';
import { UsageError } from '../options.ts';

const SECONDS: Readonly<Record<string, number | undefined>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** `90s`, `30m`, `1h`, `7d` or `2w` before `now`, or a time or a day in UTC. Throws UsageError for anything else, and for what is yet to come. */
export function sinceOf(text: string | undefined, now: Instant): Instant | undefined {
  if (text === undefined) return undefined;
  const [, count = '', unit = ''] = /^([1-9][0-9]{0,5})([smhdw])$/.exec(text) ?? [];
  const seconds = SECONDS[unit];
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text;
  const since = seconds === undefined ? parseInstant(day) : now - Number(count) * seconds;
  if (since === undefined)
    throw new UsageError(
      `--since is ${JSON.stringify(text)}, wanted 1h, 30m, 7d, or a time in UTC, as 2026-12-20 or 2026-12-20T00:00:00Z`,
    );
  if (since > now) throw new UsageError(`--since is ${text}, which is yet to come`);
  return since;
}
