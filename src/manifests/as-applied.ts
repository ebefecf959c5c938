/** A kustomize folder as the agent builds it: with what its own objects and files add to the kustomization. */

import { withArgoImages } from './argo-source.ts';
import { withFluxFields } from './flux-merge.ts';

/** The very input where nothing is added. */
export function asApplied<Input extends Parameters<typeof withFluxFields>[0]>(input: Input): Input {
  return withFluxFields(withArgoImages(input));
}
