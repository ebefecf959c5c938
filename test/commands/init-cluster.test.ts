/** `tranche init` next to clusters of other versions, and next to those that do not let it look. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { pageNotFound, statusReply } from '../../src/demo/api-server/reply.ts';
import { type Site, type SiteOptions, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, LWS_TEXT } from '../support/vllm.ts';

afterEach(stopSites);

/** A clone of one's own, whose workload the cluster does not have. */
function own(site: Site): string {
  const folder = join(site.folder, 'own');
  mkdirSync(join(folder, 'apps'), { recursive: true });
  execFileSync('git', ['init', '-q', '-b', 'main', folder]);
  writeFileSync(join(folder, 'apps/lws.yaml'), LWS_TEXT.replaceAll('name: vllm', 'name: chat'));
  return folder;
}

const answers = (status: number, plural: string): SiteOptions => ({
  api: {
    interfere: (_, target) => {
      if (target?.kind.plural !== plural) return undefined;
      return status === 404 ? pageNotFound : statusReply(status, { reason: 'Forbidden', message: 'no' });
    },
  },
});

const FOUND = 'in the cluster, and in no file that was read:\n  llm/vllm\n';

test.each<readonly [what: string, site: SiteOptions, said: string, warned: string]>([
  ['LWS 0.10', {}, FOUND, ''],
  ['LWS 0.8', { cluster: { lws: '0.8' } }, FOUND, ''],
  [
    'no LWS at all',
    answers(404, 'leaderworkersets'),
    'rollouts/chat.yaml',
    'warning: the cluster has no LeaderWorkerSets: install its controller first\n',
  ],
  [
    'a cluster that refuses',
    answers(403, 'leaderworkersets'),
    'rollouts/chat.yaml',
    'warning: the cluster was not read in llm: list leaderworkersets.leaderworkerset.x-k8s.io in llm: forbidden',
  ],
])('%s: what is found, what is warned of, and the files all the same', async (_, options, said, warned) => {
  const site = await startSite({ files: { [LWS_FILE]: LWS_TEXT }, ...options });
  const { code, out, err } = await site.run('init', { TRANCHE_REPO: '' }, own(site));
  expect([code, out], err).toEqual([0, expect.stringContaining(said)]);
  expect(out).toContain('rollouts/chat.yaml');
  expect(err).toContain(warned);
  if (warned === '') expect(err).toBe('');
});
