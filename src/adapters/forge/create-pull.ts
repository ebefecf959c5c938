/** Opens a pull request once, however often it is asked for: what is there and ours is adopted. */

import type { Answer, Created, ForgeRefused, NewPull, Pull } from '../../ports/forge.ts';
import { PortError } from '../../ports/port-error.ts';
import { askReviewers } from './ask-reviewers.ts';
import { type ForgeCaller, forgeError } from './call.ts';
import { heard, isByUs } from './own.ts';
import { garbled, idAt } from './pulls.ts';
import { listAt, pullOf, textAt } from './read-pull.ts';
import { refused } from './refusals.ts';

/** Opens a pull request or adopts that of its branch. Throws PortError where it is not known whether there is one now. */
export async function createPull(caller: ForgeCaller, wanted: NewPull): Promise<Answer<Created>> {
  const operation = `open a pull request of ${wanted.branch}`;
  const reply = await caller.call({
    route: 'POST /repos/{owner}/{repo}/pulls',
    operation,
    parameters: { head: wanted.branch, base: wanted.base, title: wanted.title, body: wanted.body },
  });
  if (reply.kind === 'deferred') return reply;
  if (reply.kind === 'reply') {
    const pull = pullOf(reply.data, undefined) ?? garbled(caller, operation);
    return labelled(caller, wanted, await opened(caller, wanted, { pull, isAdopted: false }));
  }
  if (reply.kind === 'refused' && !/already exists/i.test(reply.said)) return reply;
  return adopt(caller, wanted, reply);
}

/** What the branch has, looked for again for a while: a list may come from a copy that has not heard of it yet. */
async function adopt(
  caller: ForgeCaller,
  wanted: NewPull,
  why: ForgeRefused | { readonly kind: 'unheard'; readonly error: PortError },
): Promise<Answer<Created>> {
  const operation = `look for the pull request of ${wanted.branch}`;
  for (const pause of [0, ...caller.limits.retryPauses]) {
    if (pause > 0) await caller.pace.pause(pause);
    const reply = heard(
      await caller.call({
        route: 'GET /repos/{owner}/{repo}/pulls',
        operation,
        parameters: { head: `${caller.address.owner}:${wanted.branch}`, state: 'open', per_page: 10 },
      }),
    );
    if (reply.kind !== 'reply') return reply;
    const [found] = listAt(reply.data).filter((item) => textAt(item, 'head', 'ref') === wanted.branch);
    if (found === undefined) continue;
    const pull = pullOf(found, undefined) ?? garbled(caller, operation);
    const mine = await isByUs(caller, idAt(found, 'user', 'id'));
    if (mine.kind !== 'done') return mine;
    const fault = faultOf(pull, wanted, mine.value);
    if (fault !== undefined) return taken(wanted, pull, fault);
    const there = { pull, isAdopted: true };
    // It was opened a moment ago by us, and the answer was lost; an older one has asked for reviews before.
    const created = why.kind === 'unheard' ? await opened(caller, wanted, there) : { ...there, unasked: [] };
    return labelled(caller, wanted, created);
  }
  if (why.kind === 'unheard') throw why.error;
  throw forgeError(`the forge has a pull request of ${wanted.branch} that it does not list`, {
    operation,
    retryable: true,
    hint: '',
  });
}

function taken({ branch }: NewPull, { number }: Pull, fault: string): ForgeRefused {
  return refused(
    'BranchTaken',
    `pull request ${number} has the branch ${branch} already: ${fault}`,
    `Close it and delete its branch where nobody needs it; rules for the prefix keep others off (policies/github)`,
  );
}

/** Asks for its reviews. Where that fails the pull request is one all the same. */
async function opened(
  caller: ForgeCaller,
  { reviewers }: NewPull,
  created: Omit<Created, 'unasked'>,
): Promise<Created> {
  if (reviewers.length === 0) return { ...created, unasked: [] };
  try {
    return { ...created, unasked: await askReviewers(caller, { number: created.pull.number, reviewers }) };
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return { ...created, unasked: reviewers.map((name) => ({ name, why: error.message })) };
  }
}

function faultOf(pull: Pull, wanted: NewPull, isOurs: boolean): string | undefined {
  if (!isOurs) return `it is by ${pull.author.login}`;
  if (!pull.isSameRepository) return 'it comes from a fork';
  if (pull.base !== wanted.base) return `its base is ${pull.base}, wanted ${wanted.base}`;
  return pull.head === wanted.head ? undefined : `it holds ${pull.head}, wanted ${wanted.head}`;
}

async function labelled(caller: ForgeCaller, wanted: NewPull, created: Created): Promise<Answer<Created>> {
  const missing = wanted.labels.filter((label) => !created.pull.labels.includes(label));
  if (missing.length === 0) return { kind: 'done', value: created };
  const { number } = created.pull;
  const reply = heard(
    await caller.call({
      route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels',
      operation: `label pull request ${number}`,
      parameters: { issue_number: number, labels: missing },
      isRepeatable: true,
    }),
  );
  // Labels are for people alone: a pull request without them is one all the same.
  if (reply.kind !== 'reply') return { kind: 'done', value: created };
  const labels = [...created.pull.labels, ...missing];
  return { kind: 'done', value: { ...created, pull: { ...created.pull, labels } } };
}
