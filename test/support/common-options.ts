/** What every verb is called with, where a test hands it the ports. */

import { NO_OVERRIDES } from '../../src/reconcile/pass.ts';

export const COMMON_OPTIONS = {
  repo: '',
  kubeconfig: undefined,
  context: '',
  inCluster: false,
  output: 'text',
  overrides: NO_OVERRIDES,
} as const;
