/** What `reconcile --watch` is called with where nothing else is said. */

import type { ReconcileOptions } from '../../src/commands/reconcile.ts';
import { NO_OVERRIDES } from '../../src/reconcile/pass.ts';

export const WATCHING: ReconcileOptions = {
  repo: '',
  kubeconfig: undefined,
  context: '',
  inCluster: false,
  output: 'text',
  overrides: NO_OVERRIDES,
  watch: true,
  savePass: undefined,
  only: [],
};
