/** Time as data: the core gets it, it never asks for it. */

/** Seconds since the epoch. */
export type Instant = number;

const DAY_SECONDS = 86_400;

/** `90 s`, `12 min`, `3 h 20 min`, `6 d 4 h`: the two largest units, for people. */
export function printDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 120) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}

/** `2026-11-21T01:47:25Z`; fractions of a second are cut. Days are counted as in H. Hinnant's civil_from_days. */
export function printInstant(seconds: number): string {
  const whole = Math.floor(seconds);
  const day = Math.floor(whole / DAY_SECONDS);
  const rest = whole - day * DAY_SECONDS;
  const shifted = day + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const date = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const clock = [rest / 3600, (rest % 3600) / 60, rest % 60].map((value) => two(Math.floor(value))).join(':');
  return `${year}-${two(month)}-${two(date)}T${clock}Z`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** The instant of an RFC 3339 time in UTC, as Kubernetes writes it; undefined for anything else. */
export function parseInstant(text: string): Instant | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?Z$/.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, date = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map(Number);
  if (month < 1 || month > 12 || date < 1 || date > daysIn(year, month) || hours > 23 || minutes > 59 || seconds > 60)
    return undefined;
  // Days are counted as in H. Hinnant's days_from_civil: years that start in March, in eras of 400.
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + date - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  const day = era * 146_097 + dayOfEra - 719_468;
  return day * DAY_SECONDS + hours * 3600 + minutes * 60 + seconds;
}

/** Without a day that is not there: the 31st of November would be another one, that nobody wrote. */
function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}
