/**
 * What Flux makes of fields of its own object over a kustomize folder is what kustomize makes of the folder with these fields in
 * its kustomization, as our hint says; and our patch, the last that is done, applies to both.
 */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OVERLAY, ROOT } from '../../support/built-world.ts';
import { FLUX_MERGES, fluxFolder } from '../../support/flux-merges.ts';
import { recordedBuilder } from '../../support/recorded-builder.ts';
import { yamlValues } from '../../support/yaml-values.ts';

/** Generator and Build of github.com/fluxcd/pkg/kustomize v1.28.0 (kustomize api 0.21.1) over each case. */
const RECORDED = new URL('../../../fixtures/flux-merges.json', import.meta.url);
const FLUX: readonly { readonly name: string; readonly out: string }[] = JSON.parse(readFileSync(RECORDED, 'utf8'));

test('each case is recorded', () => {
  expect(FLUX.map(({ name }) => name)).toEqual(FLUX_MERGES.map(({ name }) => name));
  for (const { out } of FLUX) expect(out).toContain('partition: 1000000');
});

test.each(FLUX_MERGES)('$name', async (one) => {
  const folder = fluxFolder(one);
  const files = Object.entries({ ...folder, [OVERLAY]: one.moved(folder[OVERLAY] ?? '') });
  const build = await recordedBuilder().build({ root: ROOT, files: files.map(([path, text]) => ({ path, text })) });
  expect(build.kind).toBe('built');
  const recorded = FLUX.find(({ name }) => name === one.name)?.out ?? '';
  const sorted = (text: string): readonly unknown[] =>
    yamlValues(text)
      .map((value) => JSON.stringify(value))
      .sort();
  expect(sorted(build.kind === 'built' ? build.text : '').map((text) => JSON.parse(String(text)))).toEqual(
    sorted(recorded).map((text) => JSON.parse(String(text))),
  );
});

test.each(FLUX_MERGES)('$name: without it the folder builds otherwise, or our patch finds nothing', async (one) => {
  const files = Object.entries(fluxFolder(one)).map(([path, text]) => ({ path, text }));
  const build = await recordedBuilder().build({ root: ROOT, files });
  const recorded = FLUX.find(({ name }) => name === one.name)?.out;
  if (one.named === undefined) expect(build.kind === 'built' ? build.text : '').not.toBe(recorded);
  else expect(build.kind === 'refused' ? build.seen : '').toContain('no matches for Id');
});
