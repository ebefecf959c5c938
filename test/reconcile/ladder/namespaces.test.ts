/** Objects of one name for two namespaces in one file: a delivery reads and writes those of its own. */

import { expect, test } from 'vitest';
import type { Texts } from '../../../src/reconcile/ladder/delivery-parts.ts';
import { climbed, ladderFiles, ladderRollout, placeOf } from '../../support/ladder.ts';
import { ROLLOUT_FILE } from '../../support/vllm.ts';

const STEPS = ['replicas: 1, traffic: 5%', 'replicas: 100%'];
const inStaging = (text: string): string => text.replaceAll('namespace: llm', 'namespace: staging');

/** Each file with those of staging in front, as a delivery there has left them. */
function beside(texts: Texts, staging: Texts): Texts {
  return new Map(
    [...texts].map(([file, text]) => [
      file,
      file === ROLLOUT_FILE ? text : `${inStaging(staging.get(file) ?? '')}---\n${text}`,
    ]),
  );
}

test.each(['canary', 'blueGreen', 'partition'] as const)('%s next to the same names in another namespace', (style) => {
  const files = ladderFiles(ladderRollout(style, STEPS));
  const alone = climbed(files);
  const staging = alone.find(({ commit }) => commit.at === 'traffic')?.texts ?? files;
  const both = climbed(beside(files, staging));
  expect(both.map(({ commit }) => placeOf(commit))).toEqual(alone.map(({ commit }) => placeOf(commit)));
  expect(both.map(({ texts }) => [...texts])).toEqual(alone.map(({ texts }) => [...beside(texts, staging)]));
});
