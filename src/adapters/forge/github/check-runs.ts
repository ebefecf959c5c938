/** Shows a check run at a commit: for people, so it never fails and never passes. Only an App may write one. */

import type { Answer, NewCheck } from '../../../ports/forge.ts';
import type { ForgeCaller } from './call.ts';
import { heard, readLogin } from './own.ts';
import { idAt, listAt, textAt } from './read-pull.ts';
import { refused } from './refusals.ts';

const done: Answer<void> = { kind: 'done', value: undefined };

/** Writes the one of this name again where it says something else; that of another App is left alone. Throws PortError. */
export async function writeCheck(caller: ForgeCaller, check: NewCheck): Promise<Answer<void>> {
  const { oid, name, title, summary } = check;
  const operation = `show the check ${name} of ${oid.slice(0, 8)}`;
  const self = await readLogin(caller);
  if (self.kind !== 'done') return self;
  const { login, slug } = self.value;
  if (slug === undefined)
    return refused(
      'PermissionMissing',
      `${login} is no App, and only an App may write check runs`,
      'Use a GitHub App with Checks: write',
    );
  const read = heard(
    await caller.call({
      route: 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
      operation,
      parameters: { ref: oid, check_name: name, filter: 'latest', per_page: 100 },
    }),
  );
  if (read.kind !== 'reply') return read;
  const there = listAt(read.data, 'check_runs').find(
    (run) => textAt(run, 'app', 'slug') === slug && textAt(run, 'name') === name,
  );
  const id = idAt(there, 'id');
  const isSame = textAt(there, 'output', 'title') === title && textAt(there, 'output', 'summary') === summary;
  if (id !== undefined && isSame) return done;
  const output = { title, summary };
  const reply = heard(
    await caller.call(
      id === undefined
        ? {
            route: 'POST /repos/{owner}/{repo}/check-runs',
            operation,
            // What is completed cannot be taken back to be in progress, and what is in progress holds up who waits for all.
            parameters: { name, head_sha: oid, status: 'completed', conclusion: 'neutral', output },
            // Of two of one name the newest is shown.
            isRepeatable: true,
          }
        : {
            route: 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
            operation,
            parameters: { check_run_id: id, output },
            isRepeatable: true,
          },
    ),
  );
  return reply.kind === 'reply' ? done : reply;
}
