/** Runs before every test file: properties try the same values each time; PROPERTY_SEED=n tries others. */

import { configureGlobal } from 'fast-check';
import { withoutEnvironment } from './yaml-environment.ts';

const SEED = 20_261_121;

configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? SEED) });
withoutEnvironment();
