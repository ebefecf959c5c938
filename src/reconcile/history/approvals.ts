/** Who approved what stands in each Rollout as approved, as the forge shows it. */

import type { Known } from '../../api/known.ts';
import type { ApprovalEvidence } from '../../rollout/proposals/requirements.ts';

/** By the key of the rollout; who is not in it was not asked about. */
export type Approvals = ReadonlyMap<string, Known<ApprovalEvidence>>;
