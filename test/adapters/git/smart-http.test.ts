/** The contract of Git on smart HTTP, against the real `git http-backend`. */

import { openGit } from '../../../src/adapters/git/open.ts';
import { bareRepository, type GitServer, startGitServer } from '../../support/git-server.ts';
import { gitContract, type Subject } from './contract.ts';

let server: GitServer;

export async function httpSubject(started: GitServer): Promise<Subject> {
  const repository = await started.createRepository('team/repo.git');
  const open = () => openGit({ location: repository.url, token: 't0ken' });
  return { git: open(), another: open, ...onDisk(repository.path) };
}

/** How somebody else sees a bare repository: with git itself. */
export function onDisk(path: string): Omit<Subject, 'git' | 'another'> {
  const { git, commit, hook } = bareRepository(path);
  return {
    commit,
    head: async (branch) => (await git('for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`)) || undefined,
    text: (branch, file) => git('cat-file', 'blob', `${branch}:${file}`).then((text) => `${text}\n`),
    refuse: async (branch) =>
      hook(
        'pre-receive',
        `while read old new ref; do if [ "$ref" = "refs/heads/${branch}" ]; then
           echo "error: GH006: Protected branch update failed for $ref." >&2; exit 1; fi; done`,
      ),
  };
}

gitContract(
  'smart HTTP',
  async () => {
    server = await startGitServer();
    return httpSubject(server);
  },
  () => server.stop(),
);
