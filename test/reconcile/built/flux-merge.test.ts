/**
 * What Flux makes of fields of its own object over a kustomize folder is what we build of it, and what kustomize makes of the
 * folder with these fields in its kustomization; and our patch, the last that is done, applies to all of them.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { asApplied } from '../../../src/manifests/as-applied.ts';
import { fluxMerge } from '../../../src/manifests/flux-merge.ts';
import type { Build } from '../../../src/ports/builder.ts';
import { OVERLAY, ROOT } from '../../support/built-world.ts';
import { FLUX_MERGES, fluxFolder, fluxOf } from '../../support/flux-merges.ts';
import { recordedBuilder } from '../../support/recorded-builder.ts';
import { yamlValues } from '../../support/yaml-values.ts';

/**
 * Generator and Build of github.com/fluxcd/pkg/kustomize v1.28.0 over each case, by test/flux-merges/main.go, and of v1.35.7 (both
 * with kustomize api 0.21.1) where that makes something else of it.
 */
const RECORDED = new URL('../../../fixtures/flux-merges.json', import.meta.url);
type Recorded = { readonly name: string; readonly out: string; readonly err: string; readonly later?: string };
/** FLUX_PROGRAMS=<built with v1.28.0>,<with v1.35.7> records anew. */
const [first, second] = (process.env['FLUX_PROGRAMS'] ?? '').split(',');
if (first && second) writeFileSync(RECORDED, `${JSON.stringify(recordedWith(first, second), undefined, 2)}\n`);
const FLUX: readonly Recorded[] = JSON.parse(readFileSync(RECORDED, 'utf8'));

function recordedWith(...programs: readonly [string, string]): readonly Recorded[] {
  const cases = FLUX_MERGES.map((one) => ({ Name: one.name, Root: ROOT, Files: fluxFolder(one), Flux: fluxOf(one) }));
  const [now, later] = programs.map(
    (program) => JSON.parse(execFileSync(program, { input: JSON.stringify(cases), encoding: 'utf8' })) as Recorded[],
  );
  return (now ?? []).map((one, place) => {
    const other = later?.[place]?.out;
    const err = one.err.replaceAll(/\/\S*\/o[0-9]+/g, '');
    return other === one.out ? { ...one, err } : { ...one, err, later: other ?? '' };
  });
}

const built = FLUX_MERGES.filter(({ fails, isUnclear }) => fails !== true && isUnclear !== true);
const recordedOf = (name: string): Recorded => {
  const found = FLUX.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} is not recorded`);
  return found;
};
const builtOf = (files: Readonly<Record<string, string>>): Promise<Build> =>
  recordedBuilder().build(asApplied({ root: ROOT, files: textsOf(files) }));
const textsOf = (files: Readonly<Record<string, string>>) =>
  Object.entries(files).map(([path, text]) => ({ path, text }));
const sorted = (build: Build | string): readonly unknown[] => {
  if (typeof build !== 'string' && build.kind === 'refused') throw new Error(build.seen);
  const texts = yamlValues(typeof build === 'string' ? build : build.text).map((value) => JSON.stringify(value));
  return texts.sort().map((text): unknown => JSON.parse(text));
};

test('each case is recorded', () => {
  expect(FLUX.map(({ name }) => name)).toEqual(FLUX_MERGES.map(({ name }) => name));
  for (const { name } of built) expect(recordedOf(name).out).toContain('partition: 1000000');
});

test.each(built)('$name: we build what Flux does', async (one) => {
  const build = await builtOf({ ...fluxFolder(one), 'clusters/prod.yaml': fluxOf(one) });
  expect(sorted(build)).toEqual(sorted(recordedOf(one.name).out));
  expect(recordedOf(one.name).later).toBeUndefined();
});

test.each(built.filter(({ moved }) => moved !== undefined))('$name: so does the hint', async (one) => {
  const folder = fluxFolder(one);
  const build = await builtOf({ ...folder, [OVERLAY]: one.moved?.(folder[OVERLAY] ?? '') ?? '' });
  expect(sorted(build)).toEqual(sorted(recordedOf(one.name).out));
});

test.each(built)('$name: without it the folder builds otherwise, or our patch finds nothing', async (one) => {
  const build = await builtOf(fluxFolder(one));
  const { out } = recordedOf(one.name);
  if (one.named !== undefined) expect(build.kind === 'refused' ? build.seen : '').toContain('no matches for Id');
  else if (one.name.includes('partition')) expect(sorted(build)).toEqual(sorted(out));
  else expect(sorted(build)).not.toEqual(sorted(out));
});

test.each(FLUX_MERGES.filter(({ isUnclear }) => isUnclear))(
  '$name: releases of Flux differ, nothing is merged',
  (one) => {
    const { out, later } = recordedOf(one.name);
    expect(sorted(later ?? '')).not.toEqual(sorted(out));
    const files = textsOf({ ...fluxFolder(one), 'clusters/prod.yaml': fluxOf(one) });
    expect(fluxMerge({ root: ROOT, files })).toMatchObject({ kind: 'unclear', path: ['images', expect.any(String)] });
    expect(asApplied({ root: ROOT, files })).toEqual({ root: ROOT, files });
  },
);

test.each(FLUX_MERGES.filter(({ fails }) => fails))('$name: neither builds', async (one) => {
  expect(recordedOf(one.name)).toMatchObject({ out: '', err: expect.stringMatching(/./) });
  expect((await builtOf({ ...fluxFolder(one), 'clusters/prod.yaml': fluxOf(one) })).kind).toBe('refused');
});
