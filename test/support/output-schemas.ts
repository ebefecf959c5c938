/** Holds what `--output json` prints against the published schemas: strictly, and with a look at which fields ever occur. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

type Schema = { readonly [key: string]: unknown };

export const SCHEMAS = ['status', 'history', 'verify-history'] as const;
type Output = (typeof SCHEMAS)[number];

const published = (output: Output): Schema =>
  JSON.parse(readFileSync(new URL(`../../schemas/${output}.schema.json`, import.meta.url), 'utf8')) as Schema;

/** Readers pass over fields that they do not know; what we print has none. */
function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict);
  if (typeof value !== 'object' || value === null) return value;
  const all = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, strict(one)]));
  return typeof all['properties'] === 'object' && all['type'] === 'object'
    ? { ...all, additionalProperties: false }
    : all;
}

const checks = {
  status: new Ajv2020({ strict: true }).compile(strict(published('status')) as Schema),
  history: new Ajv2020({ strict: true }).compile(strict(published('history')) as Schema),
  'verify-history': new Ajv2020({ strict: true }).compile(strict(published('verify-history')) as Schema),
};

/** The value that the text is; throws where the schema does not describe it. */
export function checkedOutput(output: Output, text: string): unknown {
  const value: unknown = JSON.parse(text);
  const check = checks[output];
  if (!check(value)) throw new Error(`not as schemas/${output}.schema.json: ${JSON.stringify(check.errors)}\n${text}`);
  return value;
}

/** Paths of all fields that the schema has: `rollouts[].step.index`. */
export function fieldsOf(output: Output): readonly string[] {
  const root = published(output);
  const of = (schema: Schema, path: string): readonly string[] => {
    const ref = schema['$ref'];
    if (typeof ref === 'string') return of((root['$defs'] as Record<string, Schema>)[ref.slice(8)] as Schema, path);
    if (schema['type'] === 'array') return of(schema['items'] as Schema, `${path}[]`);
    const below = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
    return below.flatMap(([key, one]) => {
      const here = path === '' ? key : `${path}.${key}`;
      return [here, ...of(one, here)];
    });
  };
  return of(root, '');
}

/** The same of a value. */
export function pathsOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => pathsOf(one, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => {
    const here = path === '' ? key : `${path}.${key}`;
    return [here, ...pathsOf(one, here)];
  });
}
