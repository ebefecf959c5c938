/** What makes an HTTPProxy invalid for Contour, which then serves nothing of it (reference: internal/dag, httpproxy_processor.go). */

import type { JsonObject } from '../../src/api/json.ts';
import { mapsAt } from '../../src/api/weighted-routes.ts';

/** Why Contour refuses a proxy; empty: it takes it. */
export function invalidities(proxy: JsonObject): readonly string[] {
  return mapsAt(proxy, ['spec', 'routes']).flatMap((route) => {
    const conditions = mapsAt(route, ['conditions']);
    const paths = conditions
      .flatMap(({ prefix, exact, regex }) => [prefix, exact, regex])
      .filter((one) => one !== undefined);
    const headers = conditions.flatMap(({ header }) =>
      mapsAt({ list: header === undefined ? [] : [header] }, ['list']),
    );
    const names = headers.map(({ name }) => (typeof name === 'string' ? name.toLowerCase() : ''));
    const rewrites = mapsAt(route, ['pathRewritePolicy', 'replacePrefix']).length > 0;
    return [
      ...(paths.length > 1 ? ['more than one path'] : []),
      ...paths.flatMap((path) => (typeof path === 'string' && path.startsWith('/') ? [] : ['a path without a slash'])),
      ...(new Set(names).size < names.length ? ['duplicate header conditions'] : []),
      ...(rewrites && conditions.some(({ exact, regex }) => exact !== undefined || regex !== undefined)
        ? ['prefix replacements without a prefix condition']
        : []),
    ];
  });
}
