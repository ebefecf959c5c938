/** The only writer of pull requests and their branches. Makes no decision about a rollout. */

import type { Answer, Attachments, Created, Forge, NewPull, Unasked } from '../../ports/forge.ts';
import type { Git, NewCommit, Oid, PushResult } from '../../ports/git.ts';
import { explain, PortError } from '../../ports/port-error.ts';

/** A branch that is made once, and never moved by us. */
export type NewBranch = { readonly branch: string; readonly base: Oid; readonly commit: NewCommit };

/** Makes the branch; `commits`, oldest first. `moved`: there is one of that name. */
export function createBranch(
  git: Git,
  { branch, base, commits }: Pick<NewBranch, 'branch' | 'base'> & { readonly commits: readonly NewCommit[] },
): Promise<PushResult> {
  return git.push([{ branch, expectedOld: undefined, base, commits }]);
}

/** Takes the branch away where it still is where it was seen; a refusal leaves it, and the pull request is closed anyway. */
export async function deleteBranch(git: Git, branch: string): Promise<void> {
  const [head] = await git.heads([branch]);
  if (head !== undefined) await git.push([{ branch, expectedOld: head, isDeleted: true }]);
}

/** What a call to the forge came to: `unavailable` where the world failed, which is no answer. */
export type ForgeAnswer<T> = Answer<T> | { readonly kind: 'unavailable'; readonly why: string };

/** Asks the forge; a world that fails becomes an answer, because main goes on without one. */
export async function ask<T>(call: () => Promise<Answer<T>>): Promise<ForgeAnswer<T>> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof PortError) return { kind: 'unavailable', why: explain(error) };
    throw error;
  }
}

/** `isAdopted`: it was there, and may say what was true then. */
type Opened = { readonly number: number; readonly url: string } & Pick<Created, 'isAdopted'>;

/** Opens it, or finds that it is open. */
export function openPull(forge: Forge, pull: NewPull): Promise<ForgeAnswer<Opened>> {
  return ask(async () => {
    const answer = await forge.create(pull);
    if (answer.kind !== 'done') return answer;
    const { pull: there, isAdopted } = answer.value;
    return { kind: 'done', value: { number: there.number, url: there.url, isAdopted } };
  });
}

/** Labels it, and asks for reviews. */
export function attachTo(forge: Forge, attachments: Attachments): Promise<ForgeAnswer<readonly Unasked[]>> {
  return ask(() => forge.attach(attachments));
}

/** Writes title and body where they differ. */
export function writePull(
  forge: Forge,
  { number, ...text }: { readonly number: number; readonly title: string; readonly body: string },
): Promise<ForgeAnswer<void>> {
  return ask(() => forge.update(number, text));
}

/** Says why, and closes it. */
export function closePull(
  forge: Forge,
  of: { readonly number: number; readonly why: string },
): Promise<ForgeAnswer<void>> {
  return ask(() => forge.close(of.number, of.why));
}

/** The one comment of ours on what became of it, written once and edited from then on. */
export function tellPull(
  forge: Forge,
  of: { readonly number: number; readonly body: string },
): Promise<ForgeAnswer<void>> {
  return ask(() => forge.comment({ number: of.number, key: 'progress', body: of.body }));
}

/** What a rule of the forge can require. */
export const GATE = 'tranche/gate';

/** What people read next to it. A rule takes a check run of the name of a status for that status, so it is another name. */
export const CHECK = 'tranche/progress';

/** Shows at the head how what it waits for stands, in numbers. */
export function showCheck(
  forge: Forge,
  of: { readonly oid: Oid; readonly title: string; readonly summary: string },
): Promise<ForgeAnswer<void>> {
  return ask(() => forge.showCheck({ name: CHECK, ...of }));
}

/** Says at the head whether every gate but the person's is open. */
export function setGate(
  forge: Forge,
  of: { readonly oid: Oid; readonly isOpen: boolean; readonly said: string },
): Promise<ForgeAnswer<void>> {
  const state = of.isOpen ? 'success' : 'failure';
  return ask(() => forge.setStatus({ oid: of.oid, context: GATE, state, description: of.said, url: undefined }));
}
