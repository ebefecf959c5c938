/** The checks that stories make of our commits find what they are there for. */

import { expect, test } from 'vitest';
import { FakeRepository } from '../support/fake-git.ts';
import { isLadderCommit, ladderFault } from '../support/story/ladder-commits.ts';
import { checkOwnCommits } from '../support/story/own-commits.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';

const locked = LWS_TEXT.replace(
  '  namespace: llm\n',
  '  namespace: llm\n  annotations:\n    tranche.dev/release: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.1"\n',
).replace('partition: 0', 'partition: 1000000');
const asked = locked.replaceAll(OLD, NEW);
const step = (partition: number): string =>
  asked
    .replace(
      '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.1"',
      '"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2"\n    tranche.dev/step: "1/3"',
    )
    .replace('partition: 1000000', `partition: ${partition}`);

function commitOf(reason: string, texts: Readonly<Record<string, string>>): () => void {
  const repository = FakeRepository.withFiles({ ...VLLM_FILES, [LWS_FILE]: locked });
  const since = repository.commit('main', { writes: [{ path: LWS_FILE, text: asked }] });
  const trailers = ['Rollout: default/llm/vllm', 'Rollout-Step: 1/3', `Rollout-Reason: ${reason}`];
  repository.commit('main', {
    writes: Object.entries(texts).map(([path, text]) => ({ path, text })),
    message: `rollout(llm/vllm): a step\n\nWhy.\n\n${trailers.join('\n')}`,
    signature: { name: 'tranche', email: 'tranche@localhost', atSeconds: 1 },
  });
  return () => checkOwnCommits(repository, since);
}

test.each([
  ['a step', 'StepReady', { [LWS_FILE]: step(3) }],
  ['a text that comes back', 'RequestWithdrawn', { [LWS_FILE]: locked }],
])('%s is fine', (_, reason, texts) => expect(commitOf(reason, texts)).not.toThrow());

test.each([
  ['more groups than the step', 'StepReady', { [LWS_FILE]: step(2) }, 'lets 2 of 4 groups go, step 1 is 25%'],
  ['another line', 'StepReady', { [LWS_FILE]: step(3).replace('replicas: 4', 'replicas: 5') }, 'no step plans'],
  ['a comment', 'StepReady', { [LWS_FILE]: step(3).replace('team search', 'team chat') }, 'no step plans'],
  ['a text for no reason', 'StepReady', { [LWS_FILE]: step(3).replaceAll(NEW, OLD) }, 'no step plans'],
  [
    'a text that never was',
    'Aborted',
    { [LWS_FILE]: step(3).replaceAll(NEW, `${OLD}-x`) },
    'a template that the file never had',
  ],
  [
    'two files',
    'StepReady',
    { [LWS_FILE]: step(3), [ROLLOUT_FILE]: 'kind: None\n' },
    'changes apps/vllm/lws.yaml, rollouts',
  ],
  ['nothing', 'StepReady', { [LWS_FILE]: asked }, 'changes nothing'],
  [
    'a partition without a step',
    'Relocked',
    { [LWS_FILE]: asked.replace('partition: 1000000', 'partition: 3') },
    'is refused by the admission policy',
  ],
])('%s is found', (_, reason, texts, what) => expect(commitOf(reason, texts)).toThrow(what));

const MADE_FOR = '    tranche.dev/made-for: vllm\n';
const AT = '    tranche.dev/rung: "pods"\n';
const beside = (replicas: number, image = NEW): string =>
  asked
    .replace('name: vllm\n', 'name: vllm-canary\n')
    .replace('    tranche.dev/release: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.1"\n', MADE_FOR)
    .replace('replicas: 4', `replicas: ${replicas}`)
    .replaceAll(NEW, image);
const filling = (own: string, second: string): string =>
  `${own.replace('"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.1"\n', `"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.1"\n${AT}`)}---\n${second}`;
const ROUTE = 'kind: HTTPRoute\nmetadata: {name: chat}\nspec: {rules: [{backendRefs: [{name: svc}]}]} # the primary\n';
const shared = ROUTE.replace('{name: svc}', '{name: svc, weight: 95}, {name: svc-canary, weight: 5}');

/** [what, before, after, why it must not be; empty: it may] */
test.each<readonly [string, Readonly<Record<string, string>>, Readonly<Record<string, string>>, string]>([
  ['groups come', { a: filling(asked, beside(0)) }, { a: filling(asked, beside(1)) }, ''],
  ['a share comes', { a: filling(asked, beside(1)), b: ROUTE }, { a: filling(asked, beside(1)), b: shared }, ''],
  ['another text at no groups', { a: filling(asked, beside(0, OLD)) }, { a: filling(asked, beside(0)) }, ''],
  [
    'another text with groups',
    { a: filling(asked, beside(1, OLD)) },
    { a: filling(asked, beside(1)) },
    'gives LeaderWorkerSet vllm-canary in a.yaml a template while it has groups',
  ],
  [
    'another field of the own workload',
    { a: filling(asked, beside(1)) },
    { a: filling(asked.replace('namespace: llm', 'namespace: other'), beside(1)) },
    'changes metadata.namespace of LeaderWorkerSet vllm in a.yaml',
  ],
  [
    'a document goes',
    { a: filling(asked, beside(1)) },
    { a: filling(asked, '') },
    'removes LeaderWorkerSet vllm-canary in a.yaml',
  ],
  [
    'another field of the route',
    { a: filling(asked, beside(1)), b: ROUTE },
    { a: filling(asked, beside(1)), b: ROUTE.replace('spec: {', 'spec: {hostnames: [a], ') },
    'changes spec.hostnames of HTTPRoute chat in b.yaml',
  ],
  [
    'a comment goes',
    { a: filling(asked, beside(1)), b: ROUTE },
    { a: filling(asked, beside(1)), b: shared.replace(' # the primary', '') },
    'takes a comment out of b.yaml: # the primary',
  ],
])('with a second workload: %s', (_, before, after, why) => {
  const files = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${name}.yaml`, text]));
  expect(isLadderCommit(files(before), files(after))).toBe(true);
  expect(ladderFault(files(before), files(after)) ?? '').toBe(why);
});
