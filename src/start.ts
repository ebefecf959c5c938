/** Where Node starts: the rest of the program is loaded by what an earlier start has compiled of it. */

import { useCompiled } from './compiled.ts';

useCompiled(__dirname);
void import('./main.ts');
