/** C1 and C5 count by the budget that groups were let go by: LWS takes nothing of that back where somebody lowers it. */

import { expect, test } from 'vitest';
import { ClusterLaws } from './cluster-laws.ts';
import { lwsFile, withNumber, withVersion } from './files.ts';
import { baseStory, setupOfStory } from './story-setup.ts';
import { NAMESPACE } from './truth.ts';
import { Universe } from './universe.ts';

const NAME = 'vllm';
const MARKS = `  annotations:\n    tranche.dev/release: ${'0'.repeat(32)}.1\n    tranche.dev/step: rollback\n`;

type Row = {
  readonly what: string;
  /** Whether main says that it goes back. */
  readonly isBack: boolean;
  /** The template is on its way when people lower the budget. */
  readonly isOnItsWay: boolean;
  /** What happens then, in order. */
  readonly groups: 'go on' | 'are killed';
  readonly wrong: string | undefined;
};

test.each<Row>([
  { what: 'a roll goes on', isBack: false, isOnItsWay: true, groups: 'go on', wrong: undefined },
  { what: 'a rollback goes on', isBack: true, isOnItsWay: true, groups: 'go on', wrong: undefined },
  {
    what: 'two go at rest',
    isBack: false,
    isOnItsWay: false,
    groups: 'are killed',
    wrong: 'vllm: groups 2 3 are down at once, the budget is 1',
  },
  {
    what: 'two go at rest after a rollback has begun',
    isBack: true,
    isOnItsWay: false,
    groups: 'are killed',
    wrong: 'vllm: groups 2 3 were ready when the rollback began and are down at once, of 1',
  },
])('maxUnavailable is lowered, and then: $what', ({ isBack, isOnItsWay, groups, wrong }) => {
  const setup = setupOfStory(baseStory({ strategy: 'partition', reconcilers: 1 }));
  const workload = { ...setup.workloads[0]!, maxUnavailable: 2, size: 2 };
  const universe = new Universe({ ...setup, busy: true, workloads: [workload] });
  const laws = new ClusterLaws(universe, workload);
  const edit = (what: string, change: (text: string) => string): void => {
    universe.commit(lwsFile(NAME), change(universe.lws(NAME) ?? ''), what);
    laws.opened('main');
    universe.sync('main');
    universe.observe();
    universe.tick(10);
    universe.observe();
    expect(laws.look()).toBeUndefined();
  };
  edit('comes up', (text) => `${text}\n`);
  universe.tick(100);
  universe.observe();
  universe.cluster.stopControllers(['statefulSets']);
  const marked = (text: string): string =>
    isBack ? text.replace('  namespace: llm\n', `  namespace: llm\n${MARKS}`) : text;
  edit('another version', (text) => marked(isOnItsWay ? withVersion(text, 1, workload) : text));
  edit('one at a time', (text) => withNumber(text, 'maxUnavailable', 1));
  if (groups === 'are killed')
    for (const { index, leaderUid } of universe.truth(NAME)?.groups.slice(2) ?? []) {
      // Known to be killed, and no excuse for how many are down.
      universe.killed.add(leaderUid);
      universe.cluster.kill({ namespace: NAMESPACE, name: NAME, group: index, pods: 'all' });
    }
  universe.observe();
  universe.cluster.stopControllers([]);
  for (let second = 0; second < 60; second += 1) {
    universe.tick(1);
    universe.observe();
  }
  expect(laws.look()?.[1]).toBe(wrong);
});
