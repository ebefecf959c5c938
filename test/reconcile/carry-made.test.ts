/** What tranche has made next to a workload stays when a render comes that knows nothing of it. */

import { beforeAll, expect, test } from 'vitest';
import { type Carried, carryOver } from '../../src/reconcile/carry/carry.ts';
import { commonFiles, ownFiles, storyOf } from '../scenarios/check-stories.ts';
import type { FakeRepository } from '../support/fake-git.ts';
import { playStory, sharedOf } from '../support/story/play.ts';
import { look } from '../support/story/rehearse.ts';
import { yamlValues } from '../support/yaml-values.ts';

type Texts = Readonly<Record<string, string>>;

const LWS = 'apps/vllm/lws.yaml';
const SERVICE = 'apps/vllm/service.yaml';

/** Main after each commit of a story, the oldest first, and what people wrote at its start. */
async function courseOf(name: string): Promise<{ readonly start: Texts; readonly settled: Texts }> {
  const story = storyOf(name);
  const start: Texts = Object.assign({}, ...sharedOf(story).map(commonFiles), ownFiles(name));
  let repository: FakeRepository | undefined;
  await playStory(story, start, commonFiles, {
    look: (stage, past) => {
      repository = stage.repository;
      return look(stage, past, new Map());
    },
    after: async () => undefined,
  });
  const log = repository?.log('main') ?? [];
  // The oldest commit at rest after a delivery.
  const settled = log.findLast(({ message }) => /^.*: settled$/.test(message.split('\n')[0] ?? ''));
  return { start, settled: repository?.files(settled?.oid ?? '') ?? {} };
}

const manifests = (texts: Texts): ReadonlyMap<string, string> =>
  new Map(Object.entries(texts).filter(([path]) => path.startsWith('apps/')));

function rendered({ start, settled }: { readonly start: Texts; readonly settled: Texts }): Texts {
  const image = /vllm\/vllm-openai:\S+/.exec(settled[LWS] ?? '')?.[0] ?? '';
  return Object.fromEntries(
    [...manifests(start)].map(([path, text]) => [path, text.replaceAll(/vllm\/vllm-openai:\S+/g, image)]),
  );
}

function carried(before: Texts, after: Texts): Texts {
  const result: Carried = carryOver(manifests(before), manifests(after));
  if (result.kind === 'refused') throw new Error(JSON.stringify(result.issues));
  return { ...after, ...Object.fromEntries(result.texts) };
}

const NAMES = ['canary-with-httproute', 'partition-with-httproute', 'blue-green-with-httproute'];
const courses = new Map<string, { readonly start: Texts; readonly settled: Texts }>();
beforeAll(async () => {
  for (const name of NAMES) courses.set(name, await courseOf(name));
}, 120_000);

const courseNamed = (name: string) => courses.get(name) ?? { start: {}, settled: {} };

test.each(NAMES)('%s: at rest the carried render is what the branch has, byte for byte', (name) => {
  const course = courseNamed(name);
  expect(course.settled[LWS]).toContain('tranche.dev/');
  const text = carried(course.settled, rendered(course));
  expect(text).toEqual(Object.fromEntries(manifests(course.settled)));
  expect(carried(course.settled, text)).toEqual(text);
});

test('green serves: the number of groups in the render is that of green, and a newer template is a request to blue', () => {
  const course = courseNamed('blue-green-with-httproute');
  const source = rendered(course);
  const changed = (source[LWS] ?? '').replace('replicas: 4', 'replicas: 6').replaceAll(/v0\.10\.1/g, 'v0.11.0');
  const text = carried(course.settled, { ...source, [LWS]: changed });
  expect(yamlValues(text[LWS] ?? '')).toMatchObject([
    { metadata: { name: 'vllm' }, spec: { replicas: 0, leaderWorkerTemplate: NEWER } },
    { metadata: { name: 'vllm-green' }, spec: { replicas: 6, leaderWorkerTemplate: SERVING } },
  ]);
  expect(carried(course.settled, text)).toEqual(text);
  expect(text[SERVICE]).toContain('leaderworkerset.sigs.k8s.io/name: "vllm-green"');
});

const podOf = (image: string) => ({
  workerTemplate: { spec: { containers: [{ image: `vllm/vllm-openai:${image}` }] } },
});
const NEWER = podOf('v0.11.0');
const SERVING = podOf('v0.10.1');

test.each<[string, (start: Texts, settled: Texts) => readonly [Texts, Texts], string]>([
  [
    'a Service that the render has lost',
    (start, settled) => [settled, { [LWS]: start[LWS] ?? '' }],
    'Service vllm-svc: tranche has written in it',
  ],
  [
    'a Service that selects something else',
    (start, settled) => [
      settled,
      { ...start, [SERVICE]: (start[SERVICE] ?? '').replace(/name: "?vllm"?$/m, 'name: x') },
    ],
    'has changed a Service or a route',
  ],
  [
    'another workload of that name',
    (start, settled) => [
      settled,
      { ...start, 'apps/x.yaml': (start[LWS] ?? '').replace('name: vllm', 'name: vllm-green') },
    ],
    'the branch has one of this name that tranche has made',
  ],
  [
    'a made workload whose own has no annotations',
    (start, settled) => [
      { ...settled, [LWS]: (settled[LWS] ?? '').replaceAll(/ *tranche\.dev\/(release|stable|serves).*\n/g, '') },
      start,
    ],
    'a workload that has no annotations of tranche',
  ],
  [
    'an object of people that names the made workload',
    (start, settled) => [{ ...settled, 'apps/hpa.yaml': SCALER }, start],
    'HorizontalPodAutoscaler vllm: the delivery has a second LeaderWorkerSet',
  ],
  ...[
    'rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding',
    'v1, kind: Secret',
    'apps/v1, kind: Deployment',
    'argoproj.io/v1alpha1, kind: Application',
  ].map((kind): [string, (start: Texts, settled: Texts) => readonly [Texts, Texts], string] => [
    `an object that says that tranche has made it, apiVersion: ${kind}`,
    (start, settled) => [
      {
        ...settled,
        'apps/x.yaml': `{apiVersion: ${kind}, metadata: {name: x, namespace: llm, annotations: {tranche.dev/made-for: vllm}}}\n`,
      },
      start,
    ],
    'it says that tranche has made it, and tranche makes no such objects',
  ]),
])('refused: %s', (_, sides, why) => {
  const { start, settled } = courseNamed('blue-green-with-httproute');
  const [before, after] = sides(start, settled);
  const result = carryOver(manifests(before), manifests(after));
  expect(result).toMatchObject({
    kind: 'refused',
    issues: expect.arrayContaining([expect.objectContaining({ message: expect.stringContaining(why) })]),
  });
});

const SCALER = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: vllm, namespace: llm}
spec: {scaleTargetRef: {apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, name: vllm-green}}
`;
