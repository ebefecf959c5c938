/** A pull request as an event of GitHub names it: what the forge would merge, judged before anybody does. */

import type { Env } from './runner.ts';
import type { Site } from './site.ts';

export type Files = Readonly<Record<string, string | undefined>>;

/** A pull request of these files, merged by the forge into what main is now, as the event's ref. */
export async function pullRequest(site: Site, files: Files, from = 'main'): Promise<Env> {
  const { repository } = site;
  await repository.git('branch', '-f', 'theirs', from);
  await repository.commit('theirs', files, 'a change');
  const tree = (await repository.git('merge-tree', '--write-tree', 'main', 'theirs')).split('\n')[0] ?? '';
  const merge = await repository.git('commit-tree', tree, '-p', 'main', '-p', 'theirs', '-m', 'merge');
  await repository.git('update-ref', 'refs/pull/7/merge', merge);
  return { GITHUB_EVENT_NAME: 'pull_request', GITHUB_REF: 'refs/pull/7/merge', GITHUB_BASE_REF: 'main' };
}
