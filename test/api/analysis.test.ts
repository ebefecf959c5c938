/** The Analysis as people write it: what it takes, with its defaults, and what it refuses, where and how it is mended. */

import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseAnalysis } from '../../src/api/analysis.ts';
import { badParts, type Preset } from '../../src/api/analysis-preset.ts';
import { PRESETS } from '../../src/api/analysis-presets.ts';
import { analysisSchema } from '../../src/api/analysis-schema.ts';

const head = { apiVersion: 'tranche.dev/v1alpha1', kind: 'Analysis', metadata: { name: 'chat' } };
const whole = (spec: object) => ({ ...head, spec: { provider: 'prod', ...spec } });
const metric = (more: object) => whole({ metrics: [{ use: 'vllm/ttft', ...more }] });
const own = (more: object) =>
  whole({ metrics: [{ name: 'refusals', bad: { metric: 'refused_total' }, of: { metric: 'asked_total' }, ...more }] });
const alerts = (...list: readonly object[]) => whole({ metrics: [{ use: 'vllm/http' }], alerts: list });
/** What the linter would take for a promise. */
const leads = (to: string): object => JSON.parse(`{"then":"${to}"}`) as object;
const isTaken = new Ajv2020().compile(analysisSchema());

test.each(Object.keys(PRESETS))('%s is taken with its defaults, by the schema too', (use) => {
  const sides = { sides: { vllm: { job: 'a' } } };
  const file = whole({ ...(PRESETS[use]?.gateway === 'sides' ? sides : {}), metrics: [{ use }] });
  const { analysis, faults } = parseAnalysis(file);
  expect(faults).toEqual([]);
  expect(analysis?.metrics[0]).toEqual({ ...PRESETS[use], name: use, bound: undefined });
  expect(isTaken(file)).toBe(true);
});

test('what only informs, and what is not compared, the schema refuses as well', () => {
  for (const more of [
    { use: 'vllm/kv', ...leads('hold') },
    { use: 'vllm/stalled', bound: { fail: 5, pass: 2 } },
    { use: 'vllm/errors', overSeconds: 2 },
  ])
    expect(isTaken(whole({ metrics: [more] }))).toBe(false);
  expect(isTaken(whole({ metrics: [{ use: 'vllm/stalled', name: 'hangs', ...leads('hold') }] }))).toBe(true);
});

function sidesOf(gateway: NonNullable<Preset['gateway']>): string {
  if (gateway === 'sides') return gateway;
  const both = [
    gateway({ namespace: 'ns', service: 'svc-canary', isCanary: true }),
    gateway({ namespace: 'ns', service: 'svc', isCanary: false }),
  ];
  return both.map((labels) => JSON.stringify(labels)).join(' and ');
}

/** A row a preset: a series of several names has the newest first. */
function rows(): string {
  const part = ({ names, labels }: Preset['of']): string => {
    const values = Object.entries(labels).map(([label, allowed]) => `${label}=${String(allowed)}`);
    return `${names.join(' | ')}${values.length === 0 ? '' : `{${values.join(', ')}}`}`;
  };
  const row = ([use, preset]: readonly [string, Preset]): string =>
    [
      `${use}: ${preset.leadsTo}${preset.informsOnly === true ? ' only' : ''}`,
      ...[...badParts(preset.bad)].map((one) => `${preset.bad.kind} ${part(one)}`),
      ...('seconds' in preset.bad ? [`over ${preset.bad.seconds} s`] : []),
      ...('share' in preset.bad ? [`above ${preset.bad.share}`] : []),
      `of ${preset.unit ?? 'requests'} ${part(preset.of)}`,
      ...(preset.gateway === undefined ? [] : [`by ${sidesOf(preset.gateway)}`]),
      `adds up ${preset.adds.join(' ')}`,
      preset.anchor === undefined ? 'from the start' : `with the first event, if there is ${part(preset.anchor)}`,
    ].join('\n  ');
  return `${Object.entries(PRESETS).map(row).join('\n')}\n`;
}

test('the table of presets is the one that was looked at', () => {
  const file = 'fixtures/analysis/presets.txt';
  if (process.env['UPDATE_GOLDEN'] !== undefined) writeFileSync(file, rows());
  expect(rows()).toBe(readFileSync(file, 'utf8'));
});

test('each preset is in the documents', () => {
  const page = readFileSync('docs/analysis.md', 'utf8');
  expect(Object.keys(PRESETS).filter((use) => !page.includes(`\`${use}\``))).toEqual([]);
});

