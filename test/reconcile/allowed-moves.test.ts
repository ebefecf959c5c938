/** Move by move: what each commit of a delivery writes is allowed, and the same commit with one letter more elsewhere is not. */

import { expect, test } from 'vitest';
import { isMap, isScalar, isSeq, parseAllDocuments } from 'yaml';
import { DEFAULT_CONFIG } from '../../src/api/config.ts';
import { at } from '../../src/api/json.ts';
import { desiredOf } from '../../src/reconcile/desired/desired.ts';
import { desiredRequest } from '../../src/reconcile/documents/desired-branch.ts';
import { notAllowed } from '../../src/reconcile/write/allowed.ts';
import { trailersIn } from '../../src/rollout/commits/trailers.ts';
import { commonFiles, ownFiles } from '../scenarios/check-stories.ts';
import { Forgery } from '../support/forgery.ts';

const LWS = 'apps/vllm/lws.yaml';
const ROUNDS_MOST = 90;

const common = (...names: readonly string[]): Record<string, string> => Object.assign({}, ...names.map(commonFiles));
const SHARED = ['vllm-without-requests', 'vllm-service'];

/** Files of each style and kind of route, and the least moves that a delivery of them makes. */
const STYLES: Readonly<Record<string, readonly [files: Readonly<Record<string, string>>, least: number]>> = {
  partition: [common('vllm-without-requests', 'a-minute-each'), 4],
  'an autoscaler': [common('vllm-without-requests', 'a-minute-each', 'autoscaler'), 4],
  'canary with an autoscaler': [common(...SHARED, 'vllm-routed', 'canary-steps', 'autoscaler'), 8],
  'extra groups': [common('vllm-without-requests', 'a-minute-each', 'surge'), 6],
  'partition with a route': [common(...SHARED, 'vllm-routed', 'partition-routed-steps'), 8],
  canary: [common(...SHARED, 'vllm-routed', 'canary-steps'), 8],
  blueGreen: [common(...SHARED, 'vllm-routed', 'blue-green-steps'), 8],
  'Ingress and HTTPProxy': [{ ...common(...SHARED), ...ownFiles('canary-with-ingress-and-proxy') }, 8],
  'GRPCRoute, VirtualService, TraefikService': [
    { ...common(...SHARED), ...ownFiles('canary-with-grpc-istio-and-traefik') },
    8,
  ],
  'a RouteProvider': [{ ...common(...SHARED), ...ownFiles('canary-with-a-route-provider') }, 8],
  DestinationRule: [{ ...common(...SHARED), ...ownFiles('canary-by-subsets') }, 8],
  'an action of AWS': [{ ...common(...SHARED), ...ownFiles('canary-with-an-action-of-aws') }, 8],
};

/** What a move may write at all, kind by kind: the table of the writer, said once more by its users' names. */
const MAY: Readonly<Record<string, RegExp>> = {
  LeaderWorkerSet:
    /^(metadata\/annotations\/(tranche\.dev|leaderworkerset\.sigs\.k8s\.io)\/|spec\/(replicas$|leaderWorkerTemplate\/|networkConfig\/|rolloutStrategy\/rollingUpdateConfiguration\/(partition|maxUnavailable)$))/,
  Service: /^(metadata\/annotations\/tranche\.dev\/|spec\/selector\/)/,
  HTTPRoute: /^spec\/rules\//,
  GRPCRoute: /^spec\/rules\//,
  Ingress: /^(metadata\/annotations\/|spec\/ingressClassName$)/,
  VirtualService: /^spec\/http\//,
  DestinationRule: /^spec\/subsets\//,
  TraefikService: /^spec\/weighted\/services\//,
  HTTPProxy: /^spec\/routes\//,
  TrafficSplit: /^(metadata\/annotations|spec)\//,
};

type Leaf = { readonly kind: string; readonly path: string; readonly end: number };

/** What tranche has made may come and go as a whole: so it has no name that must stay. */
const IDENTITY = /^(apiVersion|kind|metadata\/name(space)?)$/;

/** Every scalar of every document but of those that come, and where its text ends. */
function leavesOf(text: string, before: string): readonly Leaf[] {
  const there = parseAllDocuments(before).map((document) => nameOf(document.toJS()));
  return parseAllDocuments(text).flatMap((document) => {
    const value: unknown = document.toJS();
    const isMade = at(value, ['metadata', 'annotations', 'tranche.dev/made-for']) !== undefined;
    if (isMade && !there.includes(nameOf(value))) return [];
    const kind = textAt(value, ['kind']);
    return scalarsOf(document.contents, []).flatMap(([path, end]) =>
      isMade && IDENTITY.test(path) ? [] : [{ kind, path, end }],
    );
  });
}

