/** Labels a pull request and asks for its reviews, each once: what was ever done is read from its events, and not done again. */

import type { Answer, Attachments, Unasked } from '../../../ports/forge.ts';
import { askReviewers } from './ask-reviewers.ts';
import type { ForgeCaller } from './call.ts';
import { heard } from './own.ts';
import { readPages } from './pages.ts';
import { textAt } from './read-pull.ts';

/** Throws PortError where it is not known whether all of it was done: asked for again, it does what is left. */
export async function attach(
  caller: ForgeCaller,
  { number, labels, reviewers }: Attachments,
): Promise<Answer<readonly Unasked[]>> {
  const operation = `read what was done with pull request ${number}`;
  const read = await readPages(caller, {
    route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/events',
    operation,
    parameters: { issue_number: number },
  });
  if (read.kind !== 'done') return read;
  const { owner } = caller.address;
  const labelled = new Set(read.value.flatMap((event) => nameAt(event, 'labeled', ['label', 'name'])));
  const asked = new Set(
    read.value.flatMap((event) => [
      ...nameAt(event, 'review_requested', ['requested_reviewer', 'login']),
      ...nameAt(event, 'review_requested', ['requested_team', 'slug']).map((slug) => `${owner.toLowerCase()}/${slug}`),
    ]),
  );
  const missing = labels.filter((label) => !labelled.has(label.toLowerCase()));
  if (missing.length > 0) {
    const reply = heard(
      await caller.call({
        route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels',
        operation: `label pull request ${number}`,
        parameters: { issue_number: number, labels: missing },
        isRepeatable: true,
      }),
    );
    // Labels are for people alone: where they are refused, reviews are asked for all the same.
    if (reply.kind === 'deferred') return reply;
  }
  const left = reviewers.filter((name) => !asked.has(name.toLowerCase()));
  return left.length === 0 ? { kind: 'done', value: [] } : askReviewers(caller, { number, reviewers: left });
}

/** GitHub takes no notice of how names are written. */
function nameAt(event: unknown, kind: string, path: readonly string[]): readonly string[] {
  const name = textAt(event, 'event') === kind ? textAt(event, ...path) : undefined;
  return name === undefined ? [] : [name.toLowerCase()];
}
