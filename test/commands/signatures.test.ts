/** `verify-history` on signatures of commits: what real git and ssh-keygen have signed, and what somebody has changed since. */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { parseAllowedSigners } from '../../src/reconcile/log/allowed-signers.ts';
import { signatureOf } from '../../src/reconcile/log/commit-signature.ts';
import { type Site, startSite, stopSites } from '../support/site.ts';

afterEach(stopSites);

/** A key of ssh-keygen, as a file, and its public half. */
function keyIn(site: Site, name: string): { readonly file: string; readonly half: string; readonly print: string } {
  const file = join(site.folder, name);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file]);
  const [type = '', body = ''] = readFileSync(`${file}.pub`, 'utf8').split(' ');
  const [, print = ''] = execFileSync('ssh-keygen', ['-l', '-f', file], { encoding: 'utf8' }).split(' ');
  return { file, half: `${type} ${body}`, print };
}

/** The head of main is signed by this key. */
async function sign(site: Site, file: string): Promise<void> {
  const { git } = site.repository;
  const message = await git('log', '-1', '--format=%B', 'main');
  const by = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${file}`];
  const made = await git(...by, 'commit-tree', '-S', 'main^{tree}', '-p', 'main^', '-m', message);
  await git('update-ref', 'refs/heads/main', made);
}

/** An order, signed by the key of Ada; and the file that allows it. */
async function ordered() {
  const site = await startSite();
  await site.run('reconcile');
  await site.run('pause vllm --by Ada');
  const [ada, eve] = [keyIn(site, 'ada'), keyIn(site, 'eve')];
  await sign(site, ada.file);
  const allow = (half: string): string => {
    const file = join(site.folder, 'allowed');
    writeFileSync(file, `# who may order\nada@example.com namespaces="git" ${half}\n`);
    return file;
  };
  return { site, ada, eve, allow };
}

const signaturesOf = (out: string) =>
  JSON.parse(out).signatures.map((one: Record<string, string>) =>
    ['entry', 'kind', 'key', 'verdict', 'signer'].flatMap((field) => one[field] ?? []).join(' '),
  );

test('each step and each order is said with its signature, and with none', async () => {
  const { site, ada } = await ordered();
  const called = await site.run('verify-history vllm --output json');
  expect(signaturesOf(called.out)).toEqual([`order ssh ${ada.print} unchecked`, 'step none']);
  expect(called.code).toBe(0);
  const { out } = await site.run('verify-history');
  expect(out).toMatch(/^signed {2}default\/llm\/vllm {2}\S+ {2}\S+ {2}pause.*: SSH SHA256:\S+, not verified$/m);
  expect(out).toContain('Signed: 1 of 2 steps and orders.');
});

test('a key of the file is good, another one is a fault, and so is what was changed after it was signed', async () => {
  const { site, ada, eve, allow } = await ordered();
  const verify = async (half: string) => site.run(`verify-history vllm --output json --allowed-signers ${allow(half)}`);
  const good = await verify(ada.half);
  expect(signaturesOf(good.out)[0]).toBe(`order ssh ${ada.print} good ada@example.com`);
  expect([good.code, JSON.parse(good.out).faults]).toEqual([0, []]);
  const other = await verify(eve.half);
  expect(signaturesOf(other.out)[0]).toBe(`order ssh ${ada.print} unknown`);
  expect([other.code, JSON.parse(other.out).faults[0].reason]).toEqual([1, 'SignatureBad']);
  const raw = await site.repository.git('cat-file', 'commit', 'main');
  const file = join(site.folder, 'commit');
  writeFileSync(file, `${raw.replace('Ordered-By: Ada', 'Ordered-By: Eve')}\n`);
  await site.repository.git(
    'update-ref',
    'refs/heads/main',
    await site.repository.git('hash-object', '-t', 'commit', '-w', file),
  );
  const forged = await verify(ada.half);
  expect(signaturesOf(forged.out)[0]).toBe(`order ssh ${ada.print} bad`);
  expect(forged.code).toBe(1);
});

test.each([
  ['', 'it has no key'],
  ['ada@example.com', 'line 1 has no key'],
  ['# a\nada@example.com cert-authority ssh-ed25519 AAAAC3NzaC1lZDI1NTE5', 'line 2 has the options cert-authority'],
  ['ada@example.com namespaces="file" ssh-ed25519 AAAA', 'line 1 has the options namespaces="file"'],
  ['ada@example.com ssh-ed25519 ???', 'line 1 has a key that cannot be read'],
])('a file of keys that is not understood is refused: %s', (text, why) => {
  const found = parseAllowedSigners(text);
  expect('fault' in found ? found.fault : '').toContain(why);
});

/** As gpg 2.2 has made it of a key of Ada. */
const PGP = `-----BEGIN PGP SIGNATURE-----

iIYEABYIAC4WIQQTi67sC6yiuvNoGmF81zpV4ZFVlAUCawka5xAcYWRhQGV4YW1w
bGUuY29tAAoJEHzXOlXhkVWU0JIA+gJepEcEQ9FIm+QZYl1dsSDkz6K9gSHsvhzE
sTPsocqaAQCITYn6z65fupQF711mu2VlldC79jghlthZSCx+9GgvDQ==
=UAVN
-----END PGP SIGNATURE-----
`;

test.each([
  ['of gpg, by its key', PGP, 'openpgp 138BAEEC0BACA2BAF3681A617CD73A55E1915594 unchecked'],
  ['cut off', PGP.replace(/bGU[^]*=UAVN/, ''), 'openpgp unchecked'],
  ['of X.509', '-----BEGIN SIGNED MESSAGE-----\nMIIC\n-----END SIGNED MESSAGE-----\n', 'x509 unchecked'],
  ['of SSH, cut off', '-----BEGIN SSH SIGNATURE-----\nU1NIU0lH\n-----END SSH SIGNATURE-----\n', 'other unchecked'],
  [
    'of SSH, with a length beyond its end',
    '-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAf////8=\n-----END SSH SIGNATURE-----\n',
    'other unchecked',
  ],
  ['nothing that is known', 'x', 'other unchecked'],
])('a signature %s', (_, armor, then) => {
  const author = { name: '', email: '', atSeconds: 0 };
  const header = { oid: '', parents: [], author, committedAt: 0, message: '' };
  const found = signatureOf({ ...header, signed: { armor, payload: Buffer.from('') } }, undefined);
  expect(Object.values(found).join(' ')).toBe(then);
  expect(signatureOf(header, undefined)).toEqual({ kind: 'none' });
});
