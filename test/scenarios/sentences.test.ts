/** What hands do to files and to live objects in a story is what its sentence says. */

import { expect, test } from 'vitest';
import { HTTP_ROUTES, LWS as LWS_LIST } from '../../src/simulator/objects/resource-table.ts';
import { Player } from '../support/story/play.ts';
import { Stage } from '../support/story/stage.ts';
import { commonFiles } from './check-stories.ts';

const LWS = 'apps/vllm/lws.yaml';
const ROUTE = 'apps/vllm/route.yaml';
const IN_GIT = ['vllm-without-requests', 'vllm-service', 'vllm-routed', 'two-steps', 'chat', 'chat-steps'];

async function played(sentences: readonly string[]): Promise<Player> {
  const files = Object.assign({}, ...IN_GIT.map(commonFiles));
  const stage = new Stage(files, { lws: '0.10', gate: 'off', loadSeconds: 20, stock: undefined });
  const player = new Player(stage, commonFiles);
  for (const sentence of sentences) await player.play(sentence);
  return player;
}

test.each([
  [`Ada changes /openai:v0\\.(10)\\.0$/ to "openai:v0.$1.1" in ${LWS}.`, `Then ${LWS} does not have "v0.10.0".`],
  [`A bot changes the last "v0.10.0" to "v0.10.1" in ${LWS}.`, `Then ${LWS} has "v0.10.0".`],
  [`Ada changes "v0.10.0" to "v0.10.1" in the document LeaderWorkerSet vllm of ${LWS}.`, `Then ${LWS} has "v0.10.1".`],
  [
    `Ada changes "a" to "b" in ${LWS}.`,
    'Ada deletes apps/vllm/service.yaml.',
    'Ben puts apps back as of c1.',
    'Then apps is as of c1.',
  ],
  [`Ada changes "vllm" to "b" in ${LWS}.`, 'Ben puts apps and rollouts back as of c1.', 'Then apps is as of c1.'],
  [
    `Ada moves ${ROUTE} to apps/vllm/r.yaml.`,
    'Then apps/vllm/r.yaml has "HTTPRoute".',
    'Ada reverts c2.',
    'Then apps is as of c1.',
  ],
  [
    `Ada changes "v0.10.0" to "v0.10.1" in ${LWS}.`,
    `Ada changes "port: 80" to "port: 81" in ${ROUTE}.`,
    `Ada changes "replicas: 4" to "replicas: 5" in ${LWS}.`,
    'Ben reverts c2 and c3.',
    `Then ${ROUTE} is as of c1.`,
    `Then ${LWS} has "replicas: 5".`,
    `Then ${LWS} does not have "v0.10.1".`,
    'Ben reverts c4 to c6.',
    `Then ${LWS} has "v0.10.1".`,
  ],
  [
    `Ada commits at once: changes "v0.10.0" to "v0.10.1" in ${LWS}; sets the replicas of vllm to 6 in Git; and deletes ${ROUTE}.`,
    'Ben reverts the last commit.',
    'Then apps is as of c1.',
  ],
  ['Ada sets maxUnavailable of vllm to 0 in Git.', 'Ada commits at once.', 'Ben reverts c2.', 'Then apps is as of c1.'],
  ['Ada swaps the Rollouts vllm and chat.', 'Then rollouts/chat.yaml has "name: "vllm"".'],
  ['Ada retargets the Rollout chat to vllm.', 'Then rollouts/chat.yaml has "name: "vllm"".'],
  [
    `Ada appends "---\\nkind: ConfigMap\\nmetadata: {name: a}\\n" to ${ROUTE}.`,
    `Ada takes HTTPRoute chat out of ${ROUTE}.`,
    `Then ${ROUTE} does not have "---".`,
    `Then ${ROUTE} has "kind: ConfigMap".`,
  ],
  [`Ada appends "# more\\n" to ${LWS}.`, `Then ${LWS} has "# more".`],
  [
    'Ada sets metadata.annotations."a.b/c" of Service vllm-svc to d in Git.',
    'Then apps/vllm/service.yaml has "a.b/c: "d"".',
  ],
  ['Ben runs "tranche pause vllm".', 'Then rollouts/vllm.yaml has "paused: true".'],
  ['Ben stops all Rollouts.', 'Ben lets all Rollouts go.'],
])('in Git: %s', async (...sentences) => {
  const { stage } = await played(sentences);
  expect(stage.repository.log('main').length).toBeGreaterThan(1);
});

test.each([
  [
    'Somebody patches Service vllm-svc in the cluster: {"spec":{"selector":{"app":"x"}}}.',
    'services vllm-svc',
    '"app":"x"',
  ],
  ['Ada sets spec.selector.app of the Service vllm-svc to x in the cluster.', 'services vllm-svc', '"app":"x"'],
  ['Ada changes "port: 80" to "port: 8" in HTTPRoute chat in the cluster.', `${HTTP_ROUTES} chat`, '"port":8}'],
  [
    'Ada changes /^( +)port: 80$/ to "$1port: 80\\n$1weight: 5" in HTTPRoute chat in the cluster.',
    `${HTTP_ROUTES} chat`,
    '"weight":5',
  ],
  ['Ada scales vllm to 7.', `${LWS_LIST} vllm`, '"replicas":7'],
  ['Somebody sets the partition of vllm to 3 in the cluster.', `${LWS_LIST} vllm`, '"partition":3'],
  [
    'Ada applies in the cluster: "apiVersion: v1\\nkind: ConfigMap\\nmetadata:\\n  name: a\\n  namespace: llm".',
    'configmaps a',
    '"a"',
  ],
  ['Somebody deletes HTTPRoute chat in the cluster.', `${HTTP_ROUTES} chat`, undefined],
  ['Somebody deletes the Service vllm-svc in the cluster.', 'services vllm-svc', undefined],
])('in the cluster: %s', async (sentence, object, wanted) => {
  const { stage } = await played(['The agent syncs.', sentence]);
  const [resource = '', name = ''] = object.split(' ');
  const found = stage.cluster.objects.get({ resource, namespace: 'llm', name });
  if (wanted === undefined) expect(found).toBeUndefined();
  else expect(JSON.stringify(found)).toContain(wanted);
});

test('what is not so is found', async () => {
  for (const claim of [
    `Then ${LWS} has "v0.10.7".`,
    'Then vllm has 3 groups.',
    'Then group 1 of vllm serves v0.10.1.',
    'Then vllm waits for Baking.',
  ])
    await expect(played(['The agent syncs.', '60 seconds pass.', claim])).rejects.toThrow();
  const watched = ['The agent syncs.', '60 seconds pass.', 'From now on no leader of vllm is replaced.'];
  const killed = [...watched, 'The leader of group 1 of vllm is killed.', '5 seconds pass.'];
  await expect(played(killed)).rejects.toThrow('vllm-1 was replaced');
});
