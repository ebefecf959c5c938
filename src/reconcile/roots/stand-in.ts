/**
 * What stands for a build that main does not have just now, while a delivery or a rollback hangs on it: the folder with our
 * patch applied where main has lost the entry, else what main's own line built last, with the patch as it is now. Steps go by
 * neither: what is in the way of the build stays said, and holds them.
 */

import type { Json } from '../../api/json.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { APPLY_ENTRY, applyFile, applyText, type Patched } from '../../manifests/patch-place.ts';
import type { Builder, BuildInput } from '../../ports/builder.ts';
import type { Git, Oid } from '../../ports/git.ts';
import type { builtWorkloads } from './built-workload.ts';
import { closureKey, readClosures, type WholeClosure } from './read-closures.ts';
import { type BuildCache, builtOnce, type RootView } from './read-roots.ts';

type Asked = {
  readonly root: string;
  readonly file: string;
  readonly named: Patched;
  /** The patch as main has it now. */
  readonly text: string;
  /** Files of Flux objects that apply the folder. */
  readonly flux: readonly string[];
};

/** Main's own line, newest first. */
export type Line = { readonly commitAt: (place: number) => Promise<{ readonly oid: Oid } | undefined> };

type World = {
  readonly git: Pick<Git, 'readAt'>;
  readonly line: Line;
  readonly builder: Builder;
  readonly cache: BuildCache;
  readonly onStopped?: () => void;
};

export type Source = {
  /** `withEntry`: main's files, and our patch applied. `earlier`: what people's files ask for now is not known. */
  readonly kind: 'asMain' | 'withEntry' | 'earlier';
  readonly input: BuildInput;
  /** With which of these files the folder is as some commit has it; undefined: as none has it. */
  readonly closure: WholeClosure | undefined;
  readonly built: Pick<ReturnType<typeof builtWorkloads>, 'documents' | 'objects' | 'isAlone'>;
  readonly key: string;
};

/** Whether it is what is looked for. */
type Wanted = (document: ManifestDocument) => boolean;

/** The folder as main has it, with our patch as the last that is done; undefined: it does not build like that. */
export async function withEntry(
  asked: Asked,
  view: RootView,
  wanted: Wanted,
  world: World,
): Promise<Source | undefined> {
  const { input, key = '' } = view;
  if (input === undefined) return undefined;
  const { file, value } = view.root.document;
  const listed = value['transformers'];
  const entries: readonly Json[] = Array.isArray(listed) ? listed.filter((entry) => entry !== APPLY_ENTRY) : [];
  const own = new Map([
    // JSON is YAML: nobody gets to see this text.
    [file, `${JSON.stringify({ ...value, transformers: [...entries, APPLY_ENTRY] })}\n`],
    [applyFile(asked.root), applyText(asked.named)],
    [asked.file, asked.text],
  ]);
  const applied = { input: withFiles(input, own), key: `${key} applies ${asked.text}`, closure: undefined };
  return built(applied, 'withEntry', {
    asked,
    wanted,
    world,
  });
}

/** How far back it is looked for: each look twice as far as the one before, then between the last two. */
const LOOKS_MOST = 13;
/** Builds that run into a limit before the search ends: all other Rollouts wait for them. */
const SLOW_MOST = 2;

/** Of the commits of main's own line that were looked at, the newest that builds; undefined: none does. Throws PortError where Git fails. */
export async function lastBuilt(asked: Asked, wanted: Wanted, world: World): Promise<Source | undefined> {
  const { line } = world;
  let slow = 0;
  const at = async (place: number): Promise<Source | undefined> => {
    const commit = await line.commitAt(place);
    if (commit === undefined || slow >= SLOW_MOST) return undefined;
    return builtThere(asked, commit.oid, wanted, { ...world, onStopped: () => (slow += 1) });
  };
  let [broken, found]: [number, Source | undefined] = [0, undefined];
  let place = 1;
  for (let look = 0; look < LOOKS_MOST && found === undefined; look += 1) {
    if ((await line.commitAt(place)) === undefined) return undefined;
    found = await at(place);
    if (found === undefined) [broken, place] = [place, place * 2];
  }
  while (found !== undefined && place - broken > 1) {
    const middle = Math.floor((place + broken) / 2);
    const newer = await at(middle);
    if (newer === undefined) broken = middle;
    else [place, found] = [middle, newer];
  }
  return found;
}

async function builtThere(asked: Asked, commit: Oid, wanted: Wanted, world: World): Promise<Source | undefined> {
  const closure = (await readClosures(world.git, commit, [asked.root], () => asked.flux)).get(asked.root);
  if (closure?.kind !== 'whole' || !closure.files.some(({ path }) => path === asked.file)) return undefined;
  const input = withFiles(closure, new Map([[asked.file, asked.text]]));
  const key = `${closureKey(closure)} with ${asked.text}`;
  return built({ input, key, closure }, 'earlier', { asked, wanted, world });
}

async function built(
  { input, key, closure }: Pick<Source, 'input' | 'key' | 'closure'>,
  kind: Source['kind'],
  { asked, wanted, world }: { readonly asked: Asked; readonly wanted: Wanted; readonly world: World },
): Promise<Source | undefined> {
  const found = await builtOnce(input, { key, root: { file: asked.file }, ...world });
  if (found.issues.some(({ reason }) => reason === 'BuildStopped')) world.onStopped?.();
  return found.documents.some(wanted) ? { kind, input, closure, built: found, key } : undefined;
}

/** With these texts in the place of those of their paths, or next to them. */
function withFiles({ root, files }: BuildInput, texts: ReadonlyMap<string, string>): BuildInput {
  const others = files.filter(({ path }) => !texts.has(path)).map(({ path, text }) => ({ path, text }));
  return { root, files: [...others, ...[...texts].map(([path, text]) => ({ path, text }))] };
}
