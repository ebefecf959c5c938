/** The contract of Git on smart HTTP, against the real `git http-backend`. */

import { openGit } from '../../../src/adapters/git/open.ts';
import { type GitServer, startGitServer } from '../../support/git-server.ts';
import { PATIENT } from '../../support/patient-git.ts';
import { gitContract, type Subject } from './contract.ts';
import { onDisk } from './on-disk.ts';

let server: GitServer;

async function httpSubject(started: GitServer): Promise<Subject> {
  const repository = await started.createRepository('team/repo.git');
  const open = () => openGit({ location: repository.url, token: 't0ken', limits: PATIENT });
  return { git: open(), another: open, ...onDisk(repository.path) };
}

gitContract(
  'smart HTTP',
  async () => {
    server = await startGitServer();
    return httpSubject(server);
  },
  () => server.stop(),
);
