/** The strategies by their Kruise rolling style. A new one is a file and a line here. */

import type { RollingStyle } from '../../api/rollout.ts';
import type { Decision } from '../move.ts';
import type { Situation } from '../situation.ts';
import { decidePartition } from './partition.ts';

export type Strategy = (situation: Situation) => Decision;

export const strategies = { partition: decidePartition } satisfies Partial<Record<RollingStyle, Strategy>>;
