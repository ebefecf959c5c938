/** The documents of a delivery with a second workload as a snapshot has them: plain JSON, without what reads routes. */

import type { Marks } from '../../api/marks.ts';
import type { Release } from '../../api/release.ts';
import type { Rollout } from '../../api/rollout.ts';
import type { Snapshot, WorkloadFile } from '../snapshot.ts';
import { providerOf } from '../traffic/index.ts';
import { displacedOf, heldScaler, unnamedIn } from './asides.ts';
import type { Delivery, RouteInUse } from './delivery.ts';
import type { LadderFiles } from './ladder-files.ts';

type DocumentInputs = {
  readonly snapshot: Snapshot;
  readonly file: WorkloadFile;
  readonly marks: Marks | undefined;
  readonly release: Release;
  /** N, where an autoscaler owns it. */
  readonly replicas: number | undefined;
};

/** What is planned without a Rollout: nothing goes forward, and a rollback has no steps. */
const NOTHING_PLANNED: Pick<Rollout, 'name' | 'style' | 'steps' | 'strategy'> = {
  name: '',
  style: 'partition',
  steps: [],
  strategy: {},
};

/** The delivery of this release; undefined: a document of it is not in the files, or nothing asks for one. */
export function deliveryOf({ snapshot, file, marks, release, replicas }: DocumentInputs): Delivery | undefined {
  const { ladder, rollout, stable } = snapshot;
  if (ladder === undefined) return undefined;
  const { begun } = ladder;
  const plan = rollout?.rollout ?? NOTHING_PLANNED;
  if (rollout === undefined && begun === undefined) return undefined;
  const routes = inUse(ladder.routes);
  if (routes.length < ladder.routes.length) return undefined;
  const asides = snapshot.asides ?? marks?.restore?.objects ?? [];
  const scaler = heldScaler(ladder.scalers ?? [], asides);
  const unnamed = unnamedIn(marks?.restore?.objects ?? [], routes);
  return {
    plan: begun === undefined ? plan : { ...plan, ...begun },
    release,
    own: { file: file.file, object: file.object, value: ladder.own, text: file.text },
    second: ladder.second,
    scaler,
    service: ladder.service,
    canaryService: ladder.canaryService,
    pools: ladder.pools,
    routes,
    watched: inUse(ladder.watched ?? []),
    missing: [...(ladder.missing ?? []), ...unnamed.filter(isNew(ladder.missing))],
    displaced: displacedOf(asides, { routes, scaler }),
    liveReplicas: replicas ?? 1,
    isAutoscaled: snapshot.live.scaler.kind !== 'absent',
    stableText: stable.kind === 'known' ? stable.value.text : file.text,
    namespace: snapshot.key.namespace,
    ...(snapshot.lostMarks === undefined ? {} : { written: { serves: snapshot.lostMarks.serves } }),
  };
}

function isNew(known: Delivery['missing'] = []): (one: Delivery['missing'][number]) => boolean {
  return ({ kind, name }) => !known.some((one) => one.kind === kind && one.name === name);
}

function inUse(routes: LadderFiles['routes']): readonly RouteInUse[] {
  return routes.flatMap(({ ref, route, canary }): readonly RouteInUse[] => {
    const provider = providerOf(ref);
    return provider === undefined ? [] : [{ provider, route, canary }];
  });
}
