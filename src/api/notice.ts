/** What a record keeps of notifications until they are sent. */

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
  /** The targets that are still to be notified. */
  readonly to: readonly { readonly to: string; readonly as: NoticeForm }[];
};

export type Notices = {
  /** Notifications to send, the oldest first. */
  readonly outbox: readonly Notice[];
  /** Keys of the last notifications that were sent, the newest last. */
  readonly told: readonly string[];
};
