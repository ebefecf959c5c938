/** Which addresses go through a proxy, as curl reads the variables. */

import { expect, test } from 'vitest';
import { proxyFor } from '../../../src/adapters/network/proxy-for.ts';
import { PortError } from '../../../src/ports/port-error.ts';

const proxy = { HTTPS_PROXY: 'http://proxy.example:3128' };

test.each([
  ['https://git.example/x', proxy, 'http://proxy.example:3128/'],
  ['http://git.example/x', proxy, undefined],
  ['https://git.example/x', {}, undefined],
  ['https://git.example/x', { HTTPS_PROXY: '' }, undefined],
  ['https://git.example/x', { https_proxy: 'lower:1', HTTPS_PROXY: 'upper:1' }, 'http://lower:1/'],
  ['https://git.example/x', { ALL_PROXY: 'https://all:1' }, 'https://all:1/'],
  ['https://git.example/x', { ...proxy, NO_PROXY: '*' }, undefined],
  ['https://git.example/x', { ...proxy, NO_PROXY: 'other, git.example' }, undefined],
  ['https://git.example/x', { ...proxy, NO_PROXY: 'example' }, undefined],
  ['https://git.example/x', { ...proxy, NO_PROXY: '.example' }, undefined],
  ['https://git.example/x', { ...proxy, NO_PROXY: '*.example' }, undefined],
  ['https://git.example/x', { ...proxy, NO_PROXY: 'GIT.EXAMPLE:443' }, undefined],
  ['https://git.example:8443/x', { ...proxy, NO_PROXY: 'git.example:443' }, 'http://proxy.example:3128/'],
  ['https://mygit.example/x', { ...proxy, NO_PROXY: 'git.example' }, 'http://proxy.example:3128/'],
  ['https://10.1.2.3/x', { ...proxy, no_proxy: '10.0.0.0/8' }, undefined],
  ['https://11.1.2.3/x', { ...proxy, no_proxy: '10.0.0.0/8' }, 'http://proxy.example:3128/'],
  ['https://10.1.2.3/x', { ...proxy, no_proxy: '::/0 192.168.*' }, 'http://proxy.example:3128/'],
  ['https://[fd00::1]/x', { ...proxy, no_proxy: 'fd00::/8' }, undefined],
  ['https://[fd00::1]:1/x', { ...proxy, no_proxy: '[fd00::1]:1' }, undefined],
  ['https://10.1.2.3/x', { ...proxy, no_proxy: '3' }, 'http://proxy.example:3128/'],
])('%s with %j → %s', (url, env, wanted) => {
  expect(proxyFor(new URL(url), env)?.href).toBe(wanted);
});

test.each([
  [{ HTTPS_PROXY: 'http://proxy.example:port' }, 'HTTPS_PROXY is "http://proxy.example:port", wanted http://[user'],
  [{ https_proxy: 'http//proxy.example:3128' }, 'https_proxy is "http//proxy.example:3128"'],
  [{ HTTPS_PROXY: 'http://proxy.example:3128/proxy.pac' }, 'HTTPS_PROXY is'],
  [{ ALL_PROXY: 'http://ada:se/cret@proxy:99999' }, 'ALL_PROXY is "http://***@proxy:99999", wanted'],
  [{ HTTPS_PROXY: 'ada:se%cret@proxy:3128' }, 'HTTPS_PROXY is "***@proxy:3128", wanted'],
  [{ HTTPS_PROXY: 'ada:s@e/cret@proxy:3128' }, 'HTTPS_PROXY is "***@proxy:3128", wanted'],
  [{ ...proxy, NO_PROXY: 'example.com,https://git.example' }, 'NO_PROXY is "https://git.example", wanted names'],
  [{ ...proxy, no_proxy: '10.0.0.0/80', NO_PROXY: '*' }, 'no_proxy is "10.0.0.0/80", wanted names'],
  [{ ...proxy, NO_PROXY: 'a.example;b.example' }, 'NO_PROXY is "a.example;b.example"'],
])('%j is an error without its secret', (env, said) => {
  const ask = () => proxyFor(new URL('https://git.example/x'), env);
  expect(ask).toThrow(PortError);
  expect(ask).toThrow(said);
  expect(ask).not.toThrow(/cret/);
  // Where no proxy is asked for, nobody reads it.
  expect(proxyFor(new URL('http://127.0.0.1:1/x'), env)).toBeUndefined();
});
