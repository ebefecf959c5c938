/** Approvals that a RolloutPolicy asks for, each proven by the forge: `{people, team, bots, notAuthor, distinct}`. */

import type { FieldReader } from './field-reader.ts';
import type { JsonObject } from './json.ts';

/** One requirement of one policy. */
export type PolicyApproval = {
  /** How many accounts, each with a right to write: by a review at the merged commit, or by the merge itself. */
  readonly people: number;
  /** Logins of machines that count as people do; of a GitHub App with `[bot]`. */
  readonly bots: readonly string[];
  /** Who made the change that is delivered does not count: authors, co-authors, who opened and who merged it. */
  readonly notAuthor: boolean;
  /** Only its members count, as the forge tells them now: `org/name`. */
  readonly team?: string;
  /** Who counts for it counts for no other requirement. Not there: one person may satisfy several. */
  readonly distinct?: true;
};

/** Requirements of one policy. */
const APPROVALS_LIMIT = 10;
const PEOPLE = { min: 1, max: 10 } as const;
const BOTS_LIMIT = 20;
const LOGIN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?$/;
// The organisation, and the name of the team as it stands in its address.
const TEAM = /^[A-Za-z0-9][A-Za-z0-9-]{0,99}\/[a-z0-9][a-z0-9._-]{0,99}$/;

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
      team: { type: 'string', pattern: TEAM.source },
      distinct: { type: 'boolean' },
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
  reader.allow(['people', 'team', 'bots', 'notAuthor', 'distinct']);
  const bots = reader.words('bots', {
    pattern: LOGIN,
    limit: BOTS_LIMIT,
    wanted: 'logins, as renovate[bot]',
    left: '',
  });
  const notAuthor = reader.boolean('notAuthor', false);
  const team = readTeam(reader);
  if (team !== undefined && bots !== undefined)
    reader.fault(
      'bots',
      'BadApproval',
      'names machines next to a team, and machines are in no team',
      'Give the machines a requirement of their own.',
    );
  return {
    people: reader.integer('people', PEOPLE) ?? 1,
    bots: bots ?? [],
    notAuthor,
    ...(team === undefined ? {} : { team }),
    ...(reader.boolean('distinct', false) ? { distinct: true } : {}),
  };
}

function readTeam(reader: FieldReader): string | undefined {
  if (!reader.has('team')) return undefined;
  const team = reader.text('team');
  if (TEAM.test(team)) return team;
  if (team !== '')
    reader.fault(
      'team',
      'BadApproval',
      `is ${JSON.stringify(team)}, wanted a team as org/name`,
      'Write the organisation and the name in the address of the team, for example example/sre.',
    );
  return undefined;
}
