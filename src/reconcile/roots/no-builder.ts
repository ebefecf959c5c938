/** Stands where no kustomize is at hand: it builds nothing, and says so. */

import type { Builder } from '../../ports/builder.ts';

export const NO_BUILDER: Builder = {
  isNamed: false,
  build: async () => ({
    kind: 'refused',
    cause: 'missing',
    seen: 'nothing here builds a kustomize folder',
    hint: 'Run the pass where kustomize 5 or newer is installed.',
  }),
};
