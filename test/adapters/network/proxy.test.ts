/** Which addresses go through a proxy, as curl reads the variables. */

import { expect, test } from 'vitest';
import { proxyFor } from '../../../src/adapters/network/proxy.ts';

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
  ['https://10.1.2.3/x', { ...proxy, no_proxy: '10.0.0.0/80,nonsense/8,::/0' }, 'http://proxy.example:3128/'],
  ['https://[fd00::1]/x', { ...proxy, no_proxy: 'fd00::/8' }, undefined],
  ['https://[fd00::1]:1/x', { ...proxy, no_proxy: '[fd00::1]:1' }, undefined],
  ['https://10.1.2.3/x', { ...proxy, no_proxy: '3' }, 'http://proxy.example:3128/'],
])('%s with %j → %s', (url, env, wanted) => {
  expect(proxyFor(new URL(url), env)?.href).toBe(wanted);
});
