/** What `reconcile --watch` is called with where nothing else is said. */

import type { ReconcileOptions } from '../../src/commands/reconcile.ts';
import { COMMON_OPTIONS } from './common-options.ts';

export const WATCHING: ReconcileOptions = {
  ...COMMON_OPTIONS,
  watch: true,
  savePass: undefined,
  only: [],
};
