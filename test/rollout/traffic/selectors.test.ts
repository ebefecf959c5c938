/** The truth table of selectors against the pods of both sides (reference: traffic.md, §4.2). */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/api/json.ts';
import { podLabels, selectorRow } from '../../../src/rollout/traffic/selectors.ts';

const NAME = 'leaderworkerset.sigs.k8s.io/name';
const INDEX = 'leaderworkerset.sigs.k8s.io/worker-index';
const REVISION = 'leaderworkerset.sigs.k8s.io/template-revision-hash';

const labelled = (labels: JsonObject) => ({ metadata: { labels } });
const content: JsonObject = {
  leaderWorkerTemplate: {
    leaderTemplate: labelled({ app: 'vllm', role: 'leader', [NAME]: 'overridden' }),
    workerTemplate: labelled({ app: 'vllm' }),
  },
};
const pods = {
  stable: podLabels(content, { name: 'vllm', size: 2 }),
  canary: podLabels(content, { name: 'vllm-canary', size: 2 }),
};

describe('what a selector takes in', () => {
  test.each<readonly [what: string, selector: Readonly<Record<string, string>>, row: string]>([
    // stable leader, stable worker, canary leader, canary worker
    ['the stable Service', { [NAME]: 'vllm', [INDEX]: '0' }, 'yes no no no'],
    ['the canary Service', { [NAME]: 'vllm-canary', [INDEX]: '0' }, 'no no yes no'],
    ['both sides by a label of people', { app: 'vllm', role: 'leader' }, 'yes no yes no'],
    ['workers too', { [NAME]: 'vllm' }, 'yes yes no no'],
    ['all of both', { app: 'vllm' }, 'yes yes yes yes'],
    [
      'a role that LWS never writes on pods',
      { [NAME]: 'vllm', 'leaderworkerset.sigs.k8s.io/role': 'leader' },
      'no no no no',
    ],
    ['the first group only', { [NAME]: 'vllm', 'apps.kubernetes.io/pod-index': '0' }, 'some some no no'],
    ['one revision', { [NAME]: 'vllm', [INDEX]: '0', [REVISION]: 'abc' }, 'some no no no'],
    ['the second pod of each group', { [NAME]: 'vllm', [INDEX]: '1' }, 'no some no no'],
    ['a label that nobody has', { [NAME]: 'vllm', [INDEX]: '0', tier: 'web' }, 'no no no no'],
    ['nothing', {}, 'no no no no'],
  ])('%s', (_, selector, row) => {
    expect(Object.values(selectorRow(selector, pods)).join(' ')).toBe(row);
  });

  test('groups of one pod have no workers, and a missing leader template is that of the workers', () => {
    const single = podLabels(
      { leaderWorkerTemplate: { workerTemplate: labelled({ app: 'vllm' }) } },
      { name: 'vllm', size: 1 },
    );
    expect(single).toEqual({ leader: { app: 'vllm', [NAME]: 'vllm', [INDEX]: '0' }, worker: undefined });
    expect(Object.values(selectorRow({ app: 'vllm' }, { stable: single, canary: undefined }))).toEqual([
      'yes',
      'no',
      'no',
      'no',
    ]);
  });
});
