/** `tranche demo`: a whole delivery on an embedded repository and a simulated cluster, watched and then checked. */

import { printable } from '../api/printable.ts';
import { type Act, actsOf } from '../demo/acts.ts';
import { checkEnd, type Wanted } from '../demo/check.ts';
import { calledAs, drillLines, findingLines, logLines, whereLines } from '../demo/ending.ts';
import { NAME, NEW_TAG, OLD_TAG } from '../demo/files.ts';
import { livePicture } from '../demo/live-view.ts';
import { lostRequests } from '../demo/lost-requests.ts';
import type { Scene } from '../demo/scene.ts';
import { playStory, type StoryEnd } from '../demo/story.ts';
import { type DemoStrategy, STRATEGIES } from '../demo/strategies.ts';
import { newLines, transcriptHead } from '../demo/transcript.ts';
import { BRANCH, type DemoWorld, type GiveOrder, openWorld } from '../demo/world.ts';
import { commonOptions, EXIT, type Io, UsageError } from '../options.ts';
import { coloured } from '../reconcile/status/frame-lines.ts';
import type { Given } from './flags.ts';
import { asciiText, fitted, HIDE_CURSOR, isAscii, isRedrawable, redraw, SHOW_CURSOR, sizeOf } from './frame.ts';
import { intent } from './order.ts';

export type DemoOptions = {
  readonly strategy: DemoStrategy;
  /** The new version breaks on its second group, or with its first share of requests; someone gives it up. */
  readonly fail: boolean;
  /** The folder stays. */
  readonly keep: boolean;
  /** The API and the agent go on in real time until the process is asked to stop. */
  readonly serve: boolean;
};

/** Long enough for an eye, on a terminal only. */
const FRAME_SECONDS = 0.02;
const LOG_MOST = 100;
const SERVE_SECONDS = 1;

/** What is played, and how it must end. */
export type Told = {
  readonly title: string;
  readonly acts: readonly Act[];
  readonly wanted: Omit<Wanted, 'firstCommit'>;
};

/** The story of a strategy, and how it must end; `fail`: of a version that breaks. */
export function toldOf(strategy: DemoStrategy, fail: boolean): Told {
  const plan = STRATEGIES[strategy];
  return {
    title: plan.title,
    acts: actsOf(plan, fail),
    wanted: {
      oldTag: OLD_TAG,
      tag: fail ? OLD_TAG : NEW_TAG,
      steps: fail ? plan.stepsBack : plan.steps,
      serves: fail ? NAME : plan.serves,
      second: plan.second,
      layout: plan.layout,
    },
  };
}

/** What was asked for on the command line, which has checked the name of the strategy. */
export function demoOptions(given: Given): DemoOptions {
  const { strategy, traffic, layout } = given;
  const isBuilt = layout === 'kustomize';
  const one = traffic === true ? 'shared' : isBuilt ? 'built' : 'partition';
  const isTwo = strategy === 'canary' || strategy === 'blueGreen';
  if (isTwo && traffic === true)
    throw new UsageError(
      `--traffic goes with --strategy partition; ${strategy} always has a route: leave --traffic out`,
    );
  if (isBuilt && (isTwo || one !== 'built'))
    throw new UsageError('--layout kustomize goes with --strategy partition, and without --traffic');
  return {
    strategy: isTwo ? strategy : one,
    fail: given['fail'] === true,
    keep: given['keep'] === true,
    serve: given['serve'] === true,
  };
}

/** Exit code 0 only where the check found the end that it wants. */
export async function demo(options: DemoOptions, io: Io): Promise<number> {
  const world = await openWorld({ strategy: options.strategy, broken: options.fail, giveOrder }, io);
  const { folder, repository, kubeconfig, apiUrl } = world;
  const kept = options.keep || options.serve;
  const told = toldOf(options.strategy, options.fail);
  try {
    if (options.serve) io.out(`serving ${JSON.stringify({ repo: repository, kubeconfig, api: apiUrl })}\n`);
    const end = await watch(world, told, io);
    const code = await conclude(world, { end, told }, io);
    if (end === 'stopped') {
      if (options.keep) io.err(`${folder} stays as it was then\n`);
      return code;
    }
    say(io, [
      '',
      ...whereLines({ called: calledAs(io.env), folder, repository, kubeconfig, kept, served: options.serve }),
    ]);
    if (options.serve) await serve(world, io);
    return code;
  } finally {
    await world.close();
    if (!options.keep) await world.removeFolder();
    if (options.serve && !options.keep) io.err(`${folder} is removed with the repository; --serve --keep leaves it\n`);
  }
}

