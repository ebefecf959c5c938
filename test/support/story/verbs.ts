/** What people order by the command line in a story: the real verbs, on the stage. */

import { parseArgs } from 'node:util';
import { targetOf } from '../../../src/commands/flags.ts';
import { eject, intent, line, type OrderWish } from '../../../src/commands/order.ts';
import { status } from '../../../src/commands/status.ts';
import type { Io } from '../../../src/options.ts';
import { type Ports } from '../../../src/reconcile/pass.ts';
import type { EjectWish } from '../../../src/rollout/orders/eject-scene.ts';
import { COMMON_OPTIONS } from '../common-options.ts';
import type { Player } from './play.ts';

export type Wish = {
  readonly who: string;
  readonly name: string;
  readonly verb: OrderWish | EjectWish;
  readonly workload?: boolean;
};

/** Runs the verb; answers with the commits that it made, or with why it was refused. */
export async function ordered(player: Player, { who, name, verb, workload = false }: Wish): Promise<string> {
  const options = { ...COMMON_OPTIONS, target: { ...targetOf(name, {}), workload }, by: who };
  return commitsOf(player, (ports, io) =>
    'kind' in verb ? intent(verb, options, ports, io) : eject(verb, options, ports, io),
  );
}

/** Stops all Rollouts, or lets them go. */
export async function stopped(player: Player, who: string, kind: 'stop' | 'go'): Promise<string> {
  const wish = kind === 'go' ? { kind } : { kind, until: undefined, why: '' };
  return commitsOf(player, (ports, io) => line(wish, { ...COMMON_OPTIONS, by: who }, ports, io));
}

/** The commits that a verb makes, or what it says where it makes none. */
async function commitsOf(player: Player, run: (ports: Ports, io: Io) => Promise<number>): Promise<string> {
  const { stage } = player;
  const before = stage.repository.head('main');
  const { io, said } = terminal();
  await run(
    stage.ports(stage.repository, async () => undefined),
    io,
  );
  const made = stage.repository.log('main').findIndex((commit) => commit.oid === before);
  const commits = stage.repository.log('main').slice(0, made).reverse();
  return commits.length === 0 ? said.err.trim() : `→ ${commits.map((commit) => player.name(commit.oid)).join(', ')}`;
}

/** What `tranche status` says, line by line, and how it ends where that is not well. */
export async function looked(
  { stage }: Player,
  { name, live }: { readonly name: string; readonly live: boolean },
): Promise<readonly string[]> {
  const { io, said } = terminal();
  const ports = stage.ports(stage.repository, async () => undefined);
  const code = await status({ ...COMMON_OPTIONS, name, namespace: '', live }, ports, io);
  const lines = `${said.out}${said.err}`.trimEnd().split('\n');
  return code === 0 ? lines : [...lines, `exit code ${code}`];
}

function terminal(): { readonly io: Io; readonly said: { out: string; err: string } } {
  const said = { out: '', err: '' };
  const io: Io = {
    env: {},
    folder: '/',
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    isTerminal: false,
    signal: new AbortController().signal,
  };
  return { io, said };
}

/** The same as people type it: `abort vllm --now`. */
export async function typed(player: Player, who: string, words: readonly string[]): Promise<string> {
  const [verb = '', ...rest] = words;
  const { values, positionals } = parseArgs({ args: rest, options: FLAGS, allowPositionals: true });
  const [name = '', step] = positionals;
  if (verb === 'stop' || verb === 'go') return stopped(player, who, verb);
  const make = (TYPED as Readonly<Record<string, (given: Values, step: string | undefined) => Wish['verb']>>)[verb];
  if (make === undefined) throw new Error(`no story knows tranche ${verb}`);
  return ordered(player, { who, name, verb: make(values, step), workload: values.workload === true });
}

const FLAGS = {
  step: { type: 'string' },
  hold: { type: 'string' },
  release: { type: 'string' },
  to: { type: 'string' },
  partition: { type: 'string' },
  now: { type: 'boolean' },
  'accept-outage': { type: 'boolean' },
  abort: { type: 'boolean' },
  workload: { type: 'boolean' },
  'keep-newer': { type: 'boolean' },
  'as-is': { type: 'boolean' },
} as const;

type Values = ReturnType<
  typeof parseArgs<{ readonly options: typeof FLAGS; readonly allowPositionals: true }>
>['values'];

const numberIn = (told: string | undefined): number | undefined => (told === undefined ? undefined : Number(told));

const TYPED = {
  approve: ({ step, hold }: Values) => ({ kind: 'approve', step: numberIn(step), hold }),
  jump: (_: Values, step: string | undefined) => ({ kind: 'jump', step: Number(step) }),
  abort: (given: Values) => ({
    kind: 'abort',
    keepNewer: given['keep-newer'] === true,
    release: given.release,
    ...(given.now === true ? { now: true } : {}),
    ...(given['accept-outage'] === true ? { outage: true } : {}),
  }),
  undo: ({ to }: Values) => ({ kind: 'undo', to }),
  retry: ({ release }: Values) => ({ kind: 'retry', release }),
  pause: () => ({ kind: 'pause' }),
  resume: () => ({ kind: 'resume' }),
  propose: () => ({ kind: 'propose' }),
  acknowledge: () => ({ kind: 'acknowledge' }),
  repair: () => ({ kind: 'repair' }),
  eject: (given: Values) => ({
    abort: given.abort === true,
    partition: numberIn(given.partition),
    asIs: given['as-is'] === true,
  }),
} satisfies Readonly<Record<string, (given: Values, step: string | undefined) => Wish['verb']>>;
