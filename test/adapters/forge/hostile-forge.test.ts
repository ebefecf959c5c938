/** A forge that says our credentials back, in words that a hold or a log repeats: what comes out has none of them. */

import { generateKeyPairSync } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { commonOptions, type Io } from '../../../src/options.ts';
import { openPorts } from '../../../src/wiring.ts';

const TOKEN = 'ghs_s3cretT0kenOfTheRun';
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

let stop = async (): Promise<void> => undefined;
afterEach(() => stop());

/** Answers each request with this status, and a message made of the credential that came with it. */
async function serverOf(status: number, said: (credential: string) => string, heard: Set<string>): Promise<string> {
  const server = http.createServer((request, response) => {
    const credential = (request.headers.authorization ?? '').replace(/^\w+ /, '');
    heard.add(credential);
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '60' });
      response.end(JSON.stringify({ message: said(credential) }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  stop = () =>
    new Promise((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** All that the port says of one question. */
async function answerTo(url: string, env: Readonly<Record<string, string>>): Promise<string> {
  const lines: string[] = [];
  const say = (text: string): void => void lines.push(text);
  const io: Io = { env, folder: '/', out: say, err: say, isTerminal: false, signal: new AbortController().signal };
  const { forge } = openPorts(commonOptions({ repo: `${url}/team/gitops.git`, forge: `${url}/api/v3` }, io), io);
  const answer: unknown = await forge?.pulls({ prefix: 'tranche/', numbers: [] }).catch((error: unknown) => error);
  const words = answer instanceof Error ? [answer.message, answer.stack ?? '', JSON.stringify(answer)] : [];
  return [JSON.stringify(answer), ...words, ...lines].join('\n');
}

const halves = (between: string) => (credential: string) =>
  `bad ${credential.slice(0, 9)}${between}${credential.slice(9)} here`;
const FORMS: readonly (readonly [what: string, said: (credential: string) => string])[] = [
  ['as it is', (credential) => `bad ${credential} here`],
  ['with a colour inside', halves('\u001b[31m')],
  ['with a mark of direction inside', halves('\u202e')],
  ['in the form of Git', (credential) => `bad ${Buffer.from(`x-access-token:${credential}`).toString('base64')} here`],
  ['behind many words', (credential) => `${'x'.repeat(495)}${credential}`],
];
const STATUSES = [401, 403, 404, 422, 429] as const;

/** What is left once all that is shown has been read: eight letters of it are enough to say that it is there. */
function leaked(text: string, secret: string): boolean {
  // oxlint-disable-next-line no-control-regex -- what a terminal does not show
  const shown = text.replace(/\u001b\[[0-9;]*m|\\u001b\[[0-9;]*m|[\u202a-\u202e\s]/g, '');
  const forms = [secret, Buffer.from(`x-access-token:${secret}`).toString('base64')];
  return forms.some((form) => shown.includes(form.slice(0, 12)) || shown.includes(form.slice(-12)));
}

test.each(STATUSES.flatMap((status) => FORMS.map(([what, said]) => [status, what, said] as const)))(
  'HTTP %i with the token %s',
  async (status, _what, said) => {
    const heard = new Set<string>();
    const text = await answerTo(await serverOf(status, said, heard), { TRANCHE_FORGE_TOKEN: TOKEN });
    expect([...heard]).toEqual([TOKEN]);
    expect(leaked(text, TOKEN), text).toBe(false);
  },
);

test.each(FORMS)('a success with the token in the name of an author, %s', async (_what, said) => {
  const heard = new Set<string>();
  const text = await answerTo(await serverOf(200, said, heard), { TRANCHE_FORGE_TOKEN: TOKEN });
  expect(text).toContain('an answer to list pull requests holds our credential');
  expect(leaked(text, TOKEN), text).toBe(false);
});

test.each(FORMS)('the web token that the key of an App has signed, %s', async (_what, said) => {
  const heard = new Set<string>();
  const env = { TRANCHE_APP_ID: '4711', TRANCHE_APP_KEY: KEY };
  const text = await answerTo(await serverOf(403, said, heard), env);
  expect([...heard].every((one) => one.startsWith('eyJ'))).toBe(true);
  for (const one of heard) expect(leaked(text, one), text).toBe(false);
});
