/**
 * Gives yaml an empty environment, as the bundle does.
 *
 * It asks for it once for each word that it reads, for its own debugging: a quarter of the time of parsing. Nothing else
 * sees another environment.
 */

import Module from 'node:module';

type Load = (request: string, parent: { readonly filename?: string } | undefined, ...rest: unknown[]) => unknown;

const loader = Module as unknown as { _load: Load };
const { _load: load } = loader;
const ASKING = /[/\\]yaml[/\\]dist[/\\](parse[/\\]parser|compose[/\\]composer)\.js$/;

/** To be done before yaml is loaded. As often as one likes: this file is loaded once a worker. */
export function withoutEnvironment(): void {
  // oxlint-disable-next-line no-underscore-dangle -- it is Node's name
  loader._load = given;
}

function given(this: unknown, ...asked: Parameters<Load>): unknown {
  const [request, parent] = asked;
  return request === 'process' && ASKING.test(parent?.filename ?? '') ? { env: {} } : load.apply(this, asked);
}
