/** Reads the recorded traces of fixtures/lws-traces and fills in what the files leave out. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type TraceStep = {
  readonly event: { readonly type: string; readonly [key: string]: unknown };
  readonly lws: Record<string, unknown>;
  readonly sts: Record<string, unknown> | null;
  readonly groups: readonly Record<string, unknown>[];
  readonly revisions: number;
  readonly leaderStsRevisions: number;
  readonly rejected?: Record<string, unknown>;
};

export type Trace = { readonly file: string; readonly raw: unknown; readonly steps: readonly TraceStep[] };

const ROOT = join(import.meta.dirname, '../../fixtures/lws-traces');

export function traces(): readonly Trace[] {
  const folders = readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder.name)).map((name) => trace(`${folder.name}/${name}`)),
  );
}

export function trace(file: string): Trace {
  const raw = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as { steps: TraceStep[] };
  let before = new Map<unknown, Record<string, unknown>>();
  const steps = raw.steps.map((step) => {
    const groups = step.groups.map((group: unknown) =>
      typeof group === 'number'
        ? (before.get(group) ?? {})
        : { leaderReplaced: false, workersReplaced: false, ...(group as Record<string, unknown>) },
    );
    before = new Map(groups.map((group) => [group['index'], group]));
    return { ...step, groups };
  });
  return { file, raw, steps };
}
