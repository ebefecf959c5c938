/** A repository whose workload a Flux HelmRelease renders, in the shape of charts for NIM: no file has the LeaderWorkerSet. */

import { ROLLOUT_FILE, ROLLOUT_TEXT } from './vllm.ts';

export const RELEASE_FILE = 'apps/vllm/release.yaml';

export const RELEASE_TEXT = `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: vllm
  namespace: llm
spec:
  interval: 5m
  chart:
    spec:
      chart: nim-llm
      version: 1.3.0
      sourceRef: {kind: HelmRepository, name: nim}
  values:
    image: {tag: v0.10.0}
    multiNode: {workers: 2}
`;

export const CARRIED_ROLLOUT = ROLLOUT_TEXT.replace(
  '  namespace: llm\n',
  '  namespace: llm\n  annotations:\n    tranche.dev/carrier: HelmRelease/llm/vllm\n',
);

export const HELM_FILES = { [RELEASE_FILE]: RELEASE_TEXT, [ROLLOUT_FILE]: CARRIED_ROLLOUT };
