/** `tranche status --watch`: looks again and again, drawn in place on a terminal, a line a change elsewhere. */

import { issueLine } from '../api/issue-line.ts';
import { printable } from '../api/printable.ts';
import { printInstant } from '../api/time.ts';
import { type CommonOptions, EXIT, type Io } from '../options.ts';
import type { Clock } from '../ports/clock.ts';
import { explain, PortError } from '../ports/port-error.ts';
import type { Picture, Shown } from '../reconcile/read-picture.ts';
import { brakesOf } from '../reconcile/status/brakes.ts';
import { coloured } from '../reconcile/status/frame-lines.ts';
import { statusFrame, statusLine } from '../reconcile/status/status-frame.ts';
import { statusJson } from '../reconcile/status/status-json.ts';
import { statusTable } from '../reconcile/status/status-text.ts';
import { drawable, fitted, HIDE_CURSOR, isRedrawable, redraw, SHOW_CURSOR, sizeOf } from './frame.ts';

/** How soon it looks again: a pass writes every 30 s at most. */
const LOOK_SECONDS = 5;

/** What a look gives, of the Rollouts that are meant. */
export type Look = {
  readonly picture: Picture;
  readonly failed: readonly { readonly namespace: string; readonly name: string; readonly why: string }[];
  /** Why there is nothing to watch; empty: there is something. */
  readonly unknown: string;
};

type Watched = {
  /** Throws PortError where Git or the cluster cannot be read. */
  readonly look: () => Promise<Look>;
  readonly clock: Clock;
  /** The terminal itself: what is written here is cleaned here. */
  readonly io: Io;
};

/** Until the process is asked to stop. Exit code 1 at once, where the first look finds nothing of that name. */
export async function watchStatus(
  options: Pick<CommonOptions, 'output'> & { readonly name: string },
  { look, clock, io }: Watched,
): Promise<number> {
  const screen =
    options.output === 'json' ? jsonLines(io) : isRedrawable(io) ? liveScreen(options.name, io) : lines(io);
  let last: Look | undefined;
  try {
    while (!io.signal.aborted) {
      const found = await lookOnce(look, io);
      if (found?.unknown !== undefined && found.unknown !== '' && last === undefined) {
        io.err(printable(found.unknown));
        return EXIT.failed;
      }
      last = found ?? last;
      if (last !== undefined) screen.show(last, clock.now());
      await clock.sleep(LOOK_SECONDS, io.signal);
    }
    return EXIT.ok;
  } finally {
    screen.leave();
  }
}

/** A look that fails for now is said, and the one before it stays. undefined: it failed. */
async function lookOnce(look: () => Promise<Look>, io: Io): Promise<Look | undefined> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof PortError) || !error.retryable) throw error;
    io.err(`${printable(explain(error))}; looking again in ${LOOK_SECONDS} s\n`);
    return undefined;
  }
}

type Screen = { readonly show: (look: Look, now: number) => void; readonly leave: () => void };

/** Of one Rollout its picture, of several the table. */
function liveScreen(name: string, io: Io): Screen {
  let above = 0;
  io.out(HIDE_CURSOR);
  return {
    show: ({ picture }, now) => {
      const size = sizeOf(io);
      const text = fitted(
        linesOf(name, picture, now).map((line) => drawable(printable(line), io.env)),
        size,
      );
      const shown = (io.env['NO_COLOR'] ?? '') === '' ? text.map(coloured) : text;
      io.out(redraw(shown, Math.min(above, size.rows - 1)));
      above = shown.length;
    },
    leave: () => io.out(SHOW_CURSOR),
  };
}

function linesOf(name: string, picture: Picture, now: number): readonly string[] {
  const { asOf, shown, brakes } = picture;
  const wrong = faultLines(picture);
  if (name === '' || asOf === undefined) return [...wrong, ...statusTable(picture, now).trimEnd().split('\n')];
  return [...wrong, ...shown.flatMap((one) => statusFrame(one, { asOf, now, brakes: brakesOf(brakes, one.record) }))];
}

/** What is wrong with `tranche.yaml`, each line cut where the terminal ends. */
function faultLines({ faults = [] }: Picture): readonly string[] {
  return faults.map(issueLine);
}

/** Where lines are added: once, and again where it is something else. */
function faultsOnce(io: Io): (picture: Picture) => void {
  let before = '';
  return (picture) => {
    const said = faultLines(picture).join('\n');
    if (said !== before) io.err(printable(said === '' ? 'tranche.yaml is mended\n' : `${said}\n`));
    before = said;
  };
}

/** A line for each Rollout that is not as it was. */
function lines(io: Io): Screen {
  let before = new Map<string, string>();
  const sayFaults = faultsOnce(io);
  return {
    show: ({ picture }, now) => {
      sayFaults(picture);
      const said = new Map(picture.shown.map((one) => [keyOf(one), statusLine(one)]));
      for (const [key, line] of said)
        if (before.get(key) !== line) io.out(`${drawable(printable(`${timeOf(now)}  ${line}`), io.env)}\n`);
      for (const key of before.keys())
        if (!said.has(key)) io.out(`${drawable(printable(`${timeOf(now)}  ${key} is gone`), io.env)}\n`);
      before = said;
    },
    leave: () => undefined,
  };
}

/** The whole of `status --output json` on one line, whenever anything but its time is another. */
function jsonLines(io: Io): Screen {
  let before = '';
  const sayFaults = faultsOnce(io);
  return {
    show: ({ picture, failed }) => {
      sayFaults(picture);
      const { asOf } = picture;
      const timeless = { ...picture, asOf: asOf && { ...asOf, at: 0 } };
      const said = JSON.stringify(statusJson(timeless, failed));
      if (said !== before) io.out(printable(`${JSON.stringify(statusJson(picture, failed))}\n`));
      before = said;
    },
    leave: () => undefined,
  };
}

function keyOf({ record }: Shown): string {
  return `${record.cluster}/${record.namespace}/${record.name}`;
}

function timeOf(now: number): string {
  return printInstant(now).slice(11, 19);
}
