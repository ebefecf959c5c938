/** The servers of metrics that the environment names, and the variables that say how each is reached. */

import type { Network } from '../network/proxy.ts';

/** Starts the names: TRANCHE_METRICS_PROD is the address of `prod`, TRANCHE_METRICS_PROD_TOKEN its credential. */
export const PREFIX = 'TRANCHE_METRICS_';
export const TOKEN = '_TOKEN';
/** Whose data is meant, where one server has that of several: the header X-Scope-OrgID. */
export const TENANT = '_TENANT';
/** A file of certificates in PEM, for this server alone. */
export const CA = '_CA';
/** Where it is `true`, addresses of the runner's own networks are fine, and http as well. */
export const ALLOW_PRIVATE = `${PREFIX}ALLOW_PRIVATE`;

/** As files name them: `prod-eu` for TRANCHE_METRICS_PROD_EU. */
export function providersIn(env: Network['env']): readonly string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && name !== ALLOW_PRIVATE)
    .filter((name) => ![TOKEN, TENANT, CA].some((end) => name.endsWith(end)) && (env[name] ?? '') !== '')
    .map((name) => name.slice(PREFIX.length).toLowerCase().replaceAll('_', '-'))
    .sort();
}
