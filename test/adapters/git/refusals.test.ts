/** What servers say about pushes, as recorded, and what we take it to mean. */

import { expect, test } from 'vitest';
import { quoted, verdictOf } from '../../../src/adapters/git/refusals.ts';

test.each([
  // host, text → verdict
  ['git', 'failed to update ref', 'moved'],
  ['git', 'atomic transaction failed', 'together'],
  ['git', 'atomic push failure', 'together'],
  ['git', "cannot lock ref 'refs/heads/main': is at 1234 but expected 5678", 'moved'],
  ['git', "cannot lock ref 'refs/heads/main': reference already exists", 'moved'],
  ['git', 'non-fast-forward', 'moved'],
  ['git', 'fetch first', 'moved'],
  ['git', 'stale info', 'moved'],
  [
    'git',
    "cannot lock ref 'refs/heads/tranche/x': 'refs/heads/tranche' exists; cannot create 'refs/heads/tranche/x'",
    'refused',
  ],
  ['git', 'pre-receive hook declined', 'refused'],
  ['git', 'hook declined', 'refused'],
  ['git', 'branch is currently checked out', 'refused'],
  ['git', 'denying non-fast-forward refs/heads/main (you should pull first)', 'refused'],
  ['git', 'deny updating a hidden ref', 'refused'],
  ['git', 'missing necessary objects', 'unknown'],
  ['git', 'unpacker error', 'unknown'],
  ['GitHub', 'protected branch hook declined', 'refused'],
  ['GitHub', 'error: GH006: Protected branch update failed for refs/heads/main.', 'refused'],
  ['GitHub', 'error: GH013: Repository rule violations found for refs/heads/main.', 'refused'],
  ['GitHub', "cannot lock ref 'refs/heads/main': is at aa but expected bb", 'moved'],
  ['GitHub', 'push declined due to repository rule violations', 'refused'],
  [
    'GitHub',
    'refusing to allow a GitHub App to create or update workflow `.github/workflows/x.yml` without `workflows` permission',
    'refused',
  ],
  ['GitLab', 'incorrect old value provided', 'moved'],
  ['GitLab', 'GitLab: You are not allowed to push code to protected branches on this project.', 'refused'],
  ['GitLab', 'GL-HOOK-ERR: commits must be signed', 'refused'],
  ['Gitea', 'Gitea: Not allowed to push to protected branch main', 'refused'],
  ['Gitea', 'reference already exists', 'moved'],
  ['anybody', 'the moon is in the wrong phase', 'unknown'],
])('%s: %s → %s', (_host, text, verdict) => {
  expect(verdictOf(text)).toBe(verdict);
});

test.each([
  ['pre-receive hook declined', 'error: error: no pushes here.', 'pre-receive hook declined: no pushes here'],
  [
    'protected branch hook declined',
    'error: GH006: Protected branch update failed for refs/heads/main. error: Changes must be made through a pull request.',
    'protected branch hook declined: GH006: Protected branch update failed for refs/heads/main. Changes must be made through a pull request',
  ],
  ['Not allowed to push.', 'remote: Not allowed to push.', 'Not allowed to push'],
  ['error: stale.', '', 'stale'],
])('%s and what was printed, quoted', (reason, printed, said) => expect(quoted(reason, printed)).toBe(said));
