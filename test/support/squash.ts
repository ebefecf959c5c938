/** Squashes of main: what is left of a delivery is one commit or two, without a message of tranche and without a record. */

import { LWS } from './forged-share.ts';
import type { Forgery } from './forgery.ts';

/** What stays of main: the files of now alone, those that had settled before as well, or all of it with the files in another folder. */
export type Squash = 'one commit' | 'settled and now' | 'another folder';

/** The files of a delivery without these annotations. */
function without(files: Readonly<Record<string, string>>, lost: readonly string[]): Record<string, string> {
  const text = lost.reduce(
    (kept, name) => kept.replace(new RegExp(`\n.*tranche\\.dev/${name}: .*`), ''),
    files[LWS] ?? '',
  );
  return { ...files, [LWS]: text };
}

/** Main as such a squash leaves it, where the workload is by then, and no status branch. */
export function squash(at: Forgery, how: Squash, lost: readonly string[] = []): string {
  const { repository } = at.world;
  const now = without(repository.files('main'), lost);
  const settled = at.line().find(({ message }) => message.includes('adopt'))?.oid ?? '';
  if (how === 'one commit') at.rewrite([now], 'squash');
  if (how === 'settled and now') at.rewrite([repository.files(settled), now], 'squash');
  if (how === 'another folder') {
    const moved = Object.entries(now).filter(([path]) => /^apps\/vllm\/(lws|route|service)\.yaml$/.test(path));
    const writes = moved.flatMap(([path, text]) => [
      { path, text: undefined },
      { path: path.replace('apps/vllm', 'apps/other'), text },
    ]);
    repository.commit('main', { writes, message: 'another folder' });
  }
  repository.setHead('tranche-status', undefined);
  return how === 'another folder' ? LWS.replace('apps/vllm', 'apps/other') : LWS;
}
