/** What people order by the command line in a story: the real verbs, on the stage. */

import { eject, intent } from '../../../src/commands/order.ts';
import { status } from '../../../src/commands/status.ts';
import type { Io } from '../../../src/options.ts';
import { NO_OVERRIDES } from '../../../src/reconcile/pass.ts';
import type { EjectWish } from '../../../src/rollout/orders/eject-scene.ts';
import type { Intent } from '../../../src/rollout/orders/intent.ts';
import type { Player } from './play.ts';

export type Wish = { readonly who: string; readonly name: string; readonly verb: Intent | EjectWish };

/** Runs the verb; answers with the commits that it made, or with why it was refused. */
export async function ordered(player: Player, { who, name, verb }: Wish): Promise<string> {
  const { stage } = player;
  const before = stage.repository.head('main');
  const { io, said } = terminal();
  const ports = stage.ports(stage.repository, async () => undefined);
  const options = { ...COMMON, target: { name, namespace: '' }, by: who };
  await ('kind' in verb ? intent(verb, options, ports, io) : eject(verb, options, ports, io));
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
  const code = await status({ ...COMMON, name, namespace: '', live }, ports, io);
  const lines = `${said.out}${said.err}`.trimEnd().split('\n');
  return code === 0 ? lines : [...lines, `exit code ${code}`];
}

const COMMON = {
  repo: '',
  kubeconfig: undefined,
  context: '',
  inCluster: false,
  output: 'text',
  overrides: NO_OVERRIDES,
} as const;

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
