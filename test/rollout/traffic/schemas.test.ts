/** Everything that a provider writes is valid by the published schemas and rules of its kind, and so is what it was made of. */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import answers from '../../../fixtures/crd-rules/answers.json' with { type: 'json' };
import type { JsonObject } from '../../../src/api/json.ts';
import { refusals } from '../../support/gateway-server.ts';
import { modelOf } from '../../support/published-schemas.ts';

const ROOT = new URL('../../../fixtures/traffic/', import.meta.url);

/** Kinds of users have no schema that is published. */
const folders = readdirSync(ROOT).filter((folder) => !folder.startsWith('Custom-'));
const files = folders.flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, ROOT))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => `${folder}/${file}`),
);

function documentsIn(file: string): readonly JsonObject[] {
  return parseAllDocuments(readFileSync(new URL(file, ROOT), 'utf8')).map((document) => document.toJS() as JsonObject);
}

test.each(files)('%s', async (file) => {
  const seen = await Promise.all(
    documentsIn(file).map(async (value) => {
      const model = await modelOf(value);
      if (model === undefined) return false;
      new model(value).validate();
      expect(refusals(value)).toEqual([]);
      return true;
    }),
  );
  expect(seen).toContain(true);
});

describe('the check sees', () => {
  test.each([
    ['HTTPRoute/2-weight-5.yaml', '/spec/rules/0/backendRefs/0/weight'],
    ['VirtualService/2-weight-5.yaml', '/spec/http/1/route/0/weight'],
    ['TraefikService/weight-5.yaml', '/spec/weighted/services/0/weight'],
    ['HTTPProxy/2-weight-5.yaml', '/spec/routes/0/services/0/weight'],
    ['NginxIngress/3-weight-5.yaml', '/spec/rules'],
  ])('what is wrong in %s at %s', async (file, path) => {
    const [value] = structuredClone(documentsIn(file));
    const keys = path.split('/').slice(1);
    const last = keys.pop() ?? '';
    let parent: unknown = value;
    for (const key of keys) parent = (parent as Record<string, unknown>)[key];
    (parent as Record<string, unknown>)[last] = 'five';
    const model = await modelOf(value!);
    expect(() => new model!(value!).validate()).toThrow();
  });
});

describe(`the rules say what the API server said (${answers.server})`, () => {
  test.each(answers.answers.map(({ object, refused }, place) => [`${place} ${object.kind}`, object, refused] as const))(
    '%s',
    (_, object, refused) => {
      const seen = refusals(object as JsonObject).map((words) => words.slice(words.indexOf(': ') + 2));
      expect([...new Set(seen)].toSorted()).toEqual(refused.toSorted());
    },
  );
});
