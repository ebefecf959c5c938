/** What clocks on the wall of a time zone show, and when: also where they are put forward or back. */

import type { Instant } from '../../api/time.ts';

/** What a clock on the wall shows, as seconds since the epoch of a clock that shows UTC. */
type WallTime = number;

type LocalClock = {
  readonly shows: (at: Instant) => WallTime;
  /** When it shows that first; a time that it skips: at the next instant. */
  readonly firstShows: (time: WallTime) => Instant;
};

const DAY_SECONDS = 86_400;

/** Throws RangeError for a zone that this machine does not know. */
export function localClock(timeZone: string): LocalClock {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const shows = (at: Instant): WallTime => {
    const part = new Map(format.formatToParts(at * 1000).map(({ type, value }) => [type, Number(value)]));
    const [year = 0, month = 1, day = 1] = [part.get('year'), part.get('month'), part.get('day')];
    return Date.UTC(year, month - 1, day, part.get('hour'), part.get('minute'), part.get('second')) / 1000;
  };
  const firstShows = (time: WallTime): Instant => {
    // Clocks are far less than a day from UTC, so both lie next to the time itself, and a change between them.
    const [ahead, behind] = [time - DAY_SECONDS, time + DAY_SECONDS].map((at) => time - (shows(at) - at));
    const [from, to] = [Math.min(ahead ?? time, behind ?? time), Math.max(ahead ?? time, behind ?? time)];
    if (shows(from) === time) return from;
    if (shows(to) === time) return to;
    return changeBetween(from, to, (at) => shows(at) > time);
  };
  return { shows, firstShows };
}

/** The first instant of which something holds that does not at `from` and does at `to`. */
function changeBetween(from: Instant, to: Instant, holds: (at: Instant) => boolean): Instant {
  let [before, after] = [from, to];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (holds(middle)) after = middle;
    else before = middle;
  }
  return after;
}
