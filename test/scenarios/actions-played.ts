/** Plays stories, and at each hold that names deeds carries each of them out on a copy of the stage: what becomes of the hold. */

import type { Outcome } from '../../src/reconcile/outcome.ts';
import type { Hold } from '../../src/rollout/hold.ts';
import type { Deed } from '../../src/rollout/texts/advice.ts';
import { isRunningAndReady } from '../../src/simulator/lws/group-state.ts';
import { count, part, specOf } from '../../src/simulator/objects/objects.ts';
import { LWS } from '../../src/simulator/objects/resource-table.ts';
import { carryOut, shapeOf } from '../support/story/deeds.ts';
import { checkOwnCommits } from '../support/story/own-commits.ts';
import { Player, playStory, sharedOf } from '../support/story/play.ts';
import { type Look, plainLook } from '../support/story/rehearse.ts';
import { failingPercent } from '../support/story/requests.ts';
import { NAMESPACE, type Stage } from '../support/story/stage.ts';
import { commonFiles, ownFiles, storyOf } from './check-stories.ts';

/** Rounds in which a hold has to go: more than any wait of the stories. */
const ROUNDS_MAX = 40;
const ROUND_SECONDS = 30;
/** What follows is watched for so many more. */
const ROUNDS_AFTER = 3;

/** What came of one deed of one hold. */
export type Played = {
  /** The hold, the strategy, and the deed. */
  readonly plain: string;
  readonly story: string;
  readonly message: string;
  /** `gone`, or what it was instead. */
  readonly came: string;
};

/** What came of what was met so far, by the hold, its place and the deed. */
export type Met = { readonly played: Map<string, Played> };

/** All of one story, but what was met before. `finely`: at each rung, not once a strategy. */
export async function playActions(name: string, met: Met, finely: boolean): Promise<void> {
  const story = storyOf(name);
  const files = Object.assign({}, ...sharedOf(story).map(commonFiles), ownFiles(name));
  await playStory(story, files, commonFiles, {
    look: plainLook,
    after: async (player) => {
      for (const outcome of player.seen?.result?.outcomes ?? [])
        for (const hold of outcome.plan?.holds ?? []) {
          for (const deed of 'deeds' in hold ? hold.deeds : []) {
            const plain = `${hold.reason} · ${styleOf(outcome)} · ${shapeOf(deed)}`;
            const key = finely ? `${plain} · ${rungOf(outcome)}` : plain;
            if (met.played.has(key)) continue;
            const came = await tried(player, { outcome, hold, deed });
            met.played.set(key, { plain, story: name, message: hold.message, came });
          }
        }
    },
  });
}

function styleOf({ snapshot }: Outcome): string {
  const { style, routing } = snapshot?.rollout?.rollout ?? {};
  return style === 'partition' && routing !== undefined ? 'partition with routes' : (style ?? 'no Rollout');
}

function rungOf({ snapshot }: Outcome): string {
  const marks = snapshot?.workload?.workload.marks;
  return `${marks?.step?.kind ?? 'settled'} ${marks?.at ?? ''}`;
}

type Try = { readonly outcome: Outcome; readonly hold: Hold; readonly deed: Deed };

async function tried(player: Player, { outcome, hold, deed }: Try): Promise<string> {
  const stage = player.stage.fork();
  const copy = new Player(stage, player.shared);
  const refused = await carryOut(copy, deed);
  if (refused !== undefined) return `refused: ${refused}`;
  // From here on only passes commit.
  let before = stage.repository.head('main') ?? '';
  stage.applied = before;
  const harm = watched(stage, outcome);
  let rest = ROUNDS_AFTER;
  let gone = false;
  try {
    for (let round = 0; round < ROUNDS_MAX && rest > 0; round += 1) {
      if (!stage.asleep) stage.sync('main');
      stage.world.tick(ROUND_SECONDS);
      const { result, error } = await plainLook(stage);
      checkOwnCommits(stage.repository, before);
      before = stage.repository.head('main') ?? '';
      if (harm.seen !== undefined) return `harm: ${harm.seen}`;
      gone ||= error === '' && !isHeld(result, { outcome, hold });
      if (gone) rest -= 1;
    }
  } catch (thrown) {
    return `fault: ${thrown instanceof Error ? thrown.message.split('\n')[0] : String(thrown)}`;
  }
  return gone ? 'gone' : 'stays';
}

/** Whether the same Rollout still waits for the same. */
function isHeld(result: Look['result'], { outcome: { key }, hold }: Pick<Try, 'outcome' | 'hold'>): boolean {
  const now = result?.outcomes.find((one) => one.key.name === key.name && one.key.namespace === key.namespace);
  return now?.plan?.holds.some(({ reason }) => reason === hold.reason) === true;
}

/** Requests that fail where none did, and more groups down that were ready than the owner allows. */
function watched(stage: Stage, { snapshot }: Outcome): { seen: string | undefined } {
  const harm: { seen: string | undefined } = { seen: undefined };
  const failing = failingPercent(stage.cluster);
  const ready = readyGroups(stage);
  const workload = snapshot?.workload?.workload;
  const own = workload?.marks?.restore?.maxUnavailable?.was ?? workload?.maxUnavailable;
  stage.watch('harm', () => {
    const fails = failingPercent(stage.cluster);
    if (fails > failing) harm.seen ??= `${fails} % of the requests fail`;
    const now = readyGroups(stage);
    for (const [name, groups] of ready) {
      const replicas = replicasOf(stage, name);
      const down = groups.filter((group) => group < replicas && now.get(name)?.includes(group) !== true).length;
      if (down > budgetOf(own, replicas)) harm.seen ??= `${down} groups of ${name} are down at once`;
    }
  });
  return harm;
}

function budgetOf(own: number | string | undefined, replicas: number): number {
  if (typeof own === 'string') return Math.max(1, Math.floor((Number.parseInt(own, 10) * replicas) / 100));
  return Math.max(1, own ?? 1);
}

function replicasOf({ cluster }: Stage, name: string): number {
  const lws = cluster.objects.get({ resource: LWS, namespace: NAMESPACE, name });
  return lws === undefined ? 0 : count(specOf(lws)['replicas'], 1);
}

function readyGroups({ cluster }: Stage): ReadonlyMap<string, readonly number[]> {
  return new Map(
    cluster.objects.list(LWS, NAMESPACE).map((lws) => {
      const { name } = lws.metadata;
      const replicas = count(specOf(lws)['replicas'], 1);
      const size = count(part(specOf(lws), 'leaderWorkerTemplate')['size'], 1);
      const ready = Array.from({ length: replicas }, (_, group) => group).filter((group) => {
        const pods = cluster.pods({ namespace: NAMESPACE, name, group, pods: 'all' });
        return pods.length === size && pods.every(isRunningAndReady);
      });
      return [name, ready];
    }),
  );
}
