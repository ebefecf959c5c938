/** `tranche status-key`: both halves of a new key, each with the place where it belongs. */

import { afterEach, expect, test } from 'vitest';
import { openSignatures } from '../../src/adapters/system/ed25519.ts';
import { configIn } from '../../src/reconcile/observe/read-settings.ts';
import { NO_OVERRIDES } from '../../src/reconcile/pass.ts';
import { startSite, stopSites } from '../support/site.ts';

afterEach(stopSites);

test('both halves fit each other, as text and as JSON, and are others each time', async () => {
  const site = await startSite();
  const { code, out } = await site.run('status-key --cluster eu');
  const [, privateHalf] = /^TRANCHE_STATUS_KEY=(\S+)$/m.exec(out) ?? [];
  const [, publicHalf] = /^ {2}- \{cluster: eu, key: (\S+)\}$/m.exec(out) ?? [];
  expect(code).toBe(0);
  expect(openSignatures(privateHalf).own?.key).toBe(publicHalf);
  const made = JSON.parse((await site.run('status-key --output json')).out) as Readonly<Record<string, string>>;
  expect(made).toMatchObject({ cluster: 'default' });
  expect(openSignatures(made['privateHalf']).own?.key).toBe(made['publicHalf']);
  expect(made['privateHalf']).not.toBe(privateHalf);
});

test.each(['eu', '1e3', 'on', '0'])('what is printed for cluster %s is read as it is pasted', async (cluster) => {
  const site = await startSite();
  const { out } = await site.run(`status-key --cluster ${cluster}`);
  const [pasted = ''] = /^statusKeys:\n.*\n/m.exec(out) ?? [];
  const text = `cluster: "${cluster}"\n${pasted}`;
  const file = { path: 'tranche.yaml', oid: '', mode: '100644', content: { kind: 'text', text } } as const;
  const { statusKeys } = configIn({ commit: '', folders: [], skipped: () => [], files: [file] }, NO_OVERRIDES);
  expect(statusKeys).toMatchObject([{ cluster, key: expect.stringMatching(/^tranche-public-/) }]);
});

test.each([
  ['tranche-public-abc', 'is a public half, wanted the private one'],
  ['rubbish', 'is no private half that tranche status-key has printed'],
])('TRANCHE_STATUS_KEY is %s: that is no key, and it is said', (given, fault) => {
  expect(openSignatures(given)).toMatchObject({ own: undefined, fault });
});

test('a cluster of another name than tranche.yaml may give is refused', async () => {
  const site = await startSite();
  expect(await site.run('status-key --cluster EU')).toMatchObject({ code: 2, out: '' });
});
