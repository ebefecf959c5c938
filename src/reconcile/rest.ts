/** What is remembered of a Rollout at rest: what it was decided on, and what came of it. */

import type { Observation } from './history/observation.ts';
import type { Reconciled } from './outcome.ts';

export type Looked = Pick<Observation, 'desired' | 'entry' | 'stored' | 'now'>;

/** What one was decided on, and what came of it. */
export type Rest = { readonly of: Looked; readonly one: Reconciled };

/** By the printed key. Owned by the caller; losing it costs time only. */
export type Rested = ReadonlyMap<string, Rest>;
