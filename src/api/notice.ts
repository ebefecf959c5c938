/** What a record keeps of what people are to be told, until they were. */

import type { NoticeEvent, NoticeForm } from './policy-notify.ts';
import type { Instant } from './time.ts';

export type Notice = {
  /** The same however often it is sent: who gets it twice knows it by this. */
  readonly key: string;
  readonly event: NoticeEvent;
  /** With all digits, as `parseRelease` reads it. */
  readonly release: string;
  /** One line. */
  readonly text: string;
  readonly at: Instant;
  /** Who has yet to be told. */
  readonly to: readonly { readonly to: string; readonly as: NoticeForm }[];
};

export type Notices = {
  /** What is to be told, the oldest first. */
  readonly outbox: readonly Notice[];
  /** Keys of what was told last, the newest last. */
  readonly told: readonly string[];
};
