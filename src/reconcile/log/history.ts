/** What became of every release, from Git alone: the log of main, the files of its commits, and what the status branch reports. */

import type { Issue } from '../../api/issue.ts';
import type { Instant } from '../../api/time.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import type { Desired, DesiredRollout } from '../desired/desired-rollout.ts';
import { gitReader } from '../history/observe-git.ts';
import { readDesired } from '../observe/read-main.ts';
import { desiredHead } from '../observe/read-settings.ts';
import { newMemory, type Overrides, type Ports } from '../pass.ts';
import { keysAt } from '../status/keys-at.ts';
import { type Delivery, deliveryCollector, type OrderShown } from './deliveries.ts';
import { type Details, detailsOf } from './details.ts';
import { type HoldTold, holdsTold } from './holds.ts';
import { isNamed, unknownName } from './named.ts';
import { type LogRead, readLog } from './read-log.ts';
import { changesIn, type StepInFiles, stepsInFiles } from './step-files.ts';

const HISTORY_VERSION = 1;
/** Deliveries whose files are read: the newest. Of the others only the log is read. */
export const DETAILED_MOST = 100;

type HistoryAsked = {
  /** Empty: all Rollouts. */
  readonly name: string;
  readonly namespace: string;
  readonly since: Instant | undefined;
};

export type DeliveryTold = Omit<Delivery, 'steps'> &
  Details & {
    /** Newest first. The newest delivery of a Rollout has the groups and shares of its steps, where its files tell. */
    readonly steps: readonly StepInFiles[];
    /** Of the newest delivery of a Rollout: what its release changes of the stable version; not there: not known. */
    readonly changes?: readonly string[] | undefined;
  };

export type History = {
  readonly version: typeof HISTORY_VERSION;
  /** The commit of main whose line was read. */
  readonly main: string;
  readonly since: Instant | undefined;
  readonly read: LogRead;
  /** Newest first. */
  readonly deliveries: readonly DeliveryTold[];
  /** Newest first. */
  readonly orders: readonly OrderShown[];
  /** Oldest first: not from main. */
  readonly holds: readonly HoldTold[];
  /** Of `tranche.yaml`: an earlier one counts. */
  readonly faults: readonly Issue[];
};

/** Reads it, or says why nothing is meant. Throws PortError where Git fails, and ConfigError where `tranche.yaml` is wrong. */
export async function readHistory(ports: Ports, overrides: Overrides, asked: HistoryAsked): Promise<History | string> {
  const { git, builder } = ports;
  git.begin();
  const { main, config } = await desiredHead(git, overrides);
  const [status] = await git.heads([config.statusBranch]);
  const { cluster = '' } = overrides;
  const isMeant = (key: string): boolean => isNamed(key, { ...asked, cluster });
  const collector = deliveryCollector(isMeant);
  const said = new Set<string>();
  const read = await readLog(git, { head: main, since: asked.since }, (_, entries) => {
    for (const one of entries) {
      collector.add(one);
      said.add(one.rollout);
    }
  });
  const memory = newMemory();
  const desired = await readDesired(git, main, { config, memory, builder });
  const unknown = unknownName({ ...asked, cluster }, { said, desired, read });
  if (unknown !== undefined) return unknown;
  const builds = builder === undefined ? undefined : { builder, cache: memory.builds };
  const reader = gitReader(git, main, { config: desired.config, texts: desired.trials.known, builds });
  const deliveries: DeliveryTold[] = [];
  for (const [place, delivery] of collector.deliveries().entries()) {
    const entry = place < DETAILED_MOST ? entryOf(desired, delivery.rollout) : undefined;
    const isNewest = !deliveries.some(({ rollout }) => rollout === delivery.rollout);
    const details = await detailsOf({ git, reader }, entry, delivery);
    if (entry === undefined || !isNewest) deliveries.push({ ...delivery, ...details });
    else {
      const steps = await stepsInFiles({ git, reader, desired }, entry, delivery);
      deliveries.push({ ...delivery, ...details, steps, changes: await changesIn({ reader }, entry, delivery) });
    }
  }
  const rollouts = desired.rollouts.map(({ key }) => printKey(key)).filter(isMeant);
  const place = { cluster: config.cluster, shard: overrides.shard?.index };
  const judging = { signatures: ports.signatures, config, place, now: ports.clock.now(), keysAt: keysAt(ports.clock) };
  const holds = await holdsTold(git, { head: status, rollouts, since: asked.since, judging });
  const since = asked.since;
  const { faults = [] } = config;
  return { version: HISTORY_VERSION, main, since, read, deliveries, orders: collector.orders(), holds, faults };
}

function entryOf({ rollouts }: Desired, key: string): DesiredRollout | undefined {
  return rollouts.find((entry) => printKey(entry.key) === key);
}
