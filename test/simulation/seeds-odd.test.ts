/** The other half of the schedules of CI. */

import { checkSeeds } from './check-seeds.ts';

checkSeeds({ first: 1, of: 2 });
