/** The branches that tranche makes for itself: proposals, orders that wait for a merge, and the status. No agent applies any of them. */

const OWN = /^(tranche|tranche-order)\/|^tranche-status(-[0-9]+)?$/;

/** Whether a branch has such a name: a pass on it would deliver what nobody has merged, or write over records. */
export function isOwnBranch(branch: string): boolean {
  return OWN.test(branch);
}
