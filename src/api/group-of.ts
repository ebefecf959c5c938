/** The API group of an object, apart from its version. */

/** The API group of an `apiVersion`; empty: the core API. What stands behind the first `/` names no group. */
export function groupOf(apiVersion: string): string {
  const [group = '', ...version] = apiVersion.split('/');
  return version.length === 0 ? '' : group;
}
