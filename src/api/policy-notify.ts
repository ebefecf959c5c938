/** Who is notified of a delivery, as people write it: `{to, as, events}`. Files name a target; the runner knows where it is. */

import type { FieldReader } from './field-reader.ts';
import type { JsonObject } from './json.ts';

/** The events of notifications, in the order in which they come. */
export const NOTICE_EVENTS = ['started', 'step', 'holdTooLong', 'failed', 'aborted', 'done'] as const;
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];
/** `slack`: the JSON of an incoming webhook of Slack, which others take as well; `webhook`: our own. */
const NOTICE_FORMS = ['slack', 'webhook'] as const;
export type NoticeForm = (typeof NOTICE_FORMS)[number];

export type PolicyNotify = {
  /** Names the target in the environment of the runner. */
  readonly to: string;
  readonly as: NoticeForm;
  readonly events: readonly NoticeEvent[];
};

/** Targets of one policy. */
const TARGETS_LIMIT = 10;
// What ends so is the name of a credential in the environment.
const TARGET = /^(?!allow-private$)(?!.*-token$)[a-z0-9][a-z0-9-]{0,39}$/;

/** What an editor may know of them. */
export const NOTIFY_SCHEMA: JsonObject = {
  type: 'array',
  minItems: 1,
  maxItems: TARGETS_LIMIT,
  items: {
    type: 'object',
    required: ['to', 'as'],
    additionalProperties: false,
    properties: {
      to: { type: 'string', pattern: TARGET.source },
      as: { enum: [...NOTICE_FORMS] },
      events: { type: 'array', minItems: 1, maxItems: NOTICE_EVENTS.length, items: { enum: [...NOTICE_EVENTS] } },
    },
  },
};

/** Reads a list of targets; undefined: not there, or a fault. Without `events`, a target gets all. */
export function readNotify(spec: FieldReader, key: string): readonly PolicyNotify[] | undefined {
  if (!spec.has(key)) return undefined;
  const before = spec.faults.length;
  const targets = spec.objects(key, TARGETS_LIMIT).map(readTarget);
  if (targets.length === 0 && spec.faults.length === before)
    spec.fault(key, 'BadTarget', 'is an empty list', 'Write a target, or leave the field out.');
  return spec.faults.length > before ? undefined : targets.filter((target) => target !== undefined);
}

function readTarget(reader: FieldReader): PolicyNotify | undefined {
  reader.allow(['to', 'as', 'events']);
  const to = reader.text('to');
  if (to !== '' && !TARGET.test(to))
    reader.fault(
      'to',
      'BadTarget',
      `is ${JSON.stringify(to)}, wanted a name of lower-case letters, digits and -, and no address`,
      'Name it as the environment of the runner does: prod for TRANCHE_NOTIFY_PROD.',
    );
  if (!reader.has('as')) reader.fault('as', 'Missing', 'is missing, wanted slack or webhook', 'Add it.');
  const as = reader.word('as', NOTICE_FORMS);
  const wanted = `of: ${NOTICE_EVENTS.join(', ')}`;
  const named = reader.words('events', { pattern: EVENT, limit: NOTICE_EVENTS.length, wanted, choices: NOTICE_EVENTS });
  const events = named === undefined ? NOTICE_EVENTS : NOTICE_EVENTS.filter((event) => named.includes(event));
  return as === undefined ? undefined : { to, as, events };
}

const EVENT = new RegExp(`^(${NOTICE_EVENTS.join('|')})$`);
