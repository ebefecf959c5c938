/** What the files of a commit claim, read for all contests of a pass at once: who makes many of them makes none of the others wait. */

import type { Config } from '../../api/config.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import type { Git, Oid } from '../../ports/git.ts';
import { type Contest, claimsOf, managedClaim } from '../documents/claims.ts';
import { groupedBy } from '../documents/grouped.ts';

/** How many commits are read in one pass, and how many of them whole, as where a document was moved. */
const READS_MOST = 500;
const WHOLE_MOST = 50;
const SUFFIXES = ['.yaml', '.yml', '.json'];

/** By claim, the paths that have it. */
type Claims = ReadonlyMap<string, readonly string[]>;

export type ClaimsReader = {
  /** Which of these paths have the claim; undefined: too much was read before. Throws PortError. */
  readonly holders: (commit: Oid, claim: string, paths: readonly string[]) => Promise<readonly string[] | undefined>;
  /** The same of all paths that main is read for. */
  readonly everywhere: (commit: Oid, claim: string) => Promise<readonly string[] | undefined>;
};

/** For one head. A file that two commits have alike is parsed once. */
export function claimsReader(
  git: Git,
  { config, contests }: { readonly config: Config; readonly contests: readonly Contest[] },
): ClaimsReader {
  const markers = [...new Set(contests.map(({ marker }) => marker))];
  const interests = [...new Set([...markers, LWS_KIND])];
  const contested = new Set(contests.flatMap(({ files }) => files));
  const parsed = new Map<string, ReadonlySet<string>>();
  const claimed = (path: string, oid: Oid, text: string): ReadonlySet<string> => {
    const key = `${oid} ${path}`;
    const { documents } = parsed.has(key) ? { documents: [] } : parseManifestFile(path, text, interests);
    const claims = parsed.get(key) ?? new Set(documents.flatMap((document) => claimedBy(document, config)));
    parsed.set(key, claims);
    return claims;
  };
  const read = async (commit: Oid, paths: readonly string[]): Promise<Claims> => {
    const { files } = await git.readAt(commit, { paths, suffixes: SUFFIXES, markers });
    const having: { readonly claim: string; readonly path: string }[] = [];
    for (const { path, oid, content } of files)
      if (content.kind === 'text') for (const claim of claimed(path, oid, content.text)) having.push({ claim, path });
    return new Map(
      [...groupedBy(having, ({ claim }) => claim)].map(([claim, all]) => [claim, all.map(({ path }) => path)]),
    );
  };
  const some = bounded(READS_MOST, (commit) => read(commit, [...contested]));
  const whole = bounded(WHOLE_MOST, (commit) => read(commit, config.paths));
  const others = bounded(READS_MOST, (at) => read(at.slice(0, at.indexOf(' ')), [at.slice(at.indexOf(' ') + 1)]));
  return {
    holders: async (commit, claim, paths) => {
      const inFiles = await some(commit);
      const moved = await Promise.all(
        paths.filter((path) => !contested.has(path)).map((path) => others(`${commit} ${path}`)),
      );
      const found: string[] = [];
      for (const claims of [inFiles, ...moved]) {
        if (claims === undefined) return undefined;
        for (const path of claims.get(claim) ?? []) found.push(path);
      }
      const asked = new Set(paths);
      return found.filter((path) => asked.has(path));
    },
    everywhere: async (commit, claim) => {
      const claims = await whole(commit);
      return claims === undefined ? undefined : (claims.get(claim) ?? []);
    },
  };
}

function claimedBy(document: ManifestDocument, config: Config): readonly string[] {
  return [...claimsOf(document, config), ...managedClaim(document, config)];
}

/** What was read once is not read again; undefined: there are no more than `most`. */
function bounded(most: number, read: (key: string) => Promise<Claims>): (key: string) => Promise<Claims | undefined> {
  const known = new Map<string, Promise<Claims>>();
  return async (key) => {
    const found = known.get(key) ?? (known.size < most ? read(key) : undefined);
    if (found !== undefined) known.set(key, found);
    return found;
  };
}
