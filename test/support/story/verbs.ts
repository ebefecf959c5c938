/** What people order by the command line in a story: the real verbs, on the stage. */

import { eject, intent, type OrderOptions } from '../../../src/commands/order.ts';
import type { Io } from '../../../src/options.ts';
import type { EjectWish } from '../../../src/reconcile/eject.ts';
import type { Intent } from '../../../src/reconcile/intent.ts';
import { NO_OVERRIDES } from '../../../src/reconcile/pass.ts';
import type { Player } from './play.ts';

export type Wish = { readonly who: string; readonly name: string; readonly verb: Intent | EjectWish };

/** Runs the verb; answers with the commits that it made, or with why it was refused. */
export async function ordered(player: Player, { who, name, verb }: Wish): Promise<string> {
  const { stage } = player;
  const before = stage.repository.head('main');
  let said = '';
  const hear = (text: string): void => {
    said += text;
  };
  const io: Io = {
    env: {},
    folder: '/',
    out: () => {},
    err: hear,
    isTerminal: false,
    signal: new AbortController().signal,
  };
  const ports = stage.ports(stage.repository, async () => undefined);
  const options = optionsFor(who, name);
  await ('kind' in verb ? intent(verb, options, ports, io) : eject(verb, options, ports, io));
  const made = stage.repository.log('main').findIndex((commit) => commit.oid === before);
  const commits = stage.repository.log('main').slice(0, made).reverse();
  return commits.length === 0 ? said.trim() : `→ ${commits.map((commit) => player.name(commit.oid)).join(', ')}`;
}

function optionsFor(who: string, name: string): OrderOptions {
  return {
    repo: '',
    kubeconfig: undefined,
    context: '',
    inCluster: false,
    output: 'text',
    overrides: NO_OVERRIDES,
    target: { name, namespace: '' },
    by: who,
  };
}
