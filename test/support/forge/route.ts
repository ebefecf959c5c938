/** What a route of the simulated forge is given, and what it answers. */

import type { Openapi } from './openapi.ts';
import type { Account, ForgeRepository } from './repository.ts';

export type Answered = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

export type RouteContext = {
  readonly openapi: Openapi;
  readonly repository: ForgeRepository;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly by: Account;
  readonly url: string;
  /** How many lists do not show a pull request that is opened now. */
  readonly lag: number;
};

export type Route = {
  /** The permission that it needs, as GitHub names it. */
  readonly needs: readonly [name: string, level: 'read' | 'write'];
  readonly run: (context: RouteContext) => Promise<Answered> | Answered;
};

/** A refusal in GitHub's form. */
export function problem(status: number, message: string, errors?: readonly unknown[]): Answered {
  const documentation_url = 'https://docs.github.com/rest';
  return {
    status,
    body: { message, documentation_url, ...(errors === undefined ? {} : { errors }), status: String(status) },
  };
}