function scalarsOf(node: unknown, path: readonly string[]): readonly (readonly [path: string, end: number])[] {
  if (isMap(node))
    return node.items.flatMap(({ key, value }) => scalarsOf(value, [...path, isScalar(key) ? String(key.value) : '']));
  if (isSeq(node)) return node.items.flatMap((item, place) => scalarsOf(item, [...path, `${place}`]));
  if (!isScalar(node) || node.range === undefined || node.range === null) return [];
  const isQuoted = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE';
  return isQuoted || node.type === 'PLAIN' ? [[path.join('/'), node.range[1] - (isQuoted ? 1 : 0)]] : [];
}

function textAt(value: unknown, path: readonly string[]): string {
  const found = at(value, path);
  return typeof found === 'string' ? found : '';
}

function nameOf(value: unknown): string {
  return `${textAt(value, ['kind'])} ${textAt(value, ['metadata', 'name'])}`;
}

/** The kinds that RouteProviders of these files describe. */
function customsIn({ world }: Forgery) {
  const tree = world.repository.readAt(world.repository.head('main') ?? '', desiredRequest(['']));
  return desiredOf(tree, DEFAULT_CONFIG, new Map()).customs;
}

/** Each commit of tranche since the delivery was asked for, and what is wrong with the check of it. */
function checkMoves(of: Forgery, since: string, seen: Set<string>): number {
  const { repository } = of.world;
  const customs = customsIn(of);
  const fresh = of.line().slice(of.line().findIndex(({ oid }) => oid === since) + 1);
  const own = fresh.filter(({ message }) => trailersIn(message).length > 0);
  for (const [move, { oid, parents, message }] of own.entries()) {
    const [before, after] = [repository.files(parents[0] ?? ''), repository.files(oid)];
    const texts = new Map(Object.entries(before));
    const changed = Object.keys(after).filter((path) => after[path] !== before[path]);
    const check = (path: string, text: string) => notAllowed([{ path, text }], { before: texts, customs })?.message;
    for (const path of changed) {
      const text = after[path] ?? '';
      expect(check(path, text), `${message}\n${path}`).toBeUndefined();
      for (const [place, { kind, path: field, end }] of leavesOf(text, before[path] ?? '').entries()) {
        // Another third of them with each move.
        if ((place + move) % 3 > 0 || MAY[kind]?.test(field) === true) continue;
        const what = `${message.split('\n')[0]}: ${path}: ${field} of ${kind}`;
        expect(check(path, `${text.slice(0, end)}1${text.slice(end)}`), what).toBeDefined();
        seen.add(`${kind} ${field}`);
      }
    }
  }
  return own.length;
}

async function asked(files: Readonly<Record<string, string>>): Promise<readonly [of: Forgery, since: string]> {
  const of = new Forgery(files);
  for (let round = 0; round < 3; round += 1) await of.round();
  return [of, of.edit(LWS, 'v0.10.0', 'v0.10.1')];
}

const isAtRest = (of: Forgery): boolean => !/tranche\.dev\/step:/.test(of.text(LWS));

test.each(Object.keys(STYLES))('%s: every move of a delivery, and of its rollback', async (style) => {
  const [files, least] = STYLES[style] ?? [{}, 0];
  const [forward, since] = await asked(files);
  const seen = new Set<string>();
  let back: Forgery | undefined;
  for (let round = 0; round < ROUNDS_MOST; round += 1) {
    await forward.round(120);
    if (round > 4 && back === undefined && !isAtRest(forward)) back = forward.fork();
    if (round > 8 && isAtRest(forward)) break;
  }
  expect(isAtRest(forward), forward.world.subject()).toBe(true);
  expect(checkMoves(forward, since, seen)).toBeGreaterThanOrEqual(least);
  if (back === undefined) throw new Error('nothing is in progress');
  const head = back.world.repository.head('main') ?? '';
  await back.order({ kind: 'abort', keepNewer: false });
  for (let round = 0; round < ROUNDS_MOST && !isAtRest(back); round += 1) await back.round(120);
  expect(isAtRest(back), back.world.subject()).toBe(true);
  expect(checkMoves(back, head, seen)).toBeGreaterThanOrEqual(2);
  expect(seen.size).toBeGreaterThanOrEqual(6);
});