/** Plays the story, drawn over itself on a terminal, line by line elsewhere. */
export async function watch(world: DemoWorld, { title, acts }: Told, io: Io): Promise<StoryEnd> {
  say(io, [title, '']);
  const screen = isRedrawable(io) ? liveScreen(world, io) : plainScreen(io);
  try {
    return await playStory(world, acts, { show: screen.show, signal: io.signal });
  } finally {
    screen.leave();
  }
}

type Screen = { readonly show: (scene: Scene) => Promise<void>; readonly leave: () => void };

function liveScreen({ system }: DemoWorld, io: Io): Screen {
  let above = 0;
  io.out(HIDE_CURSOR);
  return {
    show: async (scene) => {
      const size = sizeOf(io);
      const lines = livePicture(scene).map((text) => shown(text, io));
      const plain = fitted(lines, size);
      const picture = (io.env['NO_COLOR'] ?? '') === '' ? plain.map(coloured) : plain;
      io.out(redraw(picture, Math.min(above, size.rows - 1)));
      above = picture.length;
      await system.sleep(FRAME_SECONDS, io.signal);
    },
    leave: () => io.out(SHOW_CURSOR),
  };
}

function plainScreen(io: Io): Screen {
  let before: Scene | undefined;
  return {
    show: async (scene) => {
      if (before === undefined) say(io, transcriptHead(scene.fleet.groups.length));
      say(io, newLines(before, scene));
      before = scene;
    },
    leave: () => undefined,
  };
}

/** The log and the verdict. */
export async function conclude(
  world: DemoWorld,
  story: { readonly end: StoryEnd; readonly told: Told },
  io: Io,
): Promise<number> {
  if (story.end === 'stopped') {
    io.err('stopped before the end; nothing was checked\n');
    return EXIT.failed;
  }
  const { git } = world.ports;
  const [head] = await git.heads([BRANCH]);
  const log = await git.history(head ?? '', undefined, LOG_MOST);
  const findings = [
    ...(await checkEnd(git, world.apiUrl, { firstCommit: world.firstCommit, ...story.told.wanted })),
    lostRequests(world.clients.total(), world.agent, log),
  ];
  say(io, ['', ...logLines(log), '', ...findingLines(findings)]);
  if (story.end === 'late') io.err('error: the story did not come to its end in simulated time\n');
  return story.end === 'settled' && findings.every(({ good }) => good) ? EXIT.ok : EXIT.failed;
}

/** Real time from here on. The reconciler is somebody else's now. */
async function serve(world: DemoWorld, io: Io): Promise<void> {
  const { model, system, agent } = world;
  world.hurry();
  say(io, [
    '',
    'Serving until stopped (Ctrl-C). Push another image to main: the agent applies it within a second.',
    ...drillLines(world.apiUrl),
  ]);
  while (!io.signal.aborted) {
    model.advanceTo(system.now());
    await agent.sync().catch((error: unknown) => io.err(`${error instanceof Error ? error.message : String(error)}\n`));
    await system.sleep(SERVE_SECONDS, io.signal);
  }
}

function say(io: Io, lines: readonly string[]): void {
  for (const line of lines) io.out(`${shown(line, io)}\n`);
}

/** A text that acts on no terminal, in characters that this one draws. */
function shown(text: string, { env }: Io): string {
  const safe = printable(text);
  return isAscii(env) ? asciiText(safe) : safe;
}

/** Gives an order with the verb of the command line, by the clock of the demo. Throws with its text where it is refused. */
export const giveOrder: GiveOrder = async (wish, by, { ports, repository, folder }) => {
  const answer: string[] = [];
  const keep = (text: string): void => void answer.push(text);
  const signal = new AbortController().signal;
  const io: Io = { env: {}, folder, out: keep, err: keep, isTerminal: false, signal };
  const target = { name: NAME, namespace: '' };
  const code = await intent(wish, { ...commonOptions({ repo: repository }, io), target, by }, ports, io);
  if (code !== 0) throw new Error(`tranche ${wish.kind} ${NAME}: ${answer.join('').trim()}`);
};
