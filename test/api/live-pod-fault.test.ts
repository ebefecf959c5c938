/** Which container keeps a pod from being ready: its name, how it ended, and never what it printed. */

import { expect, test } from 'vitest';
import type { LiveLeader } from '../../src/api/live.ts';
import { parseLeader } from '../../src/api/live-pod.ts';
import { recordedItems } from '../support/recorded.ts';

function recorded(): { readonly status: object } {
  return recordedItems('mid-canary', 'pods')[0] as { readonly status: object };
}

function leaderIn(pod: unknown): LiveLeader {
  const parsed = parseLeader(pod);
  if (parsed.kind !== 'known') throw new Error(JSON.stringify(parsed));
  return parsed.value;
}

const ended = (exitCode: unknown, reason: unknown) => ({ terminated: { exitCode, reason, message: 'token=abc' } });
const CRASHED = { code: 137, reason: 'OOMKilled', isPrevious: true };

test.each<readonly [when: string, containers: readonly object[], wanted: object | undefined]>([
  ['nothing has failed', [{ name: 'vllm', state: { running: {} } }], undefined],
  ['it only starts', [{ name: 'vllm', state: { waiting: { reason: 'ContainerCreating', message: 'x' } } }], undefined],
  [
    'it ended before, and waits',
    [{ name: 'vllm', state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: ended(137, 'OOMKilled') }],
    { container: 'vllm', exit: CRASHED, message: '' },
  ],
  [
    'it ended just now, and once before',
    [{ name: 'vllm', state: ended(1, 'Error'), lastState: ended(137, 'OOMKilled') }],
    { container: 'vllm', exit: { code: 1, reason: 'Error', isPrevious: false }, message: '' },
  ],
  [
    'the second of two',
    [
      { name: 'proxy', state: { running: {} } },
      { name: 'vllm', lastState: ended(137, 'OOMKilled') },
    ],
    { container: 'vllm', exit: CRASHED, message: '' },
  ],
  ['it ended well', [{ name: 'vllm', lastState: ended(0, 'Completed') }], undefined],
  [
    'no image: its message changes with each try',
    [{ name: 'vllm', state: { waiting: { reason: 'ImagePullBackOff', message: 'read tcp 10.0.0.1:5123: reset' } } }],
    { container: 'vllm', message: '' },
  ],
  [
    'not created: the kubelet says why',
    [
      {
        name: 'vllm',
        state: { waiting: { reason: 'CreateContainerConfigError', message: 'secret "hf"\nnot found.' } },
      },
    ],
    { container: 'vllm', message: 'secret "hf" not found' },
  ],
  ['a code below zero', [{ name: 'vllm', lastState: ended(-1, 'Error') }], { container: 'vllm', exit: { code: -1 } }],
  ['no number, no word', [{ name: 'vllm', lastState: ended('137', { a: 1 }) }], undefined],
  [
    'free text for a reason',
    [{ name: 'vllm', lastState: ended(2, 'see https://x') }],
    { exit: { code: 2, reason: '' } },
  ],
])('a container that failed: %s', (_, containers, wanted) => {
  const pod = { ...recorded(), status: { phase: 'Pending', containerStatuses: containers } };
  const leader = leaderIn(pod);
  expect(JSON.stringify(leader), 'what a container prints may be secret').not.toContain('token=abc');
  if (wanted === undefined) expect(leader).not.toHaveProperty('fault');
  else expect(leader.fault).toMatchObject(wanted);
});

test('of a pod that is ready no failure counts, whatever happened before', () => {
  const { status, ...pod } = recorded();
  const containerStatuses = [{ name: 'vllm', ready: true, lastState: ended(1, 'Error') }];
  const leader = leaderIn({ ...pod, status: { ...status, containerStatuses } });
  expect(leader).toMatchObject({ ready: true });
  expect(leader).not.toHaveProperty('fault');
});