test('each field of the schema has its row in the documents', () => {
  const page = readFileSync('docs/analysis.md', 'utf8');
  const schema: { readonly properties?: { readonly spec?: { readonly properties?: object } } } = analysisSchema();
  const fields = Object.keys(schema.properties?.spec?.properties ?? {});
  expect(fields).toContain('alerts');
  expect(fields.filter((field) => !page.includes(`\n| \`${field}\` |`))).toEqual([]);
});

test('sides name series by labels, empty ones as well', () => {
  const file = whole({
    sides: { vllm: { job: 'a', canary: '' }, 'vllm-canary': { job: 'b' } },
    metrics: [{ use: 'epp/errors' }],
  });
  expect(parseAnalysis(file)).toMatchObject({
    faults: [],
    analysis: { sides: { vllm: { job: 'a', canary: '' }, 'vllm-canary': { job: 'b' } } },
  });
  expect(isTaken(file)).toBe(true);
});

test('alerts are known by their names, whatever these are; without them there are none', () => {
  const named = alerts({ alertname: 'VllmDown' }, { alertname: 'Köln "prod" \\ down' });
  expect(parseAnalysis(named)).toMatchObject({
    faults: [],
    analysis: { alerts: ['VllmDown', 'Köln "prod" \\ down'] },
  });
  expect(isTaken(named)).toBe(true);
  for (const wrong of [alerts({}), alerts({ alertname: '' }), alerts({ alertname: 'A', labels: {} })])
    expect(isTaken(wrong)).toBe(false);
  expect(parseAnalysis(metric({})).analysis?.alerts).toEqual([]);
});

test('the one to copy is taken', () => {
  const file: unknown = parse(readFileSync('policies/analysis.yaml', 'utf8'));
  expect(parseAnalysis(file).faults).toEqual([]);
  expect(isTaken(file)).toBe(true);
});

test('what the file says counts before the defaults', () => {
  const file = {
    ...head,
    spec: {
      provider: 'prod',
      match: { cluster: 'prod-eu' },
      labels: { pod: 'kubernetes_pod_name' },
      windowSeconds: 60,
      falseAlarmPercent: 0.25,
      metrics: [
        { use: 'vllm/ttft', overSeconds: 5, tolerate: { times: 1.25, points: 1 }, bound: { fail: 20, pass: 8 } },
        { name: 'x', bad: { metric: 'b', labels: { class: 'a' } }, of: { metric: 'c' }, ...leads('inform') },
      ],
    },
  };
  expect(parseAnalysis(file)).toMatchObject({
    faults: [],
    analysis: {
      name: 'chat',
      labels: { namespace: 'namespace', pod: 'kubernetes_pod_name' },
      windowSeconds: 60,
      warmUpSeconds: 300,
      falseAlarmPercent: 0.25,
      missPercent: 5,
      metrics: [
        {
          bad: { kind: 'over', seconds: 5 },
          tolerate: { times: 1.25, points: 1 },
          ruleOut: { times: 2 },
          leadsTo: 'rollback',
        },
        { name: 'x', bad: { parts: [{ names: ['b'], labels: { class: ['a'] } }] }, leadsTo: 'inform' },
      ],
    },
  });
  expect(isTaken(file)).toBe(true);
});

