/** What a hand takes out of an entry of `tranche.dev/restore`, or writes into it, leaves the field to the rollback: it comes back as main had it before. */

import { expect, test } from 'vitest';
import { commonFiles, ownFiles } from '../../scenarios/check-stories.ts';
import { Forgery } from '../../support/forgery.ts';
import { LWS_FILE } from '../../support/vllm.ts';

const HPA = 'apps/vllm/hpa.yaml';
const FILES = {
  ...commonFiles('vllm-service'),
  ...commonFiles('vllm-routed'),
  ...commonFiles('canary-steps'),
  ...commonFiles('autoscaler'),
  ...ownFiles('canary-with-an-autoscaler'),
};
const ENTRY =
  /"objects":\[\{"object":"HorizontalPodAutoscaler[^{}]*\}\],|,\{"object":"HorizontalPodAutoscaler[^{}]*\}|\{"object":"HorizontalPodAutoscaler[^{}]*\},?/;

let base: Promise<Forgery> | undefined;

/** The new version has a share, and the floor of the autoscaler is raised. */
async function shared(): Promise<Forgery> {
  const make = async (): Promise<Forgery> => {
    const at = new Forgery(FILES);
    await at.round();
    at.world.cluster.scale({ namespace: 'llm', name: 'vllm' }, 3);
    for (let pass = 0; pass < 3; pass += 1) await at.round();
    at.edit(LWS_FILE, /v0\.10\.0/g, 'v0.10.1');
    await at.until('traffic:');
    expect(at.text(HPA)).toMatch(/minReplicas: 3/);
    return at;
  };
  return (await (base ??= make())).fork();
}

const restoreOf = (at: Forgery): string => /tranche\.dev\/restore: .*/.exec(at.text())?.[0] ?? '';
const withoutEntry = (at: Forgery): void => void at.edit(LWS_FILE, restoreOf(at), restoreOf(at).replace(ENTRY, ''));
const abort = (at: Forgery): Promise<string> => at.order({ kind: 'abort', keepNewer: false });

/** What is done until the rollback is ordered, and while it waits for the last requests. */
const CASES: Readonly<Record<string, (at: Forgery) => Promise<unknown>>> = {
  'in the delivery, before an abort': async (at) => {
    withoutEntry(at);
    await abort(at);
  },
  'in the delivery, and passes look': async (at) => {
    withoutEntry(at);
    for (let round = 0; round < 3; round += 1) await at.round();
    await abort(at);
  },
  'in the delivery, and back again': async (at) => {
    const is = restoreOf(at);
    withoutEntry(at);
    at.edit(LWS_FILE, restoreOf(at), is);
    await abort(at);
  },
  'in the rollback': async (at) => {
    await abort(at);
    await at.until('route-restored');
    withoutEntry(at);
  },
  'in the rollback, and back again': async (at) => {
    await abort(at);
    await at.until('route-restored');
    const is = restoreOf(at);
    withoutEntry(at);
    at.edit(LWS_FILE, restoreOf(at), is);
  },
  'in both': async (at) => {
    withoutEntry(at);
    await abort(at);
    await at.until('route-restored');
    withoutEntry(at);
  },
  'another value that was set, in the delivery': async (at) => {
    at.edit(LWS_FILE, /"was":2,"set":3/, '"was":2,"set":4');
    await abort(at);
  },
  'another value that was set, twice': async (at) => {
    at.edit(LWS_FILE, /"was":2,"set":3/, '"was":2,"set":4');
    at.edit(LWS_FILE, /"was":2,"set":4/, '"was":2,"set":5');
    await abort(at);
  },
  'another value that was set, in the rollback': async (at) => {
    await abort(at);
    await at.until('route-restored');
    at.edit(LWS_FILE, /"was":2,"set":3/, '"was":2,"set":4');
  },
  'another value that was set, before eject --abort': async (at) => {
    at.edit(LWS_FILE, /"was":2,"set":3/, '"was":2,"set":4');
    await at.eject({ abort: true });
  },
  'out, and back with another value that was set': async (at) => {
    const is = restoreOf(at);
    withoutEntry(at);
    at.edit(LWS_FILE, restoreOf(at), is.replace(/"was":2,"set":3/, '"was":2,"set":4'));
    await abort(at);
  },
  'out with the step, and the step back': async (at) => {
    withoutEntry(at);
    const is = at.text();
    at.write(LWS_FILE, is.replace(/ +tranche\.dev\/step: .*\n/, ''));
    at.write(LWS_FILE, is);
    await abort(at);
  },
  'out with the step in one commit, and the step back': async (at) => {
    const whole = at.text();
    const is = whole.replace(restoreOf(at), restoreOf(at).replace(ENTRY, ''));
    at.write(LWS_FILE, is.replace(/ +tranche\.dev\/step: .*\n/, ''));
    at.write(LWS_FILE, is);
    await abort(at);
  },
  'all of it gone, and back with another value that was set': async (at) => {
    const whole = at.text();
    at.write(LWS_FILE, whole.replace(/ +tranche\.dev\/(step|restore|rung): .*\n/g, ''));
    at.write(LWS_FILE, whole.replace(/"was":2,"set":3/, '"was":2,"set":4'));
    await abort(at);
  },
  'before eject --abort': async (at) => {
    withoutEntry(at);
    await at.eject({ abort: true });
  },
};

test.each(Object.entries(CASES))('%s: the floor comes back', async (_, done) => {
  const at = await shared();
  await done(at);
  await at.until('rolled back');
  expect(at.text(HPA)).toBe(FILES[HPA]);
});

test('a floor that a hand has written since is left', async () => {
  const at = await shared();
  at.edit(HPA, 'minReplicas: 3', 'minReplicas: 1');
  await abort(at);
  await at.until('rolled back');
  expect(at.text(HPA)).toMatch(/minReplicas: 1/);
});
