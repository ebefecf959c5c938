/** Where in a generated repository the measured Rollout lives. */

import { serviceFolder } from '../test/support/repository-generator.ts';

export const appFolder = serviceFolder(7, 1);
export const lwsFile = `${appFolder}/lws.yaml`;
export const rolloutFile = 'rollouts/vllm.yaml';
export const configFile = 'tranche.yaml';
