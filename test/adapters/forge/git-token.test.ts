/** The key of an App is enough for Git as well: its token is sent, made once for both, and what fails says which setting it is. */

import { generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { runAction } from '../../../src/commands/action.ts';
import { commonOptions, type Io } from '../../../src/options.ts';
import type { Ports } from '../../../src/reconcile/pass.ts';
import { openPorts } from '../../../src/wiring.ts';
import { type SimulatedForge, startForge } from '../../support/forge/start-forge.ts';
import { runnerCommands } from '../../support/runner-commands.ts';
import { APP, type ForgeSite, forgeSite, TOKEN } from './site.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const APP_ENV = { TRANCHE_APP_ID: '4711', TRANCHE_APP_KEY: KEY };
let forge: SimulatedForge;
let site: ForgeSite;

beforeAll(async () => {
  forge = await startForge();
  site = await forgeSite(forge, 'gitops');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  forge.apps.push({ id: '4711', publicKey: pem, installation: 5, token: TOKEN });
  site.repository.enforce([
    { id: 1, name: 'main', branches: ['main'], rules: [{ type: 'update' }], bypass: [APP.login] },
  ]);
});
afterAll(() => forge.stop());
afterEach(() => {
  forge.fault = () => undefined;
  forge.calls.splice(0);
  forge.server.requests.splice(0);
});

function portsWith(env: Readonly<Record<string, string>>, repo = `${site.url}.git`): Ports {
  const say = (): void => undefined;
  const signal = new AbortController().signal;
  const io: Io = { env, folder: '/', out: say, err: say, isTerminal: false, signal };
  return openPorts(commonOptions({ repo, forge: `${forge.url}/api/v3` }, io), io);
}

const sent = (): readonly string[] => [
  ...new Set(forge.server.requests.map(({ authorization }) => authorization ?? 'nothing')),
];
const basic = (token: string): string => `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;

test('a push passes the rule that the App bypasses, with one token for Git and the forge', async () => {
  const { git, forge: port } = portsWith(APP_ENV);
  const [head] = await git.heads(['main']);
  const signature = { name: 'tranche', email: 'tranche@example.com', atSeconds: 1_800_000_000 };
  const commits = [{ writes: [{ path: 'a', text: 'a' }], message: 'a', signature }];
  expect(await git.push([{ branch: 'main', expectedOld: head, base: head, commits }])).toMatchObject({
    kind: 'pushed',
  });
  await port?.pulls({ prefix: 'tranche/', numbers: [] });
  expect(sent().filter((one) => one.startsWith('Basic '))).toEqual([basic(TOKEN)]);
  expect(forge.calls.map(({ call }) => call)).toEqual([
    'GET /repos/team/gitops/installation',
    'POST /app/installations/5/access_tokens',
    'GET /repos/team/gitops/pulls',
  ]);
});

test('a token that was given for Git is the one that is sent', async () => {
  await portsWith({ ...APP_ENV, TRANCHE_GIT_TOKEN: 'ghs_given' }).git.heads(['main']);
  expect([sent(), forge.calls]).toEqual([[basic('ghs_given')], []]);
});

test('the Action takes the App before the token of the run, and masks each line of its key', async () => {
  let out = '';
  const inputs = {
    INPUT_MODE: 'lint',
    INPUT_REPO: `${site.url}.git`,
    INPUT_TOKEN: 'ghs_run',
    TRANCHE_FORGE: `${forge.url}/api/v3`,
  };
  const say = (text: string): void => void (out += text);
  const signal = new AbortController().signal;
  const io: Io = { env: { ...APP_ENV, ...inputs }, folder: '/', out: say, err: say, isTerminal: false, signal };
  await runAction(io);
  expect(sent().filter((one) => one.startsWith('Basic '))).toEqual([basic(TOKEN)]);
  const masked = runnerCommands(out).filter(({ name }) => name === 'add-mask');
  expect(masked.map(({ data }) => data)).toEqual(['ghs_run', ...KEY.trimEnd().split('\n')]);
});

test.each([
  [
    'a key that is none',
    { TRANCHE_APP_KEY: 'none' },
    'gitops',
    /^the GitHub App 4711 gives no token for Git: .*PEM$/,
    /a key must be of this App$/,
  ],
  [
    'another App',
    { TRANCHE_APP_ID: '1' },
    'gitops',
    /: Integration not found$/,
    /^Give a valid credential: the GitHub App 1 /,
  ],
  [
    'no installation there',
    {},
    'other',
    /: Not Found$/,
    /^Check the name team\/other, and that the GitHub App 4711 reaches it: an App must be installed there/,
  ],
])('%s: said with the setting to change, and Git is asked nothing', async (_, env, name, message, hint) => {
  const { git } = portsWith({ ...APP_ENV, ...env }, `${forge.url}/team/${name}.git`);
  await expect(git.heads(['main'])).rejects.toMatchObject({
    port: 'git',
    retryable: false,
    message: expect.stringMatching(message),
    hint: expect.stringMatching(hint),
  });
  expect(sent().filter((one) => one.startsWith('Basic '))).toEqual([]);
});

test('a forge that does not answer is worth another try, and what Git refuses names the App and not the token', async () => {
  const { git } = portsWith(APP_ENV);
  forge.fault = () => ({ kind: 'drop', when: 'before' });
  await expect(git.heads(['main'])).rejects.toMatchObject({ retryable: true });
  forge.fault = () => undefined;
  const serve = forge.server.fault;
  forge.server.fault = (request) =>
    request.url.includes('git-upload-pack')
      ? { kind: 'answer', status: 403, headers: { 'content-type': 'text/plain' }, body: `no ${TOKEN}` }
      : serve(request);
  await expect(git.heads(['main'])).rejects.toMatchObject({
    message: expect.not.stringContaining(TOKEN),
    hint: 'Give the GitHub App of TRANCHE_APP_ID contents: write, and install it in this repository.',
  });
  forge.server.fault = serve;
});
