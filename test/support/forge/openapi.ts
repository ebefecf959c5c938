/** GitHub's published description: checks what is asked and answered by it, and fills in what an answer must hold. */

import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { at, isRecord } from '../../../src/api/json.ts';

type Schema = { readonly [key: string]: unknown };
type Operation = {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Schema[];
  readonly requestBody?: Schema;
  readonly responses: Readonly<Record<string, Schema>>;
};
type Description = {
  readonly operations: readonly Operation[];
  readonly definitions: Readonly<Record<string, Schema>>;
};

const file = new URL('../../../fixtures/github/openapi.json', import.meta.url);

/** What was asked, split into what the description speaks of. */
export type Asked = {
  readonly method: string;
  /** Below the API, as `/repos/team/gitops/pulls`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
};

export type Matched = { readonly operation: Operation; readonly parameters: Readonly<Record<string, string>> };

export class Openapi {
  private readonly description: Description = JSON.parse(readFileSync(file, 'utf8'));
  private readonly ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false });
  private readonly compiled = new Map<string, ValidateFunction>();
  private readonly samples = new Map<string, unknown>();

  constructor() {
    const definitions = Object.fromEntries(
      Object.entries(this.description.definitions)
        .filter(([pointer]) => pointer.startsWith('#/components/schemas/'))
        .map(([pointer, schema]) => [nameOf(pointer), plain(schema)]),
    );
    this.ajv.addSchema({ $id: 'github', definitions });
  }

  /** The operation of a request; undefined: none of those that the adapter may ask. */
  match(method: string, path: string): Matched | undefined {
    for (const operation of this.description.operations) {
      if (operation.method !== method.toLowerCase()) continue;
      const names: string[] = [];
      const pattern = operation.path.replace(/\{(\w+)\}/g, (_all, name: string) => {
        names.push(name);
        // A branch and a ref may hold slashes, which Octokit escapes.
        return '([^/]+)';
      });
      const found = new RegExp(`^${pattern}$`).exec(path);
      if (found === null) continue;
      const values = found.slice(1).map(decodeURIComponent);
      const parameters = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
      return { operation, parameters };
    }
    return undefined;
  }

  /** What of a request is not as described; empty: nothing. */
  requestFaults({ operation, parameters }: Matched, { query, body }: Asked): readonly string[] {
    const described = operation.parameters.map((one) => this.resolved(one));
    const known = described.filter((one) => one['in'] === 'query');
    const unknownKeys = [...query.keys()].filter((key) => !known.some((one) => one['name'] === key));
    const given = described.flatMap((one) => {
      const name = String(one['name']);
      const value = one['in'] === 'path' ? parameters[name] : (query.get(name) ?? undefined);
      const schema = one['schema'];
      if (value === undefined || !isRecord(schema)) return one['required'] === true ? [`${name} is missing`] : [];
      const { type } = this.resolved(schema);
      return this.faults(schema, type === 'integer' ? Number(value) : value, `${operation.path} ${name}`);
    });
    const content = at(operation.requestBody, ['content', 'application/json', 'schema']);
    const isBodyWanted = at(operation.requestBody, ['required']) === true;
    const ofBody = !isRecord(content)
      ? body === undefined
        ? []
        : ['there is a body']
      : body === undefined && !isBodyWanted
        ? []
        : [...this.faults(content, body, `${operation.method} ${operation.path} body`), ...strayFields(content, body)];
    return [...unknownKeys.map((key) => `query ${key} is not described`), ...given, ...ofBody];
  }

  /** What of an answer is not as described. Statuses that every operation can answer are not listed with each. */
  responseFaults({ operation }: Matched, status: number, body: unknown): readonly string[] {
    const response = operation.responses[String(status)];
    if (response === undefined)
      return [304, 401, 403, 404, 422, 429, 502, 503].includes(status) ? [] : [`status ${status}`];
    const content = at(this.resolved(response), ['content', 'application/json', 'schema']);
    return isRecord(content) ? this.faults(content, body, `${operation.method} ${operation.path} ${status}`) : [];
  }

  /** A value of a schema with its required fields alone, and these on top. */
  sample(name: string, fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const pointer = `#/components/schemas/${name}`;
    const made = this.samples.get(name) ?? this.made({ ...this.resolved({ $ref: pointer }), nullable: false }, 0);
    this.samples.set(name, made);
    if (!isRecord(made)) throw new Error(`${name} is no object`);
    return { ...made, ...fields };
  }

  private resolved(schema: Schema): Schema {
    const { $ref: pointer } = schema;
    return typeof pointer === 'string' ? this.resolved(this.description.definitions[pointer] ?? {}) : schema;
  }

  private faults(schema: Schema, value: unknown, key: string): readonly string[] {
    const check = this.compiled.get(key) ?? this.ajv.compile(withHome(plain(schema)));
    this.compiled.set(key, check);
    if (check(value)) return [];
    return (check.errors ?? []).map(({ instancePath, message }) => `${key}${instancePath} ${message}`);
  }

  private made(schema: Schema, depth: number): unknown {
    const one = this.resolved(schema);
    const [choice] = [one['anyOf'], one['oneOf']].filter((list) => Array.isArray(list));
    if (one['nullable'] === true) return null;
    if (Array.isArray(one['allOf']))
      return Object.assign({}, ...one['allOf'].map((part: unknown) => (isRecord(part) ? this.made(part, depth) : {})));
    if (one['type'] !== 'object' && Array.isArray(choice) && isRecord(choice[0])) return this.made(choice[0], depth);
    if (Array.isArray(one['enum'])) return one['enum'][0];
    if (one['type'] === 'array') return [];
    if (one['type'] === 'integer' || one['type'] === 'number') return 0;
    if (one['type'] === 'boolean') return false;
    if (one['type'] === 'string')
      return one['format'] === 'date-time' ? '2026-01-01T00:00:00Z' : 'https://forge.example';
    const required: readonly unknown[] = Array.isArray(one['required']) ? one['required'] : [];
    return Object.fromEntries(
      required.map((name) => {
        const property = at(one['properties'], [String(name)]);
        return [String(name), isRecord(property) && depth < 20 ? this.made(property, depth + 1) : null];
      }),
    );
  }
}

/** `#/components/schemas/pull-request` → `schemas.pull-request`, which needs no escapes in a pointer. */
function nameOf(pointer: string): string {
  return pointer.replace('#/components/', '').replaceAll('/', '.');
}

/** As JSON Schema has it: `nullable` is a choice, and definitions are in one place. */
function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain);
  if (!isRecord(schema)) return schema;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([key, part]) => [
      key,
      key === '$ref' && typeof part === 'string'
        ? `#/definitions/${nameOf(part)}`
        : key === 'enum'
          ? part
          : plain(part),
    ]),
  );
  if (nullable !== true) return rest;
  return { anyOf: [{ type: 'null' }, rest] };
}

/** A schema that stands alone finds the definitions of all. */
function withHome(schema: unknown): Schema {
  const restored: unknown = JSON.parse(JSON.stringify(schema).replaceAll('"#/definitions/', '"github#/definitions/'));
  return isRecord(restored) ? restored : {};
}

/** GitHub ignores fields that it does not know, which hides a mistyped one. */
function strayFields(schema: unknown, body: unknown): readonly string[] {
  const properties = at(schema, ['properties']);
  if (!isRecord(properties) || !isRecord(body)) return [];
  return Object.keys(body)
    .filter((key) => !(key in properties))
    .map((key) => `body ${key} is not described`);
}
