/** Time as data: the core gets it, it never asks for it. */

/** Seconds since the epoch. */
export type Instant = number;

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
