/** Approvals that a RolloutPolicy asks for, each of them proven by the forge: `{people, bots, notAuthor}`. */

import type { FieldReader } from './field-reader.ts';
import type { JsonObject } from './json.ts';

/** One requirement of one policy. */
export type PolicyApproval = {
  /** So many accounts, each with a right to write: by a review at the merged commit, or by the merge itself. */
  readonly people: number;
  /** Logins of machines that count as people do; of a GitHub App with `[bot]`. */
  readonly bots: readonly string[];
  /** Who made the change that is delivered does not count: authors, co-authors, who opened and who merged it. */
  readonly notAuthor: boolean;
};

/** Requirements of one policy. */
const APPROVALS_LIMIT = 10;
const PEOPLE = { min: 1, max: 10 } as const;
const BOTS_LIMIT = 20;
const LOGIN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?$/;

/** What an editor may know of them. */
export const APPROVALS_SCHEMA: JsonObject = {
  type: 'array',
  minItems: 1,
  maxItems: APPROVALS_LIMIT,
  items: {
    type: 'object',
    additionalProperties: false,
    properties: {
      people: { type: 'integer', minimum: PEOPLE.min, maximum: PEOPLE.max },
      notAuthor: { type: 'boolean' },
      bots: { type: 'array', minItems: 1, maxItems: BOTS_LIMIT, items: { type: 'string', pattern: LOGIN.source } },
    },
  },
};

/** Reads a list of requirements; undefined: not there, or a fault. */
export function readApprovals(spec: FieldReader, key: string): readonly PolicyApproval[] | undefined {
  if (!spec.has(key)) return undefined;
  const before = spec.faults.length;
  const approvals = spec.objects(key, APPROVALS_LIMIT).map(readApproval);
  if (approvals.length === 0 && spec.faults.length === before)
    spec.fault(
      key,
      'BadApproval',
      'is an empty list, which asks for nothing',
      'Write a requirement, as {people: 1}, or leave the field out.',
    );
  return spec.faults.length > before ? undefined : approvals;
}

function readApproval(reader: FieldReader): PolicyApproval {
  reader.allow(['people', 'bots', 'notAuthor']);
  const bots = reader.words('bots', { pattern: LOGIN, limit: BOTS_LIMIT, wanted: 'logins, as renovate[bot]' });
  const notAuthor = reader.boolean('notAuthor', false);
  return { people: reader.integer('people', PEOPLE) ?? 1, bots: bots ?? [], notAuthor };
}
