/** HTTPProxy where Contour would serve nothing of it: refused before it is written. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/api/json.ts';
import type { StepMatch } from '../../../src/api/step-traffic.ts';
import { httpProxy } from '../../../src/rollout/traffic/http-proxy.ts';
import { invalidities } from '../../support/contour.ts';
import { documentsOf, routeIn, SIDES, textOf, written } from '../../support/routes.ts';

const rewrite = { pathRewritePolicy: { replacePrefix: [{ replacement: '/' }] } };

function proxy(more: JsonObject): JsonObject {
  const services = [{ name: 'vllm-svc', port: 80 }];
  const spec = {
    virtualhost: { fqdn: 'chat.example.com' },
    routes: [{ conditions: [{ prefix: '/v1' }], ...more, services }],
  };
  return { apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy', metadata: { name: 'chat' }, spec };
}

const byPath = (type: 'Exact' | 'PathPrefix' | 'RegularExpression', value: string): StepMatch => ({
  path: { type, value },
  headers: [],
  queryParams: [],
});
const byHeader: StepMatch = { path: undefined, headers: [{ name: 'x', value: '1', type: undefined }], queryParams: [] };

test.each<readonly [what: string, more: JsonObject, match: StepMatch, reasons: readonly string[]]>([
  ['a prefix is replaced, another is matched', rewrite, byPath('PathPrefix', '/p'), []],
  ['a prefix is replaced, a header is matched', rewrite, byHeader, []],
  ['a prefix is replaced, an exact path is matched', rewrite, byPath('Exact', '/p'), ['MatchContradicts']],
  [
    'a prefix is replaced, an expression is matched',
    rewrite,
    byPath('RegularExpression', '/p.*'),
    ['MatchContradicts'],
  ],
  ['an expression from the slash on', {}, byPath('RegularExpression', '/p.*'), []],
  ['an expression that starts with anything', {}, byPath('RegularExpression', '.*/p'), ['MatchContradicts']],
])('%s', (_, more, match, reasons) => {
  const texts = textOf(proxy(more));
  const share = { kind: 'matches', matches: [match], modifier: undefined } as const;
  const made = httpProxy.write(routeIn(texts, httpProxy), SIDES, share);
  expect(made.kind === 'ok' ? [] : made.faults.map(({ reason }) => reason)).toEqual(reasons);
  if (made.kind === 'ok') {
    const [after] = documentsOf(written(texts, httpProxy, share).files, ['HTTPProxy']);
    expect(invalidities(after!.value)).toEqual([]);
  }
});
