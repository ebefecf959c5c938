/** The shape of the notifications that a record keeps. */

import type { Notice, Notices } from '../../api/notice.ts';
import { instant } from './record-proposal-shape.ts';
import { list, object, type Shape, text, word } from './shape.ts';

const target = object({
  to: text,
  as: word<Notice['to'][number]['as']>({ slack: true, webhook: true }),
} satisfies Shape<Notice['to'][number]>);

const notice = object({
  key: text,
  event: word<Notice['event']>({
    started: true,
    step: true,
    holdTooLong: true,
    failed: true,
    aborted: true,
    done: true,
  }),
  release: text,
  text,
  at: instant,
  to: list(target),
} satisfies Shape<Notice>);

export const notices = object({ outbox: list(notice), told: list(text) } satisfies Shape<Notices>);
