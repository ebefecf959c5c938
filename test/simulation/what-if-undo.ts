/** S13 at the end of a schedule: from any state after settling, an undo brings back a release whole, and nothing else. */

import { INTENT } from '../../src/api/intents.ts';
import type { HoldReason } from '../../src/rollout/hold.ts';
import { ownFiles } from './built-files.ts';
import { marksIn, type RolloutState, rolloutFile, rolloutText, versionInText } from './files.ts';
import { digestIn } from './people.ts';
import { comeToRest } from './rest.ts';
import type { WorkloadSetup } from './setup.ts';
import { LawBroken } from './timeline.ts';
import { wantedGroups } from './truth.ts';
import { restIn, templateIn } from './undo-law.ts';
import type { Universe } from './universe.ts';
import { isBroken } from './versions.ts';

const NOTHING = { replicas: 0, groups: [] };

/** What became of the question, for those who count. */
type Answer = 'not at rest' | 'nothing before' | 'held' | 'undone';

/**
 * In a copy of the world the release that had settled before is ordered back. Whatever holds that leaves every file as it was; once
 * it has started, it gets to its end: the template of then, byte for byte, all that people wrote around it, and every other file.
 */
export async function undoNow(
  universe: Universe,
  {
    workload,
    state,
    releaseVersion,
  }: { readonly workload: WorkloadSetup; readonly state: RolloutState; readonly releaseVersion: number | undefined },
): Promise<Answer> {
  const { name } = workload;
  const text = universe.lws(name) ?? '';
  const marks = marksIn(text);
  if (marks === undefined || marks.step !== undefined || versionInText(text) !== releaseVersion) return 'not at rest';
  const before = settledBefore(universe, name, marks.release);
  if (before === undefined) return 'nothing before';
  const to = marksIn(before)?.release ?? '';
  const fork = universe.fork();
  const serials = [marks.release, ...marks.aborted].map((release) => Number(release.split('.')[1]));
  const intents = { [INTENT.undo]: `${marks.release} ${Math.max(...serials)} to ${to}` };
  const ordered = rolloutText(workload, { ...state, intents });
  fork.repository.commit('main', { writes: [{ path: rolloutFile(name), text: ordered }], message: 'undo' });
  // What another one goes back to meanwhile is its own.
  const moving = fork.setup.workloads.filter((one) => one === workload || isOnItsWay(fork, one.name));
  const files = others(fork, workload, moving);
  const { outcomes } = await comeToRest(fork, undefined, `undo ${name}`);
  const after = fork.lws(name) ?? '';
  const now = marksIn(after);
  const where = `${marks.release} to ${to}`;
  const holds = (outcomes.find(({ key }) => key.name === name)?.plan?.holds ?? []).map(({ reason }) => reason);
  const fail = (what: string): never => {
    throw new LawBroken('S13 undo', `${where}: ${what} (${holds.join(' ')})`);
  };
  if (now?.release === marks.release) {
    if (after !== text || holds.length === 0) fail('not undone, and nothing says why, or the file is another one');
    return 'held';
  }
  if (now?.release !== to) fail(`it ended at ${now?.release}`);
  // Groups that the world breaks may keep the rollback from its end: what came back is whole all the same.
  if (templateIn(after, workload) !== templateIn(before, workload))
    fail('its template is another than when it had settled');
  if (restIn(after, workload) !== restIn(text, workload)) fail('what people wrote around it is another');
  if (now?.step !== undefined) {
    if (!holds.some((reason) => FOR_GROUPS.includes(reason))) fail(`still ${now.step}`);
    return 'undone';
  }
  if (others(fork, workload, moving) !== files) fail('other files are not as they were');
  const version = versionInText(after) ?? 0;
  const astray = wantedGroups(fork.truth(name) ?? NOTHING).filter(
    (group) => group.version !== version && !isBroken(fork.setup.seed, version, group.index),
  );
  if (astray.length > 0) fail(`groups ${astray.map(({ index }) => index).join(' ')} are not on version ${version}`);
  return 'undone';
}

const FOR_GROUPS: readonly HoldReason[] = [
  'BlockedByFailedGroup',
  'BlockedByUnreadyGroup',
  'BlockedByStatefulSetGate',
  'GroupCrashLoop',
  'GroupsNotReady',
  'GroupsNotUpdated',
  'NotServing',
  'RollingBack',
  // Scaled to none by people: how the groups come up is not known before they raise it.
  'ScaledToZero',
];

/** The newest text of main in which another release was settled: with the template of that, and no request over it. */
function settledBefore(universe: Universe, name: string, release: string): string | undefined {
  for (const { oid } of universe.repository.log('main')) {
    const text = universe.lws(name, oid) ?? '';
    const marks = marksIn(text);
    const isOther = marks !== undefined && marks.step === undefined && marks.release !== release;
    if (isOther && marks.release.startsWith(`${digestIn(text)}.`)) return text;
  }
  return undefined;
}

function isOnItsWay(universe: Universe, name: string): boolean {
  return marksIn(universe.lws(name) ?? '')?.step !== undefined;
}

/** Every file of main but those of workloads that move: of blueGreen also the Service, which follows the colour that serves. */
function others({ repository }: Universe, { fills }: WorkloadSetup, moving: readonly WorkloadSetup[]): string {
  const own = moving.flatMap((one) => [...ownFiles(one), rolloutFile(one.name)]);
  const files = Object.entries(repository.files('main')).filter(([path]) => !own.includes(path));
  return JSON.stringify(fills?.style === 'blueGreen' ? files.map(([path]) => path) : files);
}
