/** Who may write the status branch next to tranche, and what to do about it. */

import { CONFIG_FILE } from '../api/config.ts';
import { isKnown } from '../api/known.ts';
import type { Finding, PreflightRules } from './preflight-findings.ts';
import { isOurName } from './status/others-branch.ts';

/** GitHub starts no workflow by what the token of a run does, so that none starts itself. */
export const TOKEN_OF_RUN = 'github-actions[bot]';

/** What anyone who can push there could still do is in the table of REFERENCE.md: with a key much less. */
export function statusGuard({ statusBranch, status, isSigned, self }: PreflightRules): readonly Finding[] {
  if (!isKnown(status.isOpenToOthers, true)) return [];
  const name = 'StatusOpenToOthers';
  const open = `no ruleset restricts who creates, moves and deletes ${statusBranch}`;
  const unsigned =
    'anyone who can push could keep a delivery waiting, hide what was seen, and use up what an agent takes of a pause';
  const rule = `import policies/github/ruleset-status.json${isOurName(statusBranch) ? '' : ` with refs/heads/${statusBranch} in the place of its branches`}`;
  if (isSigned === true)
    return [
      {
        name,
        level: 'warning',
        seen: `${open}: a key signs it, so anyone who can push could delete it and keep a delivery waiting, or put all of an earlier one back before a process that starts, which hides what was seen since`,
        action: `To keep them out, ${rule}`,
      },
    ];
  if (self.login === TOKEN_OF_RUN)
    return [
      {
        name,
        level: 'warning',
        seen: `${open}, no rule lets the token of a run past, and no key signs it: ${unsigned}`,
        action: `Use a GitHub App (policies/github/reconcile-app.yaml) and ${rule}, or name a key in statusKeys of ${CONFIG_FILE}`,
      },
    ];
  return [
    {
      name,
      seen: `${open}, and no key signs it: ${unsigned}`,
      action: `${rule[0]?.toUpperCase()}${rule.slice(1)}, or name a key in statusKeys of ${CONFIG_FILE}`,
    },
  ];
}