describe('a file that is wrong', () => {
  test.each<readonly [string, object, string, string, RegExp]>([
    [
      'an unknown field',
      whole({ metrics: [{ use: 'vllm/http' }], windowSecond: 60 }),
      'spec.windowSecond',
      'UnknownField',
      /Did you mean windowSeconds/,
    ],
    [
      'an unknown preset',
      metric({ use: 'vllm/tfft' }),
      'spec.metrics.0.use',
      'UnknownPreset',
      /Did you mean vllm\/ttft/,
    ],
    [
      'three places',
      metric({ tolerate: { times: 1.255 } }),
      'spec.metrics.0.tolerate.times',
      'BadNumber',
      /plain number/,
    ],
    [
      'a text for a number',
      metric({ tolerate: { times: '2' } }),
      'spec.metrics.0.tolerate.times',
      'BadNumber',
      /plain number/,
    ],
    ['pass above fail', metric({ bound: { fail: 5, pass: 8 } }), 'spec.metrics.0.bound.pass', 'NotBelow', /below/],
    ['half a bound', metric({ bound: { fail: 5 } }), 'spec.metrics.0.bound.pass', 'Missing', /Add it/],
    [
      'ruleOut not above tolerate',
      metric({ tolerate: { times: 2 } }),
      'spec.metrics.0.ruleOut',
      'NotAbove',
      /larger rise/,
    ],
    [
      'a name that is more than one',
      own({ bad: { metric: 'x"} or vector(1) #' } }),
      'spec.metrics.0.bad.metric',
      'BadName',
      /Correct/,
    ],
    [
      'a label that is more than one',
      own({ bad: { metric: 'x', labels: { 'a="",b': 'c' } } }),
      'spec.metrics.0.bad.labels.a="",b',
      'BadName',
      /letters/,
    ],
    [
      'a value with a control character',
      own({ bad: { metric: 'x', labels: { a: 'c\u0000' } } }),
      'spec.metrics.0.bad.labels.a',
      'BadName',
      /Correct/,
    ],
    [
      'the same in match',
      whole({ match: { 'a-b': 'c' }, metrics: [{ use: 'vllm/http' }] }),
      'spec.match.a-b',
      'BadName',
      /letters/,
    ],
    [
      'two of one name',
      whole({ metrics: [{ use: 'vllm/http' }, { use: 'vllm/http' }] }),
      'spec.metrics.1.use',
      'MetricTwice',
      /name/,
    ],
    [
      'overSeconds without histogram',
      metric({ use: 'vllm/errors', overSeconds: 2 }),
      'spec.metrics.0.overSeconds',
      'NoHistogram',
      /Remove/,
    ],
    ['no metric', whole({ metrics: [] }), 'spec.metrics', 'Missing', /use: vllm/],
    [
      'an address as provider',
      whole({ provider: 'https://x', metrics: [{ use: 'vllm/http' }] }),
      'spec.provider',
      'BadName',
      /Correct/,
    ],
    [
      'a short warm-up',
      whole({ warmUpSeconds: 60, metrics: [{ use: 'vllm/http' }] }),
      'spec.warmUpSeconds',
      'BadNumber',
      /Correct/,
    ],
    [
      'an empty limit',
      whole({ lagSeconds: null, metrics: [{ use: 'vllm/http' }] }),
      'spec.lagSeconds',
      'Missing',
      /value/,
    ],
    ['what it may lead to', metric(leads('rolback')), 'spec.metrics.0.then', 'BadChoice', /Did you mean rollback/],
    [
      'more than informing',
      metric({ use: 'vllm/kv', ...leads('hold') }),
      'spec.metrics.0.then',
      'InformsOnly',
      /Remove/,
    ],
    [
      'a tolerance of stalls',
      metric({ use: 'vllm/stalled', tolerate: { times: 1.25 } }),
      'spec.metrics.0.tolerate',
      'NotCompared',
      /Remove/,
    ],
    [
      'a gateway without its sides',
      whole({ metrics: [{ use: 'envoy/errors' }] }),
      'spec.metrics',
      'SidesMissing',
      /sides/,
    ],
    [
      'a side without a label',
      whole({ sides: { vllm: {} }, metrics: [{ use: 'istio/errors' }] }),
      'spec.sides.vllm',
      'Missing',
      /job/,
    ],
    [
      'a side with a label that is more than one',
      whole({ sides: { vllm: { 'a="",b': 'c' } }, metrics: [{ use: 'istio/errors' }] }),
      'spec.sides.vllm.a="",b',
      'BadName',
      /letters/,
    ],
    ['an alert without its name', alerts({}), 'spec.alerts.0.alertname', 'Missing', /Add it/],
    [
      'more of an alert than its name',
      alerts({ alertname: 'A', labels: {} }),
      'spec.alerts.0.labels',
      'UnknownField',
      /Remove/,
    ],
    ['an alert twice', alerts({ alertname: 'A' }, { alertname: 'A' }), 'spec.alerts.1.alertname', 'AlertTwice', /out/],
    [
      'an alert with a control character',
      alerts({ alertname: 'A\u0000' }),
      'spec.alerts.0.alertname',
      'BadName',
      /Correct/,
    ],
    [
      'too many alerts',
      alerts(...Array.from({ length: 11 }, (_none, at) => ({ alertname: `A${at}` }))),
      'spec.alerts',
      'TooMany',
      /Shorten/,
    ],
    ['a preset and counters', metric({ of: { metric: 'x' } }), 'spec.metrics.0.of', 'UnknownField', /Remove/],
  ])('%s', (_, file, at, reason, hint) => {
    const { analysis, faults } = parseAnalysis(file);
    expect(analysis).toBeUndefined();
    expect(faults.map((fault) => [fault.at.join('.'), fault.reason])).toEqual([[at, reason]]);
    expect(faults[0]?.hint).toMatch(hint);
  });
});
