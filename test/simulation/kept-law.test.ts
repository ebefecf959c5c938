/** C4 has a literal list of exceptions: without any one of them the law would be broken by what nobody promises anything for. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/api/json.ts';
import { TOPOLOGY } from '../../src/simulator/objects/labels.ts';
import { LWS } from '../../src/simulator/objects/resource-table.ts';
import { lwsFile } from './files.ts';
import { type Exception, exceptions, KeptLaw } from './kept-law.ts';
import { fieldsOf, isOurs } from './our-commit.ts';
import type { Setup } from './setup.ts';
import { setupOfStory, sharedStory } from './story-setup.ts';
import { NAMESPACE } from './truth.ts';
import { Universe } from './universe.ts';

const NAME = 'vllm';
const key = { namespace: NAMESPACE, name: NAME };
const LABEL = '    leaderTemplate:\n      metadata:\n        labels: {app: vllm, role: leader';

type Case = {
  /** What replaces a leader that has the template that it is to have. */
  readonly act: (universe: Universe) => void;
  readonly setup?: (setup: Setup) => Setup;
};

const edited = (universe: Universe, from: string, to: string): void => {
  const text = universe.lws(NAME) ?? '';
  expect(text).toContain(from);
  universe.commit(lwsFile(NAME), text.replace(from, to), `${from} → ${to}`);
};

const cases: Readonly<Record<Exception, Case>> = {
  'the size of groups': {
    setup: (setup) => ({ ...setup, workloads: setup.workloads.map((one) => ({ ...one, resizes: true })) }),
    act: (universe) => edited(universe, '    size: 1', '    size: 2'),
  },
  'exclusive topology': {
    act: ({ cluster }) => {
      const metadata: JsonObject = { annotations: { [TOPOLOGY]: 'rack' } };
      cluster.store.patch({ resource: LWS, ...key }, { metadata }, 'someone');
      cluster.settle();
    },
  },
  'recreated objects': { act: ({ cluster }) => cluster.deleteLws(key) },
  'workers of recreated objects': {
    setup: (setup) => ({
      ...setup,
      lws: '0.8',
      terminationSeconds: 6,
      workloads: setup.workloads.map((one) => ({ ...one, size: 2 })),
    }),
    act: (universe) => {
      universe.cluster.deleteLeaderSet(key);
      universe.observe();
      universe.tick(6);
      // The kubelet says something of the worker that ends still.
      universe.cluster.setPods({ ...key, group: 0, pods: 'all' }, { kind: 'ready' });
    },
  },
  'fewer groups': { act: (universe) => edited(universe, 'replicas: 3', 'replicas: 2') },
  "LWS's own restarts": { act: (universe) => universe.kill(NAME, 1, 'leader') },
  'a label that a hand has changed': {
    act: (universe) => edited(universe, LABEL, `${LABEL}, tranche.dev/version: by-hand`),
  },
};

/** What the law says of everything that has become so. */
function verdict({ act, setup = (same) => same }: Case, excepted: readonly Exception[]): string | undefined {
  const universe = new Universe(setup(setupOfStory(sharedStory())));
  const law = new KeptLaw(universe, universe.setup.workloads[0]!, undefined, excepted);
  const opened = (): void => {
    const head = universe.repository.head('main') ?? '';
    law.opened(fieldsOf(universe.lws(NAME, head) ?? ''), isOurs(universe, head));
  };
  const proceed = (): void => {
    universe.sync('main');
    universe.observe();
    universe.tick(100);
    universe.observe();
  };
  opened();
  proceed();
  act(universe);
  opened();
  universe.observe();
  proceed();
  const truths = universe.truths.get(NAME) ?? [];
  return truths.map((truth, at) => law.judge(truth, truths[at - 1])).find((wrong) => wrong !== undefined)?.[1];
}

const all = Object.keys(exceptions) as readonly Exception[];

test('a leader that came after a re-created one, and has its workers, stays', () => {
  const late: Case = {
    ...cases['workers of recreated objects'],
    act: (universe) => {
      universe.cluster.deleteLeaderSet(key);
      universe.observe();
      universe.tick(60);
      universe.cluster.kill({ ...key, group: 0, pods: 'leader' });
    },
  };
  expect(verdict(late, all)).toContain('is replaced');
});

test.each(Object.entries(cases) as readonly (readonly [Exception, Case])[])('%s', (name, of) => {
  const others = all.filter((one) => one !== name);
  expect(verdict(of, others) ?? 'nothing').toContain('is replaced');
  expect(verdict(of, all)).toBeUndefined();
});
