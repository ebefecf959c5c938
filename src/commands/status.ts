/** `tranche status`: where the rollouts stand, from the status branch or from a look at the cluster. */

import { jsonText } from '../api/printable.ts';
import { type CommonOptions, EXIT, type Io } from '../options.ts';
import { newMemory, type Ports } from '../reconcile/pass.ts';
import { NOTHING_SINCE, type Picture, readPicture, type Shown } from '../reconcile/read-picture.ts';
import { runPass } from '../reconcile/run.ts';
import { freshLine } from '../reconcile/status/age-text.ts';
import { brakeJson, brakesOf } from '../reconcile/status/brakes.ts';
import { statusTable, statusTree } from '../reconcile/status/status-text.ts';

export type StatusOptions = CommonOptions & {
  /** Empty: all of them, as a table. */
  readonly name: string;
  readonly namespace: string;
  /** Read the cluster now instead of the record of the last pass. */
  readonly live: boolean;
};

/** Exit code 1 where the named rollout is not there, or could not be looked at. */
export async function status(options: StatusOptions, ports: Ports, io: Io): Promise<number> {
  const { picture, failures } = options.live
    ? await livePicture(options, ports)
    : { picture: await readPicture(ports, options.overrides), failures: [] };
  const { asOf } = picture;
  // One status branch may have several clusters: who names one means that alone.
  const { cluster = '' } = options.overrides;
  const known = picture.shown.filter(({ record }) => cluster === '' || record.cluster === cluster);
  const shown = known.filter(({ record }) => isMeant(options, record));
  const now = ports.clock.now();
  if (options.output === 'json') io.out(jsonText(shown.map((one) => statusJson(one, picture))));
  else if (options.name === '') io.out(statusTable({ ...picture, shown }, now));
  else if (asOf !== undefined)
    io.out(shown.map((one) => statusTree(one, { asOf, now, brakes: picture.brakes })).join('\n'));
  const failed = failures.filter((one) => isMeant(options, one));
  for (const { namespace, name, why } of failed) io.err(`${namespace}/${name}: ${why}\n`);
  if (options.name !== '' && shown.length + failed.length === 0) {
    const names = known.map(({ record }) => `${record.namespace}/${record.name}`).join(', ');
    const fresh = picture.fresh.filter((one) => isMeant(options, keyOf(one)));
    io.err(
      fresh.length > 0
        ? fresh.map((one) => `${freshLine(one)}\n`).join('')
        : asOf === undefined
          ? `no pass has written a status of ${options.name} yet: tranche reconcile makes one, and the same with --live looks without it\n`
          : `no record of ${options.name}. There is: ${names === '' ? 'none' : names}\n`,
    );
    return EXIT.failed;
  }
  const unread = options.live && shown.some(({ record }) => record.unseen?.why === 'unread');
  return failed.length > 0 || unread ? EXIT.failed : EXIT.ok;
}

/** Of `namespace/name`. */
function keyOf(written: string): { readonly name: string; readonly namespace: string } {
  const [namespace = '', name = ''] = written.split('/');
  return { namespace, name };
}

function isMeant(
  { name, namespace }: StatusOptions,
  found: { readonly name: string; readonly namespace: string },
): boolean {
  return (name === '' || found.name === name) && (namespace === '' || found.namespace === namespace);
}

/** The record, and how old it is. */
function statusJson({ record, since, next }: Shown, { asOf, brakes }: Picture): unknown {
  if (asOf === undefined) return record;
  const { kind, at, main, unseen } = asOf;
  return {
    ...record,
    asOf: { kind, at, main, commitsAhead: unseen.length, notSeenYet: since },
    next,
    brakes: brakesOf(brakes, record).map(brakeJson),
  };
}

type Failure = { readonly namespace: string; readonly name: string; readonly why: string };

/** A look at the cluster for each rollout, settled or not; the next step is not shown as if it had been written. */
async function livePicture(
  { overrides }: StatusOptions,
  ports: Ports,
): Promise<{ readonly picture: Picture; readonly failures: readonly Failure[] }> {
  const at = ports.clock.now();
  const always = { ...overrides, auditSeconds: 0 };
  const {
    main,
    outcomes,
    brakes = [],
  } = await runPass(ports, newMemory(), { overrides: always, write: false, only: [] });
  const shown: Shown[] = [];
  const failures: Failure[] = [];
  for (const { key, plan, error, snapshot } of outcomes) {
    // What a newer tranche remembers is not known here, and so not where it stands.
    if (snapshot?.newerRecord !== undefined)
      failures.push({ namespace: key.namespace, name: key.name, why: plan?.holds[0]?.message ?? '' });
    else if (plan !== undefined) shown.push({ record: plan.record, since: NOTHING_SINCE, next: plan.commit?.subject });
    if (error !== undefined) failures.push({ namespace: key.namespace, name: key.name, why: error });
  }
  const asOf = {
    kind: 'live',
    at,
    main,
    unseen: [],
    more: false,
    writtenBy: undefined,
    overdueSince: undefined,
  } as const;
  return { picture: { asOf, shown, fresh: [], brakes }, failures };
}
