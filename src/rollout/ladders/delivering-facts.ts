/** A delivery in progress with all that one decision knows of it. */

import type { Situation } from '../situation.ts';
import type { DeliverySeen } from './traffic-view.ts';

export type Delivering = DeliverySeen & { readonly situation: Situation };
