/** The order that someone gives with `workflow_dispatch`: a verb and a Rollout, carried out before the pass. */

import { type CommonOptions, EXIT, type Io, UsageError } from '../options.ts';
import type { Ports } from '../reconcile/pass.ts';
import type { Intent } from '../rollout/orders/intent.ts';
import { giverOf } from '../wiring.ts';

/** Those that need nothing but the name of the Rollout. */
const WISHES: Readonly<Record<string, Intent | undefined>> = {
  approve: { kind: 'approve', step: undefined, hold: undefined },
  pause: { kind: 'pause' },
  resume: { kind: 'resume' },
  abort: { kind: 'abort', keepNewer: false },
  undo: { kind: 'undo', to: undefined },
  retry: { kind: 'retry', release: undefined },
  propose: { kind: 'propose' },
};

/** What `verb` takes, in the order in which a form lists them. */
export const VERBS_OF_RUN: readonly string[] = Object.keys(WISHES);

type Order = {
  readonly verb: string;
  /** `name` or `namespace/name`. */
  readonly rollout: string;
};

/** Writes the order, and returns its exit code: nothing is to follow one that is refused. Throws UsageError and PortError. */
export async function orderOfRun(
  { verb, rollout }: Order,
  options: CommonOptions,
  ports: Ports,
  io: Io,
): Promise<number> {
  if (verb === '') return EXIT.ok;
  const wish = Object.hasOwn(WISHES, verb) ? WISHES[verb] : undefined;
  if (wish === undefined) throw new UsageError(`verb is ${verb}, wanted one of ${VERBS_OF_RUN.join(', ')}`);
  if (io.env['GITHUB_EVENT_NAME'] !== 'workflow_dispatch')
    throw new UsageError(`verb is ${verb}, but orders are given by people: with workflow_dispatch`);
  const [, namespace = '', name = ''] = /^(?:([a-z0-9-]+)\/)?([a-z0-9.-]+)$/.exec(rollout) ?? [];
  if (name === '') throw new UsageError(`rollout is ${JSON.stringify(rollout)}, wanted name or namespace/name`);
  const { intent } = await import('./order.ts');
  const giver = await giverOf(options, io, undefined);
  return intent(wish, { ...options, ...giver, target: { name, namespace } }, ports, io);
}
