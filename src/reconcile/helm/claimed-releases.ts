/** Which of several HelmReleases of one name counts, where a Rollout says that it renders its workload. */

import type { Config } from '../../api/config.ts';
import type { ManifestFile } from '../../manifests/parse-file.ts';
import type { Builds } from '../documents/built-over.ts';
import { type Firsts, type Settled, settleDocuments } from '../documents/claims.ts';
import { type HelmReleases, helmReleasesIn } from '../documents/helm-releases.ts';
import { namespaceOf } from '../documents/manifest-index.ts';
import { withBuiltReleases } from './built-releases.ts';
import { carrierOf } from './named-releases.ts';

/**
 * The claims of a commit with those of its HelmReleases, and these without the ones that do not count. Most repositories have no
 * Rollout that names one: then no file is read for it.
 */
export function withReleases(
  claims: Settled,
  {
    texts,
    config,
    firsts,
  }: { readonly texts: ReadonlyMap<string, string>; readonly config: Config; readonly firsts: Firsts },
  built: Builds['built'],
): { readonly claims: Settled; readonly releases: HelmReleases | undefined } {
  const carriers = carriersIn(claims.files);
  if (carriers.length === 0) return { claims, releases: undefined };
  const { all, issues, open: parts } = withBuiltReleases(helmReleasesIn(texts), { built, config, firsts });
  const wanted = new Set(carriers.map(({ namespace, name }) => JSON.stringify([namespace, name])));
  const named = all.filter((one) => wanted.has(JSON.stringify([namespaceOf(one, config), one.object.name])));
  const { losers, open } = settleDocuments(named, config, firsts);
  const gone = new Set(losers.map(({ document }) => document));
  return {
    claims: { ...claims, losers: [...claims.losers, ...losers], open: [...claims.open, ...open, ...parts] },
    releases: { all: all.filter((one) => !gone.has(one)), issues },
  };
}

function carriersIn(files: readonly ManifestFile[]) {
  const rollouts = files.flatMap(({ documents }) => documents.filter(({ object }) => object.kind === 'Rollout'));
  return rollouts.flatMap((rollout) => carrierOf(rollout) ?? []);
}
