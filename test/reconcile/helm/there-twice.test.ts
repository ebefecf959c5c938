/** A key of the HelmRelease that somebody writes twice in mid-delivery: no step goes by it, and the way back is not kept waiting. */

import { expect, test } from 'vitest';
import { RELEASE_FILE } from '../../support/helm-files.ts';
import { HelmWorld } from '../../support/helm-world.ts';
import { ROLLOUT_FILE } from '../../support/vllm.ts';

const OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
const ABORT = { kind: 'abort', keepNewer: false, from: undefined } as const;
const half = await HelmWorld.halfWay();

/** The line of an annotation, with another one of that key in front. */
const markTwice =
  (name: string, value?: string) =>
  (text: string): string =>
    text.replace(
      new RegExp(`( +tranche\\.dev/${name}: )(.*)\\n`),
      (line, key, said) => `${key}${value ?? said}\n${line}`,
    );

const TWICE: Readonly<Record<string, (text: string) => string>> = {
  restore: markTwice('restore'),
  'another restore': markTwice('restore', `'{"floor":0}'`),
  release: markTwice('release'),
  step: markTwice('step'),
  'a value of people': (text) => text.replace(/( +interval: )5m\n/, '$16m\n$15m\n'),
};

const GONE: Readonly<Record<string, (world: HelmWorld) => void>> = {
  'the Rollout there': () => undefined,
  'the Rollout disabled': (world) => world.edit(ROLLOUT_FILE, 'spec:\n', 'spec:\n  disabled: true\n'),
  'the Rollout gone': (world) =>
    void world.repository.commit('main', { writes: [{ path: ROLLOUT_FILE, text: undefined }], message: 'gone' }),
};

/** Says what a pass names, and what an order and the passes after it make of that. */
async function aborted(world: HelmWorld): Promise<void> {
  const before = world.release();
  const { outcomes } = await world.pass();
  expect(outcomes.flatMap(({ plan }) => plan?.issues ?? []).map(({ reason }) => reason)).toContain('DuplicateKey');
  expect(world.release()).toBe(before);
  expect(await world.order(ABORT)).toContain('abort 1322dacd.2');
  const said: string[] = [];
  for (let step = 0; step < 6; step += 1) said.push(await world.step());
  expect(world.groups(), said.join('\n')).toBe(OLD);
  expect(world.release().match(/^ {4}tranche\.dev\/(release|step|restore): /gm), said.join('\n')).toHaveLength(1);
  expect(world.release().match(/^ +interval: /gm)).toHaveLength(1);
}

test.each(['restore', 'another restore', 'release', 'step', 'a value of people'])(
  '%s: held by that name, and an abort leads back and leaves one, also where the Rollout is disabled or gone',
  async (what) => {
    for (const change of Object.values(GONE)) {
      const world = half.fork();
      const text = TWICE[what]?.(world.release()) ?? '';
      expect(text).not.toBe(world.release());
      world.repository.commit('main', { writes: [{ path: RELEASE_FILE, text }], message: 'twice' });
      change(world);
      await aborted(world);
    }
  },
);
