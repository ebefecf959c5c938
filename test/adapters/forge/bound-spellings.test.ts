/** One host in all its spellings, and others that look like it: to which of them a credential goes. */

import { expect, test } from 'vitest';
import { type CommonOptions, commonOptions, type Io } from '../../../src/options.ts';
import { openPorts } from '../../../src/wiring.ts';

function io(env: Io['env']): Io {
  const say = (): void => undefined;
  return { env, folder: '/', out: say, err: say, isTerminal: false, signal: new AbortController().signal };
}

function opening(bound: string, repo: string, repoIsDefault: boolean): () => unknown {
  const env = { TRANCHE_GIT_TOKEN: 'ghs_secret', TRANCHE_GIT_HOST: bound };
  const options: CommonOptions = { ...commonOptions({ repo }, io(env)), repoIsDefault };
  return () => openPorts(options, io(env));
}

const WAYS = [true, false];

test.each([
  ['git.example', 'https://git.example/a/b'],
  ['git.example', 'https://GIT.Example/a/b'],
  ['GIT.Example', 'https://git.example/a/b'],
  ['git.example:443', 'https://git.example/a/b'],
  ['git.example', 'https://git.example:443/a/b'],
  ['git.example:8443', 'https://git.example:8443/a/b'],
  ['bücher.example', 'https://xn--bcher-kva.example/a/b'],
  ['xn--bcher-kva.example', 'https://bücher.example/a/b'],
  ['git.example.', 'https://git.example./a/b'],
  ['git.example', 'https://%67it.example/a/b'],
  ['git.example', 'https://git。example/a/b'],
  ['[2001:db8::1]', 'https://[2001:DB8:0:0::1]/a/b'],
  ['[2001:DB8:0::1]:443', 'https://[2001:db8::1]/a/b'],
  ['127.0.0.1:3000', 'http://127.1:3000/a/b'],
  ['localhost:80', 'http://localhost/a/b'],
])('%s is the host of %s', (bound, repo) => {
  for (const isOrigin of WAYS) expect(opening(bound, repo, isOrigin)).not.toThrow();
});

test.each([
  ['git.example', 'https://git.example.evil.example/a/b', 'git.example.evil.example'],
  ['git.example', 'https://git.example@evil.example/a/b', 'evil.example'],
  ['git.example', 'https://git.example:443@evil.example/a/b', 'evil.example'],
  ['git.example', 'https://evil.example\\@git.example/a/b', 'evil.example'],
  ['git.example', 'https://evil.example\\.git.example/a/b', 'evil.example'],
  ['git.example', 'https://evil.example/@git.example/a/b', 'evil.example'],
  ['git.example', 'https://evil.example#@git.example/a/b', 'evil.example'],
  ['git.example', 'https://evil.example?@git.example/a/b', 'evil.example'],
  ['git.example', 'https://evil.ex\tample/git.example/b', 'evil.example'],
  ['git.example', 'https://git.example:8443/a/b', 'git.example:8443'],
  ['git.example:8443', 'https://git.example/a/b', 'git.example'],
  ['git.example:80', 'https://git.example/a/b', 'git.example'],
  ['git.example', 'https://git.example./a/b', 'git.example.'],
  ['git.example.', 'https://git.example/a/b', 'git.example'],
  ['git.example', 'https://gіt.example/a/b', 'xn--gt-hoc.example'],
  ['[::1]', 'https://[::2]/a/b', '[::2]'],
  ['git.example@evil.example', 'https://evil.example/a/b', 'evil.example'],
  ['git.example\\evil.example', 'https://git.example/a/b', 'git.example'],
  ['evil.example/git.example', 'https://evil.example/a/b', 'evil.example'],
  ['https://git.example', 'https://git.example/a/b', 'git.example'],
  ['%67it.example', 'https://git.example/a/b', 'git.example'],
  ['git.exa\tmple', 'https://git.example/a/b', 'git.example'],
  ['*', 'https://git.example/a/b', 'git.example'],
])('%j is not the host of %s', (bound, repo, host) => {
  for (const isOrigin of WAYS)
    expect(opening(bound, repo, isOrigin)).toThrow(`TRANCHE_GIT_TOKEN would go to ${host}, and TRANCHE_GIT_HOST is `);
});
