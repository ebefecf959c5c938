/** Where a workload may be that is among no documents: a patch of ours that is lost, another name, an agent, a chart. */

import type { Config } from '../../api/config.ts';
import { elsewhereIn, lostPatches, renamedTo } from '../../manifests/built-elsewhere.ts';
import type { Settled } from '../documents/claims.ts';
import type { Unseen } from '../documents/desired-issues.ts';
import type { FileIds } from '../documents/file-ids.ts';
import type { ManifestIndex } from '../documents/manifest-index.ts';
import { renderedInto } from '../helm/rendered-into.ts';

type Read = {
  readonly blobs: FileIds;
  readonly texts: ReadonlyMap<string, string>;
  readonly claims: Pick<Settled, 'files'>;
  readonly index: Pick<ManifestIndex, 'helmReleases'>;
  readonly config: Config;
};

/** Looks where one is missing alone. */
export function elsewhereOf({ blobs, texts, claims, index, config }: Read): Pick<Unseen, 'lost' | 'elsewhere'> {
  const lost: Unseen['lost'] = (one) => lostPatches({ paths: blobs.all(), texts }, one);
  const elsewhere: Unseen['elsewhere'] = (one) => [
    ...renamedTo(claims.files, one),
    ...elsewhereIn(claims.files),
    ...renderedInto(index.helmReleases(), one, config),
  ];
  return { lost, elsewhere };
}
