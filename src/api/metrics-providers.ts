/** The variables of the environment that say how servers of metrics are reached. */

/** Starts the names: TRANCHE_METRICS_PROD is the address of `prod`, TRANCHE_METRICS_PROD_TOKEN its credential. */
const PREFIX = 'TRANCHE_METRICS_';
export const TOKEN = '_TOKEN';
/** Whose data is meant, where one server has that of several: the header X-Scope-OrgID. */
export const TENANT = '_TENANT';
/** A file of certificates in PEM, for this server alone. */
export const CA = '_CA';
/** Where it is `true`, addresses of the runner's own networks are fine, and http as well. */
export const ALLOW_PRIVATE = `${PREFIX}ALLOW_PRIVATE`;

/** The variable that has the address of a provider: TRANCHE_METRICS_PROD_EU of `prod-eu`. */
export function addressVariable(provider: string): string {
  return `${PREFIX}${provider.toUpperCase().replaceAll('-', '_')}`;
}

/** Whether it names any server, whatever it is called. */
export function namesProviders(env: Readonly<Record<string, string | undefined>>): boolean {
  return Object.entries(env).some(
    ([name, value = '']) => name.startsWith(PREFIX) && name !== ALLOW_PRIVATE && value !== '',
  );
}
