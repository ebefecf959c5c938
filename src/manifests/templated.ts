/** What helps where a manifest is a template of a chart: without values it is nothing that a cluster has. */

export const TEMPLATED_HINT =
  'If a Flux HelmRelease renders it, name that one in its Rollout (docs/helm-releases.md). Else commit what helm template prints, and let the agent apply that.';
