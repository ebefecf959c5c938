/** The stage table of the LWS rollout page, as the model predicts it (reference: the published table against reality). */

import { expect, test } from 'vitest';
import { type Cluster, Cluster as Model } from '../../src/simulator/cluster-model.ts';
import type { Gate, LwsVersion } from '../../src/simulator/modes.ts';
import { LWS } from '../../src/simulator/objects/resource-table.ts';
import { predictStages } from '../../src/simulator/scenario/stage-run.ts';
import { type Stage, stageMarkdown, stageMarks, stageOf } from '../../src/simulator/scenario/stage-table.ts';
import { lwsManifest, START_SECONDS } from '../support/simulated-cluster.ts';

const name = { namespace: 'llm', name: 'vllm' };

function resting(lws: LwsVersion, gate: Gate, rolling: { S: number; U: number; P: number }): Cluster {
  const cluster = new Model({ lws, gate, nowSeconds: START_SECONDS, readiness: () => 20 });
  cluster.apply([lwsManifest({ partition: rolling.P })], 'flux');
  const configuration = { maxSurge: rolling.S, maxUnavailable: rolling.U };
  cluster.store.patch(
    { resource: LWS, ...name },
    { spec: { rolloutStrategy: { rollingUpdateConfiguration: configuration } } },
    'x',
  );
  cluster.tick(100);
  return cluster;
}

function image(tag: string, partition: number): (copy: Cluster) => void {
  const pod = (role: string) => ({ spec: { containers: [{ name: role, image: `vllm/vllm-openai:${tag}` }] } });
  return (copy) => {
    copy.store.patch(
      { resource: LWS, ...name },
      {
        spec: {
          rolloutStrategy: { rollingUpdateConfiguration: { partition } },
          leaderWorkerTemplate: { leaderTemplate: pod('leader'), workerTemplate: pod('worker') },
        },
      },
      'x',
    );
  };
}

function line(stage: Stage): string {
  return `${stage.partition}/${stage.replicas} ${stage.groups.map((cell) => stageMarks[cell] || '·').join('')}`;
}

/** As on the page: group 4 is ready before 5, then the highest. */
const pageOrder = (waiting: readonly number[]): number | undefined => (waiting.includes(4) ? 4 : waiting.at(-1));

test.each<[LwsVersion, Gate, readonly string[]]>([
  [
    '0.10',
    'on',
    [
      '0/4 ●●●●',
      '4/6 ○○○○~~',
      '2/6 ○○~~~~',
      '2/6 ○○~~●~',
      '2/6 ○○~~●●',
      '0/6 ~~~~●●',
      '0/6 ~~~●●●',
      '0/6 ~~●●●●',
      '0/4 ~~●●',
      '0/4 ~●●●',
      '0/4 ●●●●',
    ],
  ],
  [
    '0.8',
    'off',
    [
      '0/4 ●●●●',
      '4/6 ○○○○~~',
      '2/6 ○○○○~~',
      '2/6 ○○○○●~',
      '2/6 ○○○~●●',
      '0/6 ○○○~●●',
      '0/6 ○○~●●●',
      '0/6 ○~●●●●',
      '0/5 ○~●●●',
      '0/5 ~●●●●',
      '0/4 ~●●●',
      '0/4 ●●●●',
    ],
  ],
  [
    '0.8',
    'on',
    // The page's stage 3 has groups 2 and 3 restarting too: before 0.9 the surge groups used that budget up.
    [
      '0/4 ●●●●',
      '4/6 ○○○○~~',
      '2/6 ○○○○~~',
      '2/6 ○○○~●~',
      '2/6 ○○~~●●',
      '0/6 ○○~~●●',
      '0/6 ○~~●●●',
      '0/6 ~~●●●●',
      '0/5 ~~●●●',
      '0/5 ~●●●●',
      '0/4 ~●●●',
      '0/4 ●●●●',
    ],
  ],
])('N=4, maxUnavailable 2, maxSurge 2, LWS %s, gate %s', (lws, gate, wanted) => {
  const cluster = resting(lws, gate, { S: 2, U: 2, P: 0 });
  const stages = predictStages(cluster, name, { change: image('v2', 0), next: pageOrder });
  expect(stages.map(line)).toEqual(wanted);
  expect(stages.at(0)?.note).toBe('Before rolling update');
  expect(stages.at(-1)?.note).toBe('Rolling update completed');
});

test('a prediction leaves the cluster as it is, and an locked change has one stage more', () => {
  const cluster = resting('0.10', 'off', { S: 0, U: 1, P: 1_000_000 });
  const version = cluster.objects.resourceVersion;
  const stages = predictStages(cluster, name, { change: image('v2', 1_000_000) });
  expect(stages.map(line)).toEqual(['1000000/4 ●●●●', '1000000/4 ○○○○']);
  expect(cluster.objects.resourceVersion).toBe(version);
});

test('one step in place, as a pull request shows it', () => {
  const cluster = resting('0.10', 'off', { S: 0, U: 1, P: 1_000_000 });
  const stages = predictStages(cluster, name, { change: image('v2', 3) });
  expect(stageMarkdown(stages).split('\n')).toEqual([
    '|  | Partition | Replicas | R-0 | R-1 | R-2 | R-3 | Note |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    '| Stage1 | 1000000 | 4 | ● | ● | ● | ● | Before rolling update |',
    '| Stage2 | 4 | 4 | ○ | ○ | ○ | ○ | Rolling update started |',
    '| Stage3 | 3 | 4 | ○ | ○ | ○ | ~ | Partition changes from 4 to 3 |',
    '| Stage4 | 3 | 4 | ○ | ○ | ○ | ● |  |',
  ]);
});

test('there is no stage without an LWS', () => {
  expect(stageOf(new Model({ lws: '0.10', gate: 'off', nowSeconds: 0 }), name)).toBeUndefined();
});
