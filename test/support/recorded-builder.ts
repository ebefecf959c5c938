/**
 * The port to kustomize, answered from the recordings in fixtures/kustomize as support/kustomize.ts does, without a process.
 * With KUSTOMIZE=<path of the real one> it builds behind the production adapter, and fails where that differs from what is
 * recorded; with KUSTOMIZE_BUILT=<folder> each recording is held against it once, and stands for it from then on. UPDATE_GOLDEN=1 records, and UPDATE_GOLDEN=missing only what no recording has. Ids of commits are the same in all recordings: each message of a commit would change them.
 */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { kustomizeBuilder } from '../../src/adapters/kustomize/kustomize-builder.ts';
import type { Build, Builder, BuildInput } from '../../src/ports/builder.ts';
import { realKustomize } from './kustomize.ts';

const RECORDINGS = fileURLToPath(new URL('../../fixtures/kustomize', import.meta.url));

/** Where recordings are marked that the real one has borne out; empty: each build is made. */
const BUILT = process.env['KUSTOMIZE_BUILT'] ?? '';

type Recorded = {
  readonly root: string;
  readonly status: number;
  readonly out: readonly string[];
  readonly err: string;
};

/** Counts what it is asked for: a pass at rest asks for nothing. */
export function recordedBuilder(): Builder & { readonly built: string[] } {
  const built: string[] = [];
  const update = process.env['UPDATE_GOLDEN'] ?? '';
  const real = realKustomize === '' ? undefined : kustomizeBuilder({ named: realKustomize, searchPath: '' });
  return {
    isNamed: true,
    built,
    build: async (input) => {
      built.push(input.root);
      const { plain, ids } = withoutIds(input);
      const file = path.join(RECORDINGS, `${hashOf(plain)}.json`);
      const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Recorded) : undefined;
      const mark = path.join(BUILT, path.basename(file));
      const isHeld = BUILT !== '' && existsSync(mark);
      if (known !== undefined && (update === 'missing' || isHeld)) return answerOf(known, ids);
      const recorded = real === undefined ? known : recordedOf(plain, await real.build(plain));
      if (recorded === undefined) throw new Error(`no build of this is recorded: ${file}`);
      if (real !== undefined && update !== '') writeFileSync(file, `${JSON.stringify(recorded, undefined, 2)}\n`);
      else if (JSON.stringify(recorded) !== JSON.stringify(known))
        throw new Error(`kustomize builds otherwise than is recorded in ${file}`);
      if (real !== undefined && BUILT !== '') writeFileSync(mark, '');
      return answerOf(recorded, ids);
    },
  };
}

function recordedOf({ root }: BuildInput, build: Build): Recorded {
  if (build.kind === 'refused') return { root, status: 1, out: [], err: build.seen };
  return { root, status: 0, out: build.text.split('\n'), err: '' };
}

function answerOf({ status, out, err }: Recorded, ids: readonly string[]): Build {
  if (status !== 0) return { kind: 'refused', cause: 'fails', seen: err, hint: 'Correct the files.' };
  return { kind: 'built', text: out.join('\n').replace(PLACE, (_, at: string) => ids[Number(at)] ?? '') };
}

const ID = /\b[0-9a-f]{40}\b/g;
const PLACE = /\b0{38}([0-9]{2})\b/g;

function withoutIds(input: BuildInput): { readonly plain: BuildInput; readonly ids: readonly string[] } {
  const ids: string[] = [];
  const files = input.files.map(({ path: name, text }) => ({
    path: name,
    text: text.replace(ID, (id) => {
      if (!ids.includes(id)) ids.push(id);
      return `${'0'.repeat(38)}${String(ids.indexOf(id)).padStart(2, '0')}`;
    }),
  }));
  return { plain: { root: input.root, files }, ids };
}

function hashOf({ root, files }: BuildInput): string {
  const hash = createHash('sha256').update(root);
  for (const { path: name, text } of [...files].sort((a, b) => (a.path < b.path ? -1 : 1)))
    hash.update(`\0${name}\0${text}`);
  return hash.digest('hex').slice(0, 16);
}
