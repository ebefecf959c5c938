/** Opens a pull request once, however often it is asked for: what is there and ours is adopted. */

import type { Answer, Created, ForgeRefused, NewPull, Pull } from '../../../ports/forge.ts';
import type { PortError } from '../../../ports/port-error.ts';
import { type ForgeCaller, forgeError } from './call.ts';
import { isByUs } from './own.ts';
import { readOfBranch } from './own-branches.ts';
import { garbled } from './pages.ts';
import { idAt, pullOf, textAt } from './read-pull.ts';
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
    return { kind: 'done', value: { pull, isAdopted: false } };
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
    const listed = await readOfBranch(caller, wanted.branch, { state: 'open' });
    if (listed.kind !== 'done') return listed;
    const found = listed.value.find((item) => textAt(item, 'head', 'ref') === wanted.branch);
    if (found === undefined) continue;
    const pull = pullOf(found, undefined) ?? garbled(caller, operation);
    const mine = await isByUs(caller, idAt(found, 'user', 'id'));
    if (mine.kind !== 'done') return mine;
    const fault = faultOf(pull, wanted, mine.value);
    if (fault !== undefined) return taken(wanted, pull, fault);
    return { kind: 'done', value: { pull, isAdopted: true } };
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

function faultOf(pull: Pull, wanted: NewPull, isOurs: boolean): string | undefined {
  if (!isOurs) return `it is by ${pull.author.login}`;
  if (pull.base !== wanted.base) return `its base is ${pull.base}, wanted ${wanted.base}`;
  return pull.head === wanted.head ? undefined : `it holds ${pull.head}, wanted ${wanted.head}`;
}
