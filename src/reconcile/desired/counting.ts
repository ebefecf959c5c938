/** Which documents of a commit count: what kustomize builds in the place of its parts, and of several of one name the first. */

import type { Config } from '../../api/config.ts';
import type { ManifestDocument, ManifestFile } from '../../manifests/parse-file.ts';
import { type Builds, isStandIn, standsFor } from '../documents/built-over.ts';
import { claimsOf, type Firsts, type Settled, settleClaims, without } from '../documents/claims.ts';
import type { HelmReleases } from '../documents/helm-releases.ts';
import { partsOf } from '../documents/own-delivery.ts';
import { withReleases } from '../helm/claimed-releases.ts';
import { withBuilds } from './with-builds.ts';

type Counting = {
  /** All that are there. */
  readonly files: readonly ManifestFile[];
  readonly claims: Settled;
  readonly releases: HelmReleases | undefined;
  /** The builds that count: what another folder builds under the same name is a twin. */
  readonly built: Builds['built'];
};

type Of = {
  readonly texts: ReadonlyMap<string, string>;
  readonly config: Config;
  readonly firsts: Firsts;
  readonly built: Builds['built'];
};

/**
 * A folder that is not built now has its patch all the same: that contests the name, so that what another folder builds does not
 * become the workload meanwhile. It is no workload itself.
 */
export function countingOf(parsed: readonly ManifestFile[], { texts, config, firsts, built }: Of): Counting {
  const parts = partsOf({ built: built.filter(({ named }) => named.kind === undefined), config, firsts });
  const there = withBuilds(parsed, built, parts);
  const settled = settleClaims(there, config, firsts);
  const asked = parts.open(parsed.flatMap(({ documents }) => documents));
  const { claims, releases } = withReleases(
    { ...settled, open: [...settled.open, ...asked] },
    { texts, config, firsts },
    built,
  );
  const lost = new Set(claims.losers.map(({ document }) => document));
  const counted = built.filter((one) => {
    const document = standsFor(one);
    return document === undefined || !lost.has(document);
  });
  const standIns = new Set(built.flatMap((one) => (isStandIn(one) ? (one.patch ?? []) : [])));
  if (standIns.size === 0) return { files: there, claims, releases, built: counted };
  // Nobody knows yet which of several it is: none of the others is taken for it.
  const isOpen = (one: ManifestDocument): boolean =>
    claims.open.some(({ claim, files }) => files.includes(one.file) && claimsOf(one, config).includes(claim));
  const gone = new Set([...standIns].filter((one) => !isOpen(one)));
  return {
    files: there.map((file) => without(file, standIns)),
    claims: { ...claims, files: claims.files.map((file) => without(file, gone)) },
    releases: releases && { ...releases, all: releases.all.filter((one) => !gone.has(one)) },
    built: counted,
  };
}
