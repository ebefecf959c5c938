/** Puts HelmReleases that kustomize builds in the place of the documents that they are built from. */

import type { Config } from '../../api/config.ts';
import { type BuiltOver, standsFor } from '../documents/built-over.ts';
import type { Contest, Firsts } from '../documents/claims.ts';
import type { HelmReleases } from '../documents/helm-releases.ts';
import { partsOf } from '../documents/own-delivery.ts';

/** Each stands at its patch; the documents of its name that it is built from, the patch among them, are none of their own. */
export function withBuiltReleases(
  { all, issues }: HelmReleases,
  { built, config, firsts }: { readonly built: readonly BuiltOver[]; readonly config: Config; readonly firsts: Firsts },
): HelmReleases & { readonly open: readonly Contest[] } {
  const releases = built.filter(({ named }) => named.kind !== undefined);
  if (releases.length === 0) return { all, issues, open: [] };
  const { isPart, open } = partsOf({ built: releases, config, firsts });
  return {
    all: [...all.filter((document) => !isPart(document)), ...releases.flatMap((one) => standsFor(one) ?? [])],
    issues,
    open: open(all),
  };
}
