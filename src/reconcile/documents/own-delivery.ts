/** A plain document that tranche delivers stays one of its own, also where a folder of others lists it and has a patch over it. */

import type { Config } from '../../api/config.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { type BuiltOver, isPartOf } from './built-over.ts';
import { type Contest, type Firsts, managedClaim } from './claims.ts';
import { namespaceOf } from './manifest-index.ts';

type With = { readonly built: readonly BuiltOver[]; readonly config: Config; readonly firsts: Firsts };

/** Documents that builds are made of, and that are none of their own. */
type Parts = {
  readonly isPart: (document: ManifestDocument) => boolean;
  /** Who had annotations of tranche first is not known yet: until then both are there. */
  readonly open: (documents: readonly ManifestDocument[]) => readonly Contest[];
};

/**
 * A base has the name of what is built from it, and had it before the patch. So it is the annotations that count: who had them first
 * is what is delivered. Those that somebody writes into a base by hand came after those of the patch.
 */
export function partsOf({ built, config, firsts }: With): Parts {
  const places = new Set(built.map(({ file }) => file));
  const contestOf = (one: BuiltOver, document: ManifestDocument): Contest | undefined => {
    const [claim] = places.has(document.file) ? [] : managedClaim(document, config);
    if (claim === undefined) return undefined;
    const files = [document.file, one.file].sort();
    const { kind, name } = document.object;
    return { id: JSON.stringify([claim, ...files]), claim, marker: kind, name, files };
  };
  const over = (document: ManifestDocument): readonly BuiltOver[] => {
    const own = namespaceOf(document, config);
    return built.filter((one) => isPartOf(one, document, own));
  };
  return {
    isPart: (document) =>
      over(document).some((one) => {
        const contest = contestOf(one, document);
        return contest === undefined || firsts.get(contest.id) === one.file;
      }),
    open: (documents) =>
      documents.flatMap((document) =>
        over(document).flatMap((one) => {
          const contest = contestOf(one, document);
          return contest === undefined || firsts.get(contest.id) !== undefined ? [] : [contest];
        }),
      ),
  };
}
