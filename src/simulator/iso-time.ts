/** Seconds since the epoch as Kubernetes writes them: the model has no Date. */

const DAY_SECONDS = 86_400;

/** `2026-11-21T01:47:25Z`; fractions of a second are cut. Days are counted as in H. Hinnant's civil_from_days. */
export function isoTime(seconds: number): string {
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
