/** The file of a workload that its owner puts back in a delivery, alone: an abort leaves no share, weight or floor as the delivery had set it. */

import { expect, test } from 'vitest';
import { commonFiles, ownFiles } from '../../scenarios/check-stories.ts';
import { Forgery } from '../../support/forgery.ts';
import { LWS_FILE } from '../../support/vllm.ts';

const HPA = 'apps/vllm/hpa.yaml';
const FILES: Readonly<Record<string, string>> = {
  ...commonFiles('vllm-service'),
  ...commonFiles('vllm-routed'),
  ...commonFiles('canary-steps'),
  ...commonFiles('autoscaler'),
  ...ownFiles('canary-with-an-autoscaler'),
};
const pathOf = (kind: string): string =>
  Object.entries(FILES).find(([, text]) => text.includes(`kind: ${kind}\n`))?.[0] ?? '';

let base: Promise<{ readonly at: Forgery; readonly rest: string }> | undefined;

/** Half of the requests go to the new version, and the floor of the autoscaler is raised. */
async function shared(): Promise<{ readonly at: Forgery; readonly rest: string }> {
  const make = async (): Promise<{ readonly at: Forgery; readonly rest: string }> => {
    const at = new Forgery(FILES);
    await at.round();
    at.world.cluster.scale({ namespace: 'llm', name: 'vllm' }, 3);
    for (let pass = 0; pass < 4; pass += 1) await at.round();
    const rest = at.text();
    at.edit(LWS_FILE, /v0\.10\.0/g, 'v0.10.1');
    await at.until('traffic: 5%', 40);
    return { at, rest };
  };
  const { at, rest } = await (base ??= make());
  return { at: at.fork(), rest };
}

const CASES: Readonly<Record<string, (at: Forgery, rest: string) => unknown>> = {
  'with the new template, and its Rollout gone': (at, rest) => {
    at.write(LWS_FILE, rest.replace(/v0\.10\.0/g, 'v0.10.1'));
    at.write(pathOf('Rollout'), undefined);
  },
  'and that taken back': (at, rest) => {
    const is = at.text();
    at.write(LWS_FILE, rest);
    at.write(LWS_FILE, is);
  },
  'as it was': (at, rest) => at.write(LWS_FILE, rest),
  'as it was, and its Rollout gone': (at, rest) => {
    at.write(LWS_FILE, rest);
    at.write(pathOf('Rollout'), undefined);
  },
};

test.each(Object.entries(CASES))('%s: an abort puts back the route and the floor', (_, done) => comesBack(done));

async function comesBack(done: (at: Forgery, rest: string) => unknown): Promise<void> {
  const { at, rest } = await shared();
  done(at, rest);
  expect(await at.order({ kind: 'abort', keepNewer: false })).toMatch(/^abort /);
  for (let pass = 0; pass < 15; pass += 1) await at.round(120);
  expect([at.text(pathOf('HTTPRoute')), at.text(HPA)]).toEqual([FILES[pathOf('HTTPRoute')], FILES[HPA]]);
}
