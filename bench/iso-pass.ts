/** A process of its own: the same edit by isomorphic-git's clone and push, for information. */

import fs from 'node:fs';
import * as git from 'isomorphic-git';
import http from 'isomorphic-git/http/node';

const [, , url = '', dir = '', file = '', before = '', after = ''] = process.argv;
const person = { name: 'Ada', email: 'ada@example.com' };
const cache = {};
const at = { fs, dir, cache };

await git.clone({ ...at, http, url, depth: 1, singleBranch: true, ref: 'main', noCheckout: true });
const parent = await git.resolveRef({ ...at, ref: 'refs/heads/main' });
const { blob } = await git.readBlob({ ...at, oid: parent, filepath: file });
const text = Buffer.from(blob).toString('utf8');
if (!text.includes(before)) throw new Error(`${file} does not have ${before}`);
const edited = await git.writeBlob({ ...at, blob: Buffer.from(text.replace(before, after)) });
const { tree: root } = await git.readTree({ ...at, oid: parent });
const tree = await put(root, file.split('/'), edited);
await git.commit({ ...at, tree, parent: [parent], ref: 'refs/heads/main', message: 'step 2/3', author: person });
const { ok } = await git.push({ ...at, http, url, ref: 'main', remote: 'origin' });
if (!ok) throw new Error('the push was refused');

type Entries = Awaited<ReturnType<typeof git.readTree>>['tree'];

/** The trees from this folder down to the file, written again; returns the oid of the upper one. */
async function put(entries: Entries, [name = '', ...rest]: readonly string[], oid: string): Promise<string> {
  const below = async (entry: Entries[number]): Promise<string> =>
    rest.length === 0 ? oid : put((await git.readTree({ ...at, oid: entry.oid })).tree, rest, oid);
  const changed: Entries = [];
  for (const entry of entries) changed.push(entry.path === name ? { ...entry, oid: await below(entry) } : entry);
  return git.writeTree({ ...at, tree: changed });
}
