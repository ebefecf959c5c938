/** The annotations of a delivery: printed and read back, and refused where they cannot be read. */

import { describe, expect, test } from 'vitest';
import { MARK, MARK_NAMES, type MarkFault, type Marks, parseMarks, printMarks } from '../../src/api/marks.ts';
import { marksOf } from '../support/snapshot.ts';

function annotations(marks: Marks): Record<string, string> {
  const printed = printMarks(marks);
  return Object.fromEntries(
    MARK_NAMES.flatMap((key) => (printed[key] === undefined ? [] : [[MARK[key], printed[key]]])),
  );
}

function faultsOf(given: Record<string, string>): readonly string[] {
  const read = parseMarks(given);
  return read !== undefined && !('release' in read) ? read.map((fault: MarkFault) => fault.key) : [];
}

const SETTLED = { [MARK.release]: '5be0c7aa5be0c7aa5be0c7aa5be0c7aa.1' };

test.each([
  'A.1',
  'A.1 aborted=B.2',
  'A.1 aborted=B.6,C.5,D.4,E.3,F.2',
  'B.2 1/3 floor=3',
  'B.2 50/50 floor=0',
  'B.2 2/3 floor=2 u=1>2',
  'B.2 2/3 floor=2 u=->2',
  'A.1 rollback floor=2 u=1>2 aborted=B.2',
  'A.1 stable=-',
  'B.2 0/3 floor=4',
  'B.2 0/3 floor=4 r=4>5',
  'B.2 2/3 floor=2 u=1>2 r=4>6',
  'B.2 1/3 rung=template style=canary plan=0',
  'B.2 promote rung=primary floor=0 u=1>2 style=canary plan=a',
  'B.2 promote rung=switch style=canary plan=a serves=green',
  'A.1 rollback rung=route-restored style=canary plan=a aborted=B.2',
])('%s is read as it was printed', (notation) => {
  const marks = marksOf(notation);
  if (marks === undefined) throw new Error('no marks');
  expect(parseMarks(annotations(marks))).toEqual(marks);
});

test.each([
  { service: 'vllm-svc', routes: [{ kind: 'HTTPRoute', name: 'chat' }] },
  { service: 'vllm-svc', routes: [] },
  { pools: { stable: 'a', canary: 'b' }, routes: [{ kind: 'HTTPRoute', name: 'chat' }] },
])('what requests go by is read as it was printed: %j', (routing) => {
  const marks = marksOf('B.2 1/3 rung=template style=canary plan=0')!;
  const started = { ...marks, restore: { ...marks.restore!, routing } };
  expect(parseMarks(annotations(started))).toEqual(started);
});

test('a step names its release, and the form without it is read as well', () => {
  const marks = marksOf('B.2 1/3 floor=3');
  const said = marks === undefined ? {} : annotations(marks);
  expect(said[MARK.step]).toBe('1/3@bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2');
  expect(parseMarks({ ...said, [MARK.step]: '1/3' })).toEqual(marks);
});

test('the stable commit names the digest of its template, and one alone is a fault', () => {
  const marks = marksOf('B.2 1/3 floor=3')!;
  const said = annotations(marks);
  expect(said[MARK.stable]).toBe(`${'a'.repeat(40)}@${'a'.repeat(32)}`);
  expect(parseMarks(said)).toEqual(marks);
  expect(faultsOf({ ...said, [MARK.stable]: 'a'.repeat(40) })).toEqual([MARK.stable]);
});

test.each([
  `${'a'.repeat(40)}@`,
  `${'a'.repeat(40)}@${'a'.repeat(31)}`,
  `${'a'.repeat(40)}@${'a'.repeat(32)}@`,
  `@${'a'.repeat(32)}`,
])('the stable commit %s is a fault', (text) =>
  expect(faultsOf({ ...SETTLED, [MARK.stable]: text })).toEqual([MARK.stable]),
);

test('a rollback names none', () => {
  const marks = marksOf('A.1 rollback floor=2');
  expect(marks === undefined ? '' : annotations(marks)[MARK.step]).toBe('rollback');
});

test('a step of another release is a fault, as two commits put together would make it', () => {
  const marks = marksOf('B.3 1/3 floor=3');
  const said = marks === undefined ? {} : annotations(marks);
  expect(parseMarks({ ...said, [MARK.step]: '1/3@bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2' })).toEqual([
    {
      key: MARK.step,
      seen: '1/3@bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2',
      wanted: '"k/n@<release>" with the release of this object, "promote" or "rollback"',
    },
  ]);
});

test('only five that were aborted are kept, newest first', () => {
  const marks = marksOf('A.1 aborted=B.7,C.6,D.5,E.4,F.3,B.2');
  expect(marks === undefined ? '' : printMarks(marks).aborted).toBe(
    'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.7,cccccccccccccccccccccccccccccccc.6,dddddddddddddddddddddddddddddddd.5,eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee.4,ffffffffffffffffffffffffffffffff.3',
  );
});

test('no mark at all: not managed', () => {
  expect(parseMarks({})).toBeUndefined();
  expect(parseMarks({ 'example.com/release': 'x' })).toBeUndefined();
});

