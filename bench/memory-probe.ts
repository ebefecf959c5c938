/** Loaded before a measured program: at its end, writes the most memory that it had, in KiB, and its CPU time, in ms. */

import { readFileSync, writeFileSync } from 'node:fs';

process.once('exit', () => {
  const report = process.env['BENCH_REPORT'];
  if (report !== undefined) writeFileSync(report, `${peakKibibytes()} ${cpuMilliseconds()}`);
});

function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Of this process alone: getrusage counts the parent's memory too, from before the program was loaded. */
function peakKibibytes(): number {
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    const match = /^VmHWM:\s+(\d+) kB$/m.exec(status);
    if (match?.[1] !== undefined) return Number(match[1]);
  } catch {
    // There is no /proc on this system.
  }
  return process.resourceUsage().maxRSS;
}
