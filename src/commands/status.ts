/** `tranche status`: where the rollouts stand, from the status branch or from a look at the cluster. */

import { namesText } from '../api/names-text.ts';
import { jsonText } from '../api/printable.ts';
import { type CommonOptions, EXIT, type Io } from '../options.ts';
import { nameText } from '../reconcile/log/named.ts';
import { newMemory, type Ports } from '../reconcile/pass.ts';
import { NOTHING_SINCE, type Picture, readPicture, type Shown } from '../reconcile/read-picture.ts';
import { runPass } from '../reconcile/run.ts';
import { freshLine } from '../reconcile/status/age-text.ts';
import { statusJson } from '../reconcile/status/status-json.ts';
import { statusTable, statusTree } from '../reconcile/status/status-text.ts';
import { withFaults } from './config-faults.ts';
import { drawable } from './frame.ts';
import type { Look } from './status-watch.ts';

export type StatusOptions = CommonOptions & {
  /** Empty: all of them, as a table. */
  readonly name: string;
  readonly namespace: string;
  /** Read the cluster now instead of the record of the last pass. */
  readonly live: boolean;
};

/** Exit code 1 where the named rollout is not there, or could not be looked at. */
export async function status(options: StatusOptions, ports: Ports, io: Io): Promise<number> {
  const { picture, failed, unknown } = await look(options, ports);
  const { asOf, shown } = picture;
  const ended = withFaults(picture.faults, io);
  const now = ports.clock.now();
  // A script that reads an empty list goes on; one that reads nothing stops.
  if (unknown !== '') {
    io.err(unknown);
    return EXIT.failed;
  }
  if (options.output === 'json') io.out(jsonText(statusJson(picture, failed)));
  else if (options.name === '') io.out(drawable(statusTable(picture, now), io.env));
  else if (asOf !== undefined)
    io.out(drawable(shown.map((one) => statusTree(one, { asOf, now, brakes: picture.brakes })).join('\n'), io.env));
  for (const { namespace, name, why } of failed) io.err(`${namespace}/${name}: ${why}\n`);
  const unread = options.live && shown.some(({ record }) => record.unseen?.why === 'unread');
  return ended(failed.length > 0 || unread ? EXIT.failed : EXIT.ok);
}

/** One look at the Rollouts that are meant, by the status branch or, with `live`, at the cluster. */
export async function look(options: StatusOptions, ports: Ports): Promise<Look> {
  const { picture, failures } = options.live
    ? await livePicture(options, ports)
    : { picture: await readPicture(ports, options.overrides), failures: [] };
  // One status branch may have several clusters: who names one means that alone.
  const { cluster = '' } = options.overrides;
  const known = picture.shown.filter(({ record }) => cluster === '' || record.cluster === cluster);
  const shown = known.filter(({ record }) => isMeant(options, record));
  const failed = failures.filter((one) => isMeant(options, one));
  const isNamed = options.name !== '' || options.namespace !== '' || (cluster !== '' && picture.shown.length > 0);
  const isUnknown = picture.noBranch !== undefined || (isNamed && shown.length + failed.length === 0);
  return { picture: { ...picture, shown }, failed, unknown: isUnknown ? unknownText(options, picture, known) : '' };
}

/** Why there is nothing to show of a name, and which names there are. */
function unknownText(options: StatusOptions, picture: Picture, known: readonly Shown[]): string {
  const { asOf, fresh, shown, noBranch } = picture;
  if (noBranch !== undefined)
    return `the repository has no branch ${noBranch}, which --status-branch names: no pass has written a status there\n`;
  const meant = fresh.filter((one) => isMeant(options, keyOf(one)));
  if (asOf !== undefined && meant.length > 0) return meant.map((one) => `${freshLine(one)}\n`).join('');
  const { cluster = '' } = options.overrides;
  const what = options.name === '' ? '' : ` of ${nameText(options)}`;
  const where = options.name === '' && options.namespace !== '' ? ` ${nameText(options)}` : '';
  const there = (names: readonly string[]): string => namesText(names, nameText(options));
  if (asOf === undefined && meant.length === 0)
    return `main has no Rollout ${nameText(options)}. There is: ${there(fresh)}\n`;
  if (asOf === undefined)
    return `no pass has written a status${what}${where} yet: tranche reconcile makes one, and the same with --live looks without it\n`;
  const clusters = shown.map((one) => one.record.cluster);
  if (known.length === 0 && clusters.length > 0)
    return `no record${what}${where} in the cluster ${cluster}. There is: ${namesText(clusters, cluster)}\n`;
  const names = known.map(({ record }) => `${record.namespace}/${record.name}`);
  return `no record${what}${where}. There is: ${there(names)}\n`;
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

type Failure = { readonly namespace: string; readonly name: string; readonly why: string };

/** A look at the cluster for each rollout, settled or not; the next step is not shown as if it had been written. */
async function livePicture(
  { overrides }: StatusOptions,
  ports: Ports,
): Promise<{ readonly picture: Picture; readonly failures: readonly Failure[] }> {
  const at = ports.clock.now();
  const memory = newMemory();
  const always = { ...overrides, auditSeconds: 0 };
  const { main, outcomes, brakes = [] } = await runPass(ports, memory, { overrides: always, write: false, only: [] });
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
  const { faults = [] } = memory.config ?? {};
  return { picture: { asOf, shown, fresh: [], brakes, faults }, failures };
}
