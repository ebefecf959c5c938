/** A question to a copy of the world: who merges says that a delivery has settled, or goes back to its own template, and an abort is ordered. */

import { factsDigest } from '../../src/reconcile/documents/digests.ts';
import { order } from '../../src/reconcile/order.ts';
import { NO_OVERRIDES } from '../../src/reconcile/pass.ts';
import { printTrailers } from '../../src/rollout/commits/trailers.ts';
import { planIntent } from '../../src/rollout/orders/intent.ts';
import { fakeCluster } from '../support/fake-cluster.ts';
import { lwsFile, marksIn, numberIn, splitOwn, versionInText } from './files.ts';
import { surroundingsOf } from './process.ts';
import { comeToRest, plainPass } from './rest.ts';
import type { WorkloadSetup } from './setup.ts';
import { LawBroken } from './timeline.ts';
import { NAMESPACE, wantedGroups } from './truth.ts';
import type { Universe } from './universe.ts';

const MARKS = / +tranche\.dev\/(release|step|stable|restore|aborted|rung): .*\r?\n/g;
/** Passes before somebody orders: the first sees what was forged. */
const LOOKS = 2;

/** What is written after the annotations were handed back, as by a commit of tranche: nothing that its messages say counts from there. */
const FORGED = ['has settled', 'goes back'] as const;

/** S12: no group that no step has let go is taken on to what is aborted. */
export async function forgedNow(universe: Universe, workload: WorkloadSetup): Promise<void> {
  const { name } = workload;
  const text = universe.lws(name) ?? '';
  const marks = marksIn(text);
  if (marks?.step === undefined || marks.step === 'rollback') return;
  for (const forged of FORGED) {
    const fork = universe.fork();
    fork.cluster.stopControllers([]);
    fork.cluster.setControllerUp(true);
    const version = versionInText(text);
    const before = groupsOn(fork, { name, version });
    const [own, others] = splitOwn(text);
    const step =
      forged === 'goes back'
        ? `    tranche.dev/step: "rollback"\n    tranche.dev/aborted: "${'0'.repeat(32)}.7"\n`
        : '';
    const bare = own.replace(MARKS, '').replace(/ {2}annotations:\r?\n(?! {4})/, '');
    const said = own.replace(MARKS, (line) => (line.includes('/release:') ? `${line}${step}` : ''));
    commitAsOurs(fork, { name, release: marks.release, text: `${bare}${others}`, what: 'eject, annotations removed' });
    commitAsOurs(fork, { name, release: marks.release, text: `${said}${others}`, what: forged });
    for (let look = 0; look < LOOKS; look += 1) {
      await plainPass(fork);
      fork.sync('main');
      fork.tick(60);
    }
    await aborted(fork, name);
    await comeToRest(fork, undefined, `abort ${name}, forged: it ${forged}`);
    const released = numberIn(own, 'partition') ?? 0;
    const taken = groupsOn(fork, { name, version }).filter((index) => index < released && !before.includes(index));
    if (taken.length > 0)
      throw new LawBroken(
        'S12 rollback',
        `${name}, forged: it ${forged}: an abort takes groups ${taken.join(' ')} on to what is aborted`,
      );
  }
}

/** The groups that are on this version. */
function groupsOn(
  fork: Universe,
  { name, version }: { readonly name: string; readonly version: number | undefined },
): readonly number[] {
  const truth = fork.truth(name);
  return truth === undefined
    ? []
    : wantedGroups(truth).flatMap((one) => (one.leaderVersion === version ? [one.index] : []));
}

/** Someone orders as on the command line, whatever the last pass has held it by. */
async function aborted(fork: Universe, name: string): Promise<void> {
  const ports = {
    git: fork.repository.open(),
    cluster: fakeCluster({ model: fork.cluster }),
    clock: { now: () => fork.now, sleep: async () => undefined },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    ...surroundingsOf(fork),
  };
  const at = { target: { name, namespace: NAMESPACE }, overrides: NO_OVERRIDES, by: 'ada' };
  await order(ports, at, (scene) =>
    planIntent({ kind: 'abort', keepNewer: false }, { ...scene, digestOf: factsDigest }),
  );
}

type Commit = { readonly name: string; readonly release: string; readonly text: string; readonly what: string };

function commitAsOurs(fork: Universe, { name, release, text, what }: Commit): void {
  const plannedFrom = fork.repository.head('main') ?? '';
  const trailers = {
    rollout: `default/${NAMESPACE}/${name}`,
    release,
    step: what,
    reason: 'Settled',
    plannedFrom,
  } as const;
  const message = `rollout(${NAMESPACE}/${name}): ${what}\n\nAll is well.\n\n${printTrailers(trailers)}\n`;
  fork.repository.commit('main', { writes: [{ path: lwsFile(name), text }], message });
}
