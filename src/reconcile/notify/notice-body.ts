/** A notice as JSON, in the forms that targets take. Text of people and of the cluster calls nobody and formats nothing. */

import type { Notice } from '../../api/notice.ts';
import type { NoticeForm } from '../../api/policy-notify.ts';
import { printableLine } from '../../api/printable.ts';
import { inShort } from '../../api/release.ts';
import { printInstant } from '../../api/time.ts';
import type { RolloutKey } from '../../rollout/snapshot.ts';

const VERSION = 1;

/** The body for one target. */
export function noticeBody(
  form: NoticeForm,
  { key, notice }: { readonly key: RolloutKey; readonly notice: Notice },
): string {
  return JSON.stringify(BODIES[form](key, notice));
}

const BODIES: Readonly<Record<NoticeForm, (key: RolloutKey, notice: Notice) => object>> = {
  // `mrkdwn` and `parse` off: a `*` or an `@here` of a message is only that.
  slack: (key, notice) => ({ text: slackText(lineOf(key, notice)), mrkdwn: false, parse: 'none', link_names: false }),
  webhook: ({ cluster, namespace, name }, { key, event, release, text, at }) => ({
    version: VERSION,
    key,
    event,
    cluster,
    namespace,
    name,
    release,
    text: printableLine(text),
    at: printInstant(at),
  }),
};

function lineOf({ cluster, namespace, name }: RolloutKey, { event, release, text }: Notice): string {
  return `${namespace}/${name} in ${cluster}: ${SAID[event]} (${inShort(release)}). ${text}`;
}

const SAID = {
  started: 'a delivery starts',
  step: 'next step',
  holdTooLong: 'stands still',
  failed: 'a step has failed',
  aborted: 'aborted',
  done: 'done',
} as const satisfies Readonly<Record<Notice['event'], string>>;

/** Slack reads `<!channel>`, `<@U1>` and `<http…|…>`; these three signs are all that it wants encoded. */
function slackText(text: string): string {
  return printableLine(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
