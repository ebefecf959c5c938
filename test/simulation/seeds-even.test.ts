/** Half of the schedules of CI: two files, so that two cores share them. */

import { checkSeeds } from './check-seeds.ts';

checkSeeds({ first: 0, of: 2 });
