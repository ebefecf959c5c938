/** To which hosts credentials go: decided before anything is sent. */

import { expect, test } from 'vitest';
import { openGit } from '../../../src/adapters/git/open.ts';
import { type CommonOptions, commonOptions, type Io } from '../../../src/options.ts';
import { openPorts } from '../../../src/wiring.ts';

type Env = Readonly<Record<string, string>>;

const TOKEN = { TRANCHE_GIT_TOKEN: 'ghs_secret' };
const APP = { TRANCHE_APP_ID: '1', TRANCHE_APP_KEY: 'key' };
const EVIL = 'https://evil.example/team/gitops.git';
const HUB = 'https://github.com/team/gitops.git';

function io(env: Env): Io {
  const say = (): void => undefined;
  return { env, folder: '/', out: say, err: say, isTerminal: false, signal: new AbortController().signal };
}

/** As where `--repo` is given, or where `origin` of a clone said it. */
function options(env: Env, repo: string, from: 'named' | 'origin'): CommonOptions {
  const given = commonOptions({ repo }, io(env));
  return from === 'named' ? given : { ...given, repoIsDefault: true };
}

test.each<readonly [what: string, env: Env, repo: string, from: 'named' | 'origin', refused: RegExp | undefined]>([
  ['a token, to origin', TOKEN, EVIL, 'origin', /^TRANCHE_GIT_TOKEN would go to evil\.example, and nobody has named/],
  ['a token of the forge', { TRANCHE_FORGE_TOKEN: 'x' }, EVIL, 'origin', /^TRANCHE_FORGE_TOKEN would go to evil/],
  ['the key of an App', APP, EVIL, 'origin', /^TRANCHE_APP_KEY would go to evil/],
  ['no credential', {}, EVIL, 'origin', undefined],
  ['a repository that was named', TOKEN, EVIL, 'named', undefined],
  ['the host of the variable', { ...TOKEN, TRANCHE_GIT_HOST: 'github.com' }, HUB, 'origin', undefined],
  ['another one', { ...TOKEN, TRANCHE_GIT_HOST: 'github.com' }, EVIL, 'origin', /TRANCHE_GIT_HOST is github\.com/],
  [
    'another one, though named',
    { ...TOKEN, TRANCHE_GIT_HOST: 'github.com' },
    EVIL,
    'named',
    /TRANCHE_GIT_HOST is github\.com\. Write evil\.example there if that is meant$/,
  ],
  ['a spelling of its own', { ...TOKEN, TRANCHE_GIT_HOST: 'GitHub.com:443' }, HUB, 'named', undefined],
  ['another port', { ...TOKEN, TRANCHE_GIT_HOST: 'evil.example' }, 'https://evil.example:8443/a/b', 'origin', /:8443/],
  ['the server of a job', { ...TOKEN, GITHUB_SERVER_URL: 'https://github.com' }, HUB, 'origin', undefined],
  ['not that of a job', { ...TOKEN, GITHUB_SERVER_URL: 'https://github.com' }, EVIL, 'origin', /would go to evil/],
  ['an App at a server of its own', APP, EVIL, 'named', /neither github\.com nor below ghe\.com: name the API/],
  ['the same, named', { ...APP, TRANCHE_FORGE: 'https://evil.example/api/v3' }, EVIL, 'named', undefined],
  ['an App at github.com', APP, HUB, 'named', undefined],
  ['an App below ghe.com', APP, 'https://corp.ghe.com/team/gitops', 'named', undefined],
  ['not below it', APP, 'https://notghe.com/team/gitops', 'named', /neither github\.com/],
  ['a forge in plain text', { ...TOKEN, TRANCHE_FORGE: 'http://forge.example/api/v3' }, HUB, 'named', /plain http/],
])('credentials: %s', (_, env, repo, from, refused) => {
  const opening = (): unknown => openPorts(options(env, repo, from), io(env));
  if (refused === undefined) expect(opening).not.toThrow();
  else expect(opening).toThrow(refused);
});

test.each(['-----BEGIN RSA PRIVATE KEY-----\nMIIsecret\n', 'ghs_secret', 'github_pat_secret', 'a b'])(
  'the id of an App that is none, as where it was exchanged for the key, is not said: %j',
  (id) => {
    const env = { TRANCHE_APP_ID: id, TRANCHE_APP_KEY: '4711' };
    const opening = (): unknown => openPorts(options(env, HUB, 'named'), io(env));
    expect(opening).toThrow(
      /^TRANCHE_APP_ID is no id of a GitHub App, wanted .* the key belongs into TRANCHE_APP_KEY$/,
    );
  },
);

test.each([
  ['http://git.example/team/gitops', true],
  ['http://127.0.0.1.example/team/gitops', true],
  ['http://localhost:3000/team/gitops', false],
  ['http://127.0.0.1:3000/team/gitops', false],
  ['http://[::1]:3000/team/gitops', false],
  ['https://git.example/team/gitops', false],
])('Git over plain http: %s', (location, refused) => {
  for (const token of ['x', undefined]) {
    const opening = (): unknown => openGit({ location, token });
    if (refused) expect(opening).toThrow(/would be reached over plain http/);
    else expect(opening).not.toThrow();
  }
});
