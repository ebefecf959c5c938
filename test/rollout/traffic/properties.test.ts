/** Whatever shares are written into a route, and however its file is written: the restored route gives back the very bytes. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../../src/api/json.ts';
import type { Share, Sides } from '../../../src/rollout/traffic/provider.ts';
import { anyStyle } from '../../manifests/any-manifest.ts';
import { writeYaml } from '../../manifests/written-yaml.ts';
import { NO_SHARE, prepared, providerIn, SIDES, type Texts, weight, written } from '../../support/routes.ts';

const ROOT = new URL('../../../fixtures/traffic/', import.meta.url);
const RUNS = 5;

function read(path: string): string | undefined {
  const url = new URL(path, ROOT);
  return existsSync(url) ? readFileSync(url, 'utf8') : undefined;
}

test.each(readdirSync(ROOT))('%s', (name) => {
  const provider = providerIn(name);
  const [document] = parseAllDocuments(read(`${name}/before.yaml`) ?? '');
  const value = document!.toJS() as JsonObject;
  const sides: Sides = { ...SIDES, ...(JSON.parse(read(`${name}/sides.json`) ?? '{}') as Partial<Sides>) };
  const shares = Object.values(JSON.parse(read(`${name}/shares.json`) ?? '{}') as Readonly<Record<string, Share>>);
  const anyShare = fc.oneof(fc.nat(100).map(weight), ...shares.map((share) => fc.constant(share)));
  fc.assert(
    fc.property(anyStyle, fc.array(anyShare, { minLength: 1, maxLength: 4 }), (style, steps) => {
      const before: Texts = { files: { 'route.yaml': writeYaml(value, style) }, displaced: [] };
      const start = prepared(before, provider, sides);
      let texts = start;
      for (const share of steps) texts = written(texts, provider, share, sides);
      const home = written(texts, provider, NO_SHARE, sides);
      expect(home.files).toEqual(start.files);
      expect(written(home, provider, NO_SHARE, sides)).toEqual(home);
    }),
    { numRuns: RUNS },
  );
});
