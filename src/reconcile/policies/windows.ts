/** When steps may start: windows of policies on the calendars of their time zones, as facts of one instant. */

import { Cron } from 'croner';
import type { Issue } from '../../api/issue.ts';
import { nearest } from '../../api/nearest.ts';
import type { PolicyException } from '../../api/policy-exceptions.ts';
import type { PolicyWindow } from '../../api/policy-windows.ts';
import type { Instant } from '../../api/time.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { ExceptedWindows, PolicyPlace, WindowFacts } from '../../rollout/snapshot.ts';
import { localClock } from './local-clock.ts';
import type { PolicyReading, PolicyScope } from './policy-scope.ts';

/** So far ahead an opening is looked for: where none comes, none ever will. */
const AHEAD_SECONDS = 400 * 86_400;
/** Windows that open and close more often than this within that time are not followed further: each costs up to a millisecond. */
const BOUNDARIES_MOST = 1500;

/** Asked of what policies say of a Rollout: whether they let a step start now. Rollouts with the same policies share it. */
export function windowsAt(now: Instant): (scope: PolicyScope) => WindowFacts | undefined {
  const known = new Map<PolicyScope, WindowFacts | undefined>();
  // The same window stands in many policies, and calendars take long: each is asked once for all of them.
  const stretches = new Map<string, Stretch>();
  const stretchFor = (window: PolicyWindow): Stretch => {
    const text = JSON.stringify(window);
    const stretch = stretches.get(text) ?? stretchOf(window);
    stretches.set(text, stretch);
    return stretch;
  };
  return (scope) => {
    if (!known.has(scope)) known.set(scope, factsOf(scope, { now, stretchFor }));
    return known.get(scope);
  };
}

type Calendar = {
  readonly place: PolicyPlace;
  readonly field: 'allow' | 'deny';
  /** Whether it lets a step start then. */
  readonly open: (at: Instant) => boolean;
  /** When that may change next; undefined: not within the time that is looked at. */
  readonly boundary: (after: Instant) => Instant | undefined;
};

type At = { readonly now: Instant; readonly stretchFor: (window: PolicyWindow) => Stretch };

function factsOf({ matching }: PolicyScope, at: At): WindowFacts | undefined {
  const { now } = at;
  const calendars = matching.flatMap((reading) => calendarsOf(reading, at));
  if (calendars.length === 0) return undefined;
  const alive = matching.flatMap(({ policy }) => policy?.exceptions?.filter(({ until }) => now < until) ?? []);
  const releases = [...new Set(alive.map(({ release }) => release))].sort();
  return {
    ...factsWith(calendars, now),
    ...(releases.length === 0 ? {} : { excepted: releases.map((release) => exceptedFacts(matching, release, at)) }),
  };
}

/** With the exceptions of one release that have not run out. */
function exceptedFacts(matching: readonly PolicyReading[], release: string, at: At): ExceptedWindows {
  const { now } = at;
  const last = (reading: PolicyReading): PolicyException | undefined =>
    reading.policy?.exceptions
      ?.filter((one) => one.release === release && now < one.until)
      .sort((a, b) => b.until - a.until)[0];
  const calendars = matching.flatMap((reading) => calendarsOf(reading, at, last(reading)?.until));
  const by = matching.flatMap((reading) => {
    const exception = last(reading);
    if (exception === undefined) return [];
    const { approver, until } = exception;
    return [{ policy: reading.name, file: reading.file, line: reading.lines.exceptions ?? 0, approver, until }];
  });
  return { release, ...factsWith(calendars, now), by };
}

function factsWith(calendars: readonly Calendar[], now: Instant): Omit<WindowFacts, 'excepted'> {
  const shut = calendars.filter(({ open }) => !open(now));
  const isOpen = (at: Instant): boolean => calendars.every(({ open }) => open(at));
  return {
    open: shut.length === 0,
    ...nextChange(calendars, now, isOpen),
    shutBy: shut.map(({ place, field }) => ({ ...place, field })),
  };
}

function nextChange(
  calendars: readonly Calendar[],
  now: Instant,
  isOpen: (at: Instant) => boolean,
): Pick<WindowFacts, 'changesAt' | 'sameUntil'> {
  const before = isOpen(now);
  let at = now;
  for (let seen = 0; seen < BOUNDARIES_MOST; seen += 1) {
    const next = calendars.map(({ boundary }) => boundary(at)).filter((found) => found !== undefined);
    if (next.length === 0) return {};
    at = Math.min(...next);
    if (at > now + AHEAD_SECONDS) return {};
    if (isOpen(at) !== before) return { changesAt: at };
  }
  return { sameUntil: at };
}

