/** The branches that tranche makes for itself: proposals, orders and new files that wait for a merge, and the status. No agent applies any. */

/** What their names start with. People push the last two with their own credential: rulesets let the App alone make the first. */
export const OWN = { proposals: 'tranche/', orders: 'tranche-order/', init: 'tranche-init/' } as const;

const STATUS = /^tranche-status(-[0-9]+)?$/;

/** Whether a branch has such a name: a pass on it would deliver what nobody has merged, or write over records. */
export function isOwnBranch(branch: string): boolean {
  return STATUS.test(branch) || Object.values(OWN).some((prefix) => branch.startsWith(prefix));
}
