/** The port to kustomize in a simulated world: the model, and how the program of a machine fails. */

import type { Build, Builder, BuildInput } from '../../src/ports/builder.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { outputOf } from './built-view.ts';

/** A machine that is full, a build that takes too long, and no program at all. */
export type BuildFault = 'fails' | 'stopped' | 'missing';

export function buildWith({ files, root }: BuildInput, fault: BuildFault | undefined): Build {
  if (fault === 'fails')
    throw new PortError('files for kustomize cannot be written: ENOSPC', {
      port: 'builder',
      operation: 'build',
      retryable: true,
      hint: 'Make room.',
    });
  const hint = 'Correct the files.';
  if (fault !== undefined) return { kind: 'refused', cause: fault, seen: `kustomize is ${fault}`, hint };
  const { build, text } = outputOf(Object.fromEntries(files.map((file) => [file.path, file.text])), root);
  if (build.kind === 'refused') return { kind: 'refused', cause: 'fails', seen: build.seen, hint };
  return { kind: 'built', text };
}

export const modelBuilder: Builder = {
  isNamed: true,
  build: (input) => Promise.resolve(buildWith(input, undefined)),
};