/** One for the allows of a policy, which has to be inside of some, and one for its denies. Both are open until `excepted`. */
function calendarsOf(
  { policy, name, file, lines }: PolicyReading,
  { stretchFor }: At,
  excepted?: Instant,
): readonly Calendar[] {
  const fields = ['allow', 'deny'] as const;
  return fields.flatMap((field) => {
    const windows = policy?.[field]?.map(stretchFor) ?? [];
    if (windows.length === 0) return [];
    const inside = (at: Instant): boolean => windows.some((window) => window.inside(at));
    return [
      {
        place: { policy: name, file, line: lines[field] ?? 0 },
        field,
        open: (at: Instant) => (excepted !== undefined && at < excepted) || inside(at) === (field === 'allow'),
        boundary: (after: Instant) =>
          earliest([
            ...windows.map((window) => window.boundary(after)),
            excepted !== undefined && after < excepted ? excepted : undefined,
          ]),
      },
    ];
  });
}

type Stretch = {
  readonly inside: (at: Instant) => boolean;
  readonly boundary: (after: Instant) => Instant | undefined;
};

function stretchOf(window: PolicyWindow): Stretch {
  if ('from' in window) {
    const { from, to } = window;
    return {
      inside: (at) => from <= at && at < to,
      boundary: (after) => [from, to].find((edge) => edge > after),
    };
  }
  const { cron, minutes, timeZone } = window;
  const length = minutes * 60;
  const firstAfter = startsOf(nextStart(cron, timeZone));
  return {
    inside: (at) => (firstAfter(at - length) ?? at + 1) <= at,
    boundary: (after) => {
      const begun = firstAfter(after - length);
      const ends = begun === undefined || begun > after ? undefined : begun + length;
      return earliest([ends, firstAfter(after)]);
    },
  };
}

/** The first start strictly after a time. To find one takes long: it is asked for each once. */
function startsOf(next: NextStart): NextStart {
  // All from `from` on, as far as they were asked for; the last is undefined where no more come.
  let from: Instant | undefined;
  let starts: (Instant | undefined)[] = [];
  return (after) => {
    if (from === undefined || after < from) [from, starts] = [after, [next(after)]];
    for (;;) {
      const found = starts.find((start) => start === undefined || start > after);
      if (found !== undefined || starts.at(-1) === undefined) return found;
      starts.push(next(starts.at(-1) ?? after));
    }
  };
}

type NextStart = (after: Instant) => Instant | undefined;

/**
 * The cron is asked for what clocks on the wall show, and the clock when that is: for lists and ranges croner opens in both
 * of the hours that a zone repeats, and leaves out what one skips.
 */
function nextStart(cron: string, timeZone: string): NextStart {
  const job = new Cron(cron, { utcOffset: 0, paused: true });
  const clock = localClock(timeZone);
  return (after) => {
    let shown = clock.shows(after);
    for (;;) {
      const next = job.nextRun(new Date(shown * 1000));
      if (next === null) return undefined;
      shown = Math.floor(next.getTime() / 1000);
      const start = clock.firstShows(shown);
      // What is shown again has started when it was shown first.
      if (start > after) return start;
    }
  };
}

function earliest(instants: readonly (Instant | undefined)[]): Instant | undefined {
  const known = instants.filter((instant) => instant !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Time zones that this machine does not know: its windows would be nowhere. */
export function zoneIssues(document: ManifestDocument, of: Pick<PolicyReading, 'policy' | 'name'>): readonly Issue[] {
  const fields = ['allow', 'deny'] as const;
  return fields.flatMap((field) =>
    (of.policy?.[field] ?? []).flatMap((window, at) => {
      if ('from' in window || isZone(window.timeZone)) return [];
      const path = ['spec', field, String(at), 'timeZone'];
      const near = nearest(window.timeZone, Intl.supportedValuesOf('timeZone'));
      return [
        {
          file: document.file,
          line: document.lineOf(path),
          path: path.join('.'),
          reason: 'BadWindow',
          message: `RolloutPolicy ${of.name}: spec.${field}[${at}].timeZone is ${window.timeZone}, which is no time zone`,
          hint: `${near === undefined ? '' : `Did you mean ${near}? `}Write for example Europe/Berlin.`,
        },
      ];
    }),
  );
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
