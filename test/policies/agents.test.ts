/** The health checks that we ship for Argo CD and Flux, on recorded objects: what they say, and that no rollback waits. */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { isJsonObject, type JsonObject } from '../../src/api/json.ts';
import { MARK } from '../../src/api/marks.ts';
import { HEALTHY_AT_ONCE } from '../../src/reconcile/documents/flux-settings.ts';
import { current, healthOf } from '../support/agent-health.ts';

const RECORDED = 'fixtures/api-objects';

/** The LeaderWorkerSet called vllm, as the API server gave it. */
function recorded(state: string): JsonObject {
  const { items } = JSON.parse(readFileSync(`${RECORDED}/${state}/lws.json`, 'utf8'));
  return items.find((one: { metadata: { name: string } }) => one.metadata.name === 'vllm');
}

const withMarks = (object: JsonObject, annotations: JsonObject): JsonObject =>
  isJsonObject(object['metadata']) ? { ...object, metadata: { ...object['metadata'], annotations } } : object;
const withoutStatus = ({ status: _status, ...rest }: JsonObject): JsonObject => rest;
const withStatus = (object: JsonObject, status: JsonObject): JsonObject =>
  isJsonObject(object['status']) ? { ...object, status: { ...object['status'], ...status } } : object;

const RELEASE = { [MARK.release]: `${'a'.repeat(32)}.2` };
const step = (at: string): JsonObject => ({ ...RELEASE, [MARK.step]: at });
const IN_STEP = step(`1/3@${'a'.repeat(32)}.2`);

/** What is asked, and of Argo CD the state and a part of its message, of Flux the state. */
const rows: readonly (readonly [what: string, object: JsonObject, argo: string, message: string, flux: string])[] = [
  ['just created', recorded('creating'), 'Progressing', '4 on the new template, 0 of 4 groups ready', 'InProgress'],
  [
    'locked, all ready',
    recorded('at-rest-armed'),
    'Healthy',
    'Locked: an edit of the template restarts no group. 4 of 4',
    'Current',
  ],
  ['locked, a new template waits', recorded('pending-template'), 'Healthy', 'Locked', 'Current'],
  ['one group each', recorded('size-1'), 'Healthy', 'Locked', 'Current'],
  [
    'a step of a stranger is done',
    recorded('mid-canary'),
    'Healthy',
    'Held by partition 3: 1 on the new template',
    'Current',
  ],
  ['a step of a stranger loads', recorded('canary-starting'), 'Progressing', '3 of 4 groups ready', 'InProgress'],
  ['all through, not locked', recorded('done-partition-0'), 'Healthy', '4 of 4 groups ready', 'Current'],
  ['aborted and locked', recorded('aborted'), 'Healthy', 'Locked', 'Current'],
  [
    'not seen by its controller',
    withoutStatus(withMarks(recorded('done'), RELEASE)),
    'Progressing',
    'not seen it yet',
    'Current',
  ],
  ['not seen, not managed', withoutStatus(recorded('done')), 'Progressing', 'not seen it yet', 'Error'],
  [
    'a generation that is not seen',
    withStatus(withMarks(recorded('done'), RELEASE), { observedGeneration: 5 }),
    'Progressing',
    'not seen this generation',
    'InProgress',
  ],
  [
    'managed at rest, a group is down',
    withMarks(recorded('blocked-by-old-unready'), RELEASE),
    'Progressing',
    '3 of 4 groups ready',
    'Current',
  ],
  ['a step that is done', withMarks(recorded('mid-canary'), IN_STEP), 'Healthy', 'In a delivery, 1/3@', 'Current'],
];

/** Everything in which a delivery may be when someone aborts it, or it goes back by itself. */
const deliveries = readdirSync(RECORDED).filter((state) => state !== 'errors' && state !== 'creating');

describe('on recorded objects', () => {
  const rolling = deliveries.flatMap((state) =>
    [IN_STEP, step('rollback'), step('promote')].map((marks) => withMarks(recorded(state), marks)),
  );
  const all = [...rows.map(([, object]) => object), ...rolling];

  test('each state is what people would call it', () => {
    const health = healthOf(all);
    for (const [place, [what, , argo, message, flux]] of rows.entries()) {
      expect([what, health[place]?.status, health[place]?.flux]).toEqual([what, argo, flux]);
      expect(health[place]?.message, what).toContain(message);
    }
  });

  test('in a delivery nothing is waited for, so that the commit of a rollback is applied at once', () => {
    expect(rolling.length).toBeGreaterThan(40);
    const health = healthOf(all).slice(rows.length);
    expect(health.map(({ status, flux }) => `${status} ${flux}`)).toEqual(rolling.map(() => 'Healthy Current'));
  });
});

test('the expression is the one that lint knows', () => {
  expect(current).toBe(HEALTHY_AT_ONCE);
});

test('each file is named in the README of its folder, which names no other', () => {
  const files = readdirSync('policies/agents').filter((file) => file !== 'README.md');
  const named = [...readFileSync('policies/agents/README.md', 'utf8').matchAll(/\]\(([a-z-]+\.yaml)\)/g)];
  expect(named.map(([, file = '']) => file).sort()).toEqual([...files].sort());
  for (const file of files)
    for (const document of parseAllDocuments(readFileSync(`policies/agents/${file}`, 'utf8')))
      expect(document.errors, file).toEqual([]);
});
