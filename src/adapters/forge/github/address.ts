/** Where the API of the forge is that serves a repository, from the URL that Git reads it by. */

export type ForgeAddress = {
  /** Without a slash at its end. */
  readonly api: string;
  readonly graphql: string;
  readonly owner: string;
  readonly name: string;
};

/**
 * The address of `repository`, `https://host/owner/name` with or without `.git`; undefined: it has another shape, so it is
 * not on a GitHub. `apiUrl` stands for what is derived from the host: github.com, a subdomain of ghe.com, or a GitHub
 * Enterprise Server, whose API is below `/api/v3`.
 */
export function forgeAddress(repository: string, apiUrl: string | undefined): ForgeAddress | undefined {
  if (!URL.canParse(repository)) return undefined;
  const url = new URL(repository);
  const [, owner, name] = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(url.pathname) ?? [];
  if (!/^https?:$/.test(url.protocol) || owner === undefined || name === undefined) return undefined;
  const api = (apiUrl ?? apiOf(url)).replace(/\/+$/, '');
  // GitHub Enterprise Server has both below /api; elsewhere GraphQL is next to the routes.
  const graphql = api.endsWith('/api/v3') ? `${api.slice(0, -'/v3'.length)}/graphql` : `${api}/graphql`;
  return { api, graphql, owner, name };
}

function apiOf({ protocol, host, hostname }: URL): string {
  if (hostname === 'github.com' || hostname === 'www.github.com') return 'https://api.github.com';
  return hostname.endsWith('.ghe.com') ? `https://api.${host}` : `${protocol}//${host}/api/v3`;
}
