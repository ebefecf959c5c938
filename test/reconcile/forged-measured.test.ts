/** Whoever pushes to the status branch writes what metrics said, where no key signs: nothing goes on or back by it, and nothing of it acts on the page. */

import { expect, test } from 'vitest';
import type { MetricRecord } from '../../src/api/record-metrics.ts';
import { NO_OVERRIDES } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { isRolloutRecord } from '../../src/reconcile/status/record-shape.ts';
import { printRecord } from '../../src/reconcile/status/status-writes.ts';
import { type Measured, started } from '../support/measured.ts';
import { sampled } from '../support/sampled.ts';
import { LWS_FILE } from '../support/vllm.ts';

const STATUS = 'tranche-status';
const RECORD = 'rollouts/default/llm/vllm.json';
const FOLDER = 'analysis/default/llm/vllm';
const ROUNDS = 12;
const MARKUP = '`"><script>alert(1)</script>![x](https://evil.example/x) @everyone <!--';

/** What the metrics say in truth. */
const TRUTHS: Readonly<Record<string, (of: Measured) => void>> = {
  'a healthy release': () => undefined,
  'a release that fails': (of) => {
    of.metrics.bad = (pod) => (pod === 'vllm-3' ? 80 : 10);
  },
  'no answer': (of) => {
    of.metrics.mood = 'dead';
  },
};

/** The record with other words of metrics in it, and a checksum that fits. */
const saying =
  (answer: MetricRecord['answer'], name = 'chat/vllm/errors') =>
  ({ world: { repository } }: Measured): void => {
    const { checksum: _sum, ...there } = JSON.parse(repository.text(STATUS, RECORD) ?? '{}');
    const counts = { n: Number.MAX_SAFE_INTEGER, x: answer === 'failed' ? Number.MAX_SAFE_INTEGER : 0 };
    const metric = { name, answer, canary: counts, stable: counts, until: 253_402_300_799, ruledOut: name, line: name };
    const forged: unknown = { ...there, measured: { of: there.measured?.of ?? '1/3', metrics: [metric] } };
    if (!isRolloutRecord(forged)) throw new Error('the record has another shape');
    repository.commit(STATUS, { writes: [{ path: RECORD, text: printRecord(forged) }], message: 'mine' });
  };

const evidence =
  (files: Readonly<Record<string, string>>) =>
  ({ world: { repository } }: Measured): void => {
    const writes = Object.entries(files).map(([name, text]) => ({ path: `${FOLDER}/${name}`, text }));
    repository.commit(STATUS, { writes, message: 'mine' });
  };

const FORGERIES: Readonly<Record<string, (of: Measured) => void>> = {
  'all passed': saying('passed'),
  'all failed': saying('failed'),
  'a name that is markup': saying('inconclusive', MARKUP),
  'files of its steps, all passed': evidence(
    Object.fromEntries([1, 2, 3].map((step) => [`2-00${step}.json`, JSON.stringify({ answer: 'passed', step })])),
  ),
  'files of its steps, all failed': evidence(
    Object.fromEntries([1, 2, 3].map((step) => [`2-00${step}.json`, JSON.stringify({ answer: 'failed', step })])),
  ),
  'files by the thousand': evidence(
    Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`999999999-${at}.json`, '{'])),
  ),
  'a picture that is a script': evidence({ 'newest.svg': '<svg onload="alert(1)"><script>alert(1)</script></svg>' }),
};

/** What each of some passes did, each by a process of its own, with what somebody writes before it. */
async function played(of: Measured, before: (of: Measured) => void): Promise<readonly string[]> {
  const told: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    of.world.sync();
    of.world.tick(900);
    before(of);
    const ports = of.world.ports({ metrics: of.metrics.port() });
    const { outcomes } = await runPass(ports, of.world.memory(), { overrides: NO_OVERRIDES, write: true, only: [] });
    const holds = outcomes[0]?.plan?.holds.map(({ reason }) => reason).join(' ') ?? outcomes[0]?.error;
    told.push(`${of.world.subject()} | ${of.world.groups()} | ${holds}`);
  }
  return told;
}

/** What the page says but for code, in which nothing acts. */
const outsideCode = (page: string): string => page.replace(/(`+)(?!`)[^]*?[^`]\1(?!`)/g, '');

async function measuring(truth: string): Promise<Measured> {
  const of = await started();
  TRUTHS[truth]?.(of);
  return of;
}

type Honest = { readonly told: readonly string[]; readonly text: string | undefined };
const honestRuns = new Map<string, Promise<Honest>>();

/** What happens where nobody forges anything: played once. */
function honestly(truth: string): Promise<Honest> {
  const play = async (): Promise<Honest> => {
    const of = await measuring(truth);
    return { told: await played(of, () => undefined), text: of.world.repository.text('main', LWS_FILE) };
  };
  const once = honestRuns.get(truth) ?? play();
  honestRuns.set(truth, once);
  return once;
}

const CASES = Object.keys(TRUTHS).flatMap((truth) => Object.keys(FORGERIES).map((forged) => [truth, forged] as const));

test.each(sampled(CASES, 3))('%s, and forged: %s: each pass does what it does without', async (truth, forged) => {
  const honest = await honestly(truth);
  const of = await measuring(truth);
  expect(await played(of, FORGERIES[forged] ?? (() => undefined))).toEqual(honest.told);
  expect(of.world.repository.text('main', LWS_FILE)).toBe(honest.text);
  expect(outsideCode(of.world.repository.text(STATUS, 'README.md') ?? '')).not.toMatch(/<script|evil|@everyone/);
});
