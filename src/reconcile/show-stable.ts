/** The template that a rollback would bring back, for a hand that has nothing else: read of main's own line, nothing is written. */

import { type Known, unknown } from '../api/known.ts';
import { shortRelease } from '../api/release.ts';
import type { Stable } from '../rollout/snapshot.ts';
import { printKey } from '../rollout/texts/key-text.ts';
import { readWorkload } from './documents/read-workload.ts';
import { gitReader } from './history/observe-git.ts';
import { settledReleases } from './history/order-facts.ts';
import { stableBorneOut } from './history/stable-in-history.ts';
import { readScene, type Scene } from './order-scene.ts';
import type { Overrides, Ports } from './pass.ts';
import type { Target } from './target.ts';

type Shown = {
  readonly file: string;
  /** The kustomize folder that builds it; undefined: the file has it. */
  readonly root: string | undefined;
  readonly stable: Stable;
};

/** In a delivery the version before it, at rest the release that had settled before; else why it is not known. Throws PortError. */
export async function stableToShow(
  ports: Ports,
  at: { readonly target: Target; readonly overrides: Overrides },
): Promise<Shown | string> {
  ports.git.begin();
  const scene = await readScene(ports, at);
  if (typeof scene === 'string') return scene;
  const stable = await stableIn(ports, scene);
  const { file = '', root } = scene.entry.identity ?? {};
  if (stable.kind === 'known') return { file, root, stable: stable.value };
  return stable.kind === 'unknown' ? stable.why : 'nothing has settled before, so there is no earlier template';
}

async function stableIn(ports: Ports, { desired, entry, main, status }: Scene): Promise<Known<Stable>> {
  const { builder } = ports;
  const builds = builder === undefined ? undefined : { builder, cache: new Map() };
  const git = gitReader(ports.git, main, { config: desired.config, texts: desired.trials.known, builds });
  const file = entry.workload === undefined ? undefined : readWorkload(entry.workload).workload;
  const marks = file?.workload.marks;
  if (file === undefined || marks === undefined)
    return unknown(
      `${entry.identity?.name ?? entry.key.name} has no annotations of tranche, so nothing is known to have settled`,
    );
  if (marks.step !== undefined || marks.release.digest !== file.digest) {
    const [stored, proof] = [status.records.get(printKey(entry.key)), status.proofs?.get(printKey(entry.key))];
    return (await stableBorneOut({ git, entry, stored, proof }, { marks, isAborted: true })).stable;
  }
  const settled = await settledReleases({ entry, git });
  if (settled.kind !== 'known') return settled;
  const [before] = settled.value.before;
  if (before !== undefined) return { kind: 'known', value: before };
  return unknown(`main has no release that had settled before ${shortRelease(marks.release)}`);
}
