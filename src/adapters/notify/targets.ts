/** The targets of notifications that the environment names, and the variables that say how each is reached. */

import type { Network } from '../network/proxy.ts';

/** Starts the names of targets: TRANCHE_NOTIFY_PROD is the address of `prod`, TRANCHE_NOTIFY_PROD_TOKEN its credential. */
export const PREFIX = 'TRANCHE_NOTIFY_';

export const TOKEN = '_TOKEN';

/** Where it is `true`, addresses of the runner's own networks are fine, and http as well. */
export const ALLOW_PRIVATE = `${PREFIX}ALLOW_PRIVATE`;

/** As files name them: `prod-eu` for TRANCHE_NOTIFY_PROD_EU. */
export function targetsIn(env: Network['env']): readonly string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && name !== ALLOW_PRIVATE && !name.endsWith(TOKEN))
    .filter((name) => (env[name] ?? '') !== '')
    .map((name) => name.slice(PREFIX.length).toLowerCase().replaceAll('_', '-'))
    .sort();
}