describe.each([
  [
    MARK.release,
    [
      '',
      '5be0c7aa5be0c7aa5be0c7aa5be0c7aa',
      '5be0c7aa5be0c7aa5be0c7aa5be0c7aa.0',
      '5be0c7aa5be0c7aa5be0c7aa5be0c7aa.01',
      '5BE0C7AA.1',
      '5be0c7a.1',
      '5be0c7aa5be0c7aa5be0c7aa5be0c7aa.1 ',
      '5be0c7aa5be0c7aa5be0c7aa5be0c7aa.1.2',
      '5be0c7aa5be0c7aa5be0c7aa5be0c7aa.9999999999',
    ],
  ],
  [
    MARK.step,
    [
      '',
      '00/3',
      '0/0',
      '3/2',
      '1/0',
      '01/3',
      '1/100',
      'Rollback',
      '1',
      '1/3 ',
      'done',
      '1/3@',
      '1/3@5be0c7aa5be0c7aa5be0c7aa5be0c7aa',
      '1/3@5be0c7aa5be0c7aa5be0c7aa5be0c7aa.0',
      '1/3@5be0c7aa5be0c7aa5be0c7aa5be0c7aa.1 ',
      'rollback@5be0c7aa5be0c7aa5be0c7aa5be0c7aa.1',
      'promoted',
      'promote@5be0c7aa5be0c7aa5be0c7aa5be0c7aa.1',
    ],
  ],
  [MARK.at, ['', 'Pods', 'pods ', 'settled', 'rollback', '1/3']],
  [MARK.serves, ['', 'blue', 'Green', 'stable']],
  [MARK.stable, ['', 'main', 'a'.repeat(39), 'A'.repeat(40), 'a'.repeat(41)]],
  [
    MARK.restore,
    [
      '',
      '{}',
      '{',
      '[]',
      'null',
      '{"floor":1,"withdrawn":0}',
      '{"floor":1,"withdrawn":true}',
      '{"floor":1,"carried":0}',
      '{"floor":1,"drainSeconds":0}',
      '{"floor":1,"drainSeconds":"60"}',
      '{"floor":1,"stopped":false}',
      '{"floor":1,"stopped":1}',
      '{"floor":1,"style":"rolling"}',
      '{"floor":1,"style":true}',
      '{"style":"canary","routing":{}}',
      '{"style":"canary","routing":{"routes":[]}}',
      '{"style":"canary","routing":{"service":"a","routes":{}}}',
      '{"style":"canary","routing":{"service":"","routes":[]}}',
      '{"style":"canary","routing":{"service":"a","routes":["HTTPRoute/chat"]}}',
      '{"style":"canary","routing":{"service":"a","routes":[{"kind":"HTTPRoute"}]}}',
      '{"style":"canary","routing":{"pools":{"stable":"a"},"routes":[]}}',
      '{"style":"canary","routing":{"service":"a","pools":{"stable":"a","canary":"b"},"routes":[]}}',
      '{"style":"canary","plan":"0"}',
      '{"style":"canary","plan":"0000000G"}',
      '{"style":"canary","plan":12345678}',
      '{"floor":-1,"plan":"00000000000000000000000000000000"}',
      '{"objects":[]}',
      '{"floor":-1}',
      '{"floor":1.5}',
      '{"floor":"1"}',
      '{"floor":1,"maxUnavailable":{}}',
      '{"floor":1,"maxUnavailable":{"was":1}}',
      '{"floor":1,"maxUnavailable":{"was":"x","set":2}}',
      '{"floor":1,"maxUnavailable":2}',
      '{"floor":1,"maxUnavailable":{"was":-1,"set":2}}',
      '{"floor":1,"maxUnavailable":{"was":"9999%","set":2}}',
      '{"floor":1,"maxUnavailable":{"was":"101%","set":2}}',
      '{"floor":1,"maxUnavailable":{"was":1,"set":-2}}',
      '{"floor":2147483648}',
      '{"floor":1,"groups":2147483648}',
      '{"floor":1,"replicas":5}',
      '{"floor":1,"replicas":{"was":4,"set":2147483648}}',
      '{"floor":1,"replicas":{"set":5}}',
      '{"floor":1,"replicas":{"was":4,"set":4}}',
      '{"floor":1,"replicas":{"was":5,"set":4}}',
      '{"floor":1,"replicas":{"was":0,"set":4}}',
      '{"floor":1,"replicas":{"was":4,"set":"5"}}',
      '{"floor":1,"replicas":{"was":4,"set":5.5}}',
      '{"floor":1,"ofANewerVersion":1}',
    ],
  ],
  [
    MARK.aborted,
    [
      '',
      'x',
      '5be0c7aa5be0c7aa5be0c7aa5be0c7aa.1,',
      '5be0c7aa5be0c7aa5be0c7aa5be0c7aa.1;5be0c7aa5be0c7aa5be0c7aa5be0c7aa.2',
      Array.from({ length: 6 }, (_, k) => `5be0c7aa.${k + 1}`).join(','),
    ],
  ],
])('%s', (key, values) => {
  test.each(values)('%j is refused', (value) => expect(faultsOf({ ...SETTLED, [key]: value })).toEqual([key]));
});

test('marks without a release are a fault, not an unmanaged workload', () => {
  expect(faultsOf({ [MARK.step]: '1/3' })).toEqual([MARK.release]);
});

test('all faults are reported', () => {
  expect(faultsOf({ [MARK.release]: 'x', [MARK.step]: 'x', [MARK.stable]: 'x' })).toEqual([
    MARK.release,
    MARK.step,
    MARK.stable,
  ]);
});

test('spaces after commas are read', () => {
  expect(
    parseMarks({
      ...SETTLED,
      [MARK.aborted]: '5be0c7aa5be0c7aa5be0c7aa5be0c7aa.3, 9c41d2e09c41d2e09c41d2e09c41d2e0.2',
    }),
  ).toMatchObject({
    aborted: [
      { digest: '5be0c7aa5be0c7aa5be0c7aa5be0c7aa', serial: 3 },
      { digest: '9c41d2e09c41d2e09c41d2e09c41d2e0', serial: 2 },
    ],
  });
});
