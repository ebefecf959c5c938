/** Alerts that an Analysis names: what is asked, when, and which of them fire by the answer. */

import { expect, test } from 'vitest';
import { parseMetricAnswer } from '../../../src/api/metric-answer.ts';
import { alertsGrid, firingIn } from '../../../src/rollout/analysis/alerts.ts';
import { alertsSelectorOf } from '../../../src/rollout/analysis/metric-query.ts';

test.each<readonly [alerts: readonly string[], match: Readonly<Record<string, string>>, query: string]>([
  [['VllmDown'], {}, 'ALERTS{alertname=~"VllmDown",alertstate="firing"}'],
  [
    ['VllmDown', 'KvFull'],
    { cluster: 'prod-eu' },
    'ALERTS{alertname=~"VllmDown|KvFull",alertstate="firing",cluster="prod-eu"}',
  ],
  // What ends a text or a pattern is a letter of the name.
  [['x"} or vector(1) #'], {}, String.raw`ALERTS{alertname=~"x\"\\} or vector\\(1\\) #",alertstate="firing"}`],
  [
    ['a\\b|.*'],
    { team: 'a"b\\c' },
    String.raw`ALERTS{alertname=~"a\\\\b\\|\\.\\*",alertstate="firing",team="a\"b\\c"}`,
  ],
])('%j with %j', (alerts, match, query) => expect(alertsSelectorOf({ alerts, match })).toBe(query));

test('it is looked at whole minutes until now, back to where samples may be late', () => {
  expect(alertsGrid(1_000_019, 0)).toEqual({ start: 999_960, end: 999_960, step: 60 });
  expect(alertsGrid(1_000_019, 90)).toEqual({ start: 999_840, end: 999_960, step: 60 });
});

const fires = (alertname: string, more: object = {}, values: readonly unknown[] = [[60, '1']]) => ({
  metric: { __name__: 'ALERTS', alertname, alertstate: 'firing', ...more },
  values,
});

test.each<readonly [what: string, result: readonly object[], said: object]>([
  ['nothing', [], { kind: 'alerts', firing: [] }],
  ['one of two', [fires('KvFull')], { kind: 'alerts', firing: [{ name: 'KvFull', times: 1 }] }],
  [
    'both, one of them twice',
    [fires('KvFull', { pod: 'a' }), fires('VllmDown'), fires('KvFull', { pod: 'b' })],
    {
      kind: 'alerts',
      firing: [
        { name: 'VllmDown', times: 1 },
        { name: 'KvFull', times: 2 },
      ],
    },
  ],
  ['what is no number', [fires('KvFull', {}, [[60, 'NaN']])], { firing: [{ name: 'KvFull', times: 1 }] }],
  ['a series without a sample', [fires('KvFull', {}, [])], { firing: [] }],
  ['another alert', [fires('Watchdog')], { kind: 'MetricsUnreadable' }],
  ['one that is pending', [fires('KvFull', { alertstate: 'pending' })], { kind: 'MetricsUnreadable' }],
  ['what is no alert', [fires('KvFull', { __name__: 'up' })], { kind: 'MetricsUnreadable' }],
])('the answer has %s', (_, result, said) => {
  const body = { status: 'success', data: { resultType: 'matrix', result } };
  const parsed = parseMetricAnswer(body, { start: 0, end: 60, step: 60 });
  if (parsed.kind !== 'series') throw new Error(parsed.kind);
  expect(firingIn(parsed.series, ['VllmDown', 'KvFull'])).toMatchObject(said);
});
