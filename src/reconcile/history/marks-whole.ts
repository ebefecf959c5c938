/** The workload as it reads with each annotation of its delivery once, and none of them lost by a squash that lost its commits as well. */

import type { Marks } from '../../api/marks.ts';
import { sameRelease } from '../../api/release.ts';
import type { Rollout } from '../../api/rollout.ts';
import type { StartedRouting } from '../../api/started-routing.ts';
import { isOneWorkload } from '../../api/styles.ts';
import { unifiedDiff } from '../../manifests/diff.ts';
import { parseManifestFile } from '../../manifests/parse-file.ts';
import { applyEdits } from '../../manifests/splice/apply-edits.ts';
import { choose } from '../../manifests/splice/choose.ts';
import { markEdits } from '../../rollout/edits/change-edits.ts';
import { routedMarks } from '../../rollout/ladders/routed-marks.ts';
import { readWorkload } from '../documents/read-workload.ts';
import type { GitReader } from './git-reader.ts';
import { marksInHistory } from './marks-in-history.ts';
import { withMarksOnce } from './marks-there-twice.ts';

type Given = Parameters<typeof withMarksOnce>[1];
type Once = NonNullable<Awaited<ReturnType<typeof withMarksOnce>>>;

/**
 * The Rollout and the texts with what `withMarksOnce` takes out and with the annotations of a delivery by shares that are lost, where
 * main's own line does not tell what they were: no group goes before its share by what is left of them. undefined: none is
 * there twice or lost. Throws PortError where Git fails for now.
 */
export async function withMarksWhole(git: GitReader, given: Given): Promise<Once | undefined> {
  const once = await withMarksOnce(git, given);
  const { entry, texts, known } = { ...given, ...once };
  const { workload, identity } = entry;
  const found = workload === undefined ? undefined : readWorkload(workload).workload?.workload;
  const { marks } = found ?? {};
  // Of what is built or rendered the annotations stand in a file of ours.
  const isOwn = entry.over === undefined && identity?.root === undefined && identity?.carrier === undefined;
  if (workload === undefined || marks === undefined || !isOwn) return once;
  const routing = routingOf(entry.reading.rollout?.rollout);
  const whole = routedMarks(marks, { partition: found?.partition ?? 0, routing });
  const before = texts.get(workload.file);
  if (whole === undefined || before === undefined || (await isTold(git, entry, marks))) return once;
  const { file, object } = workload;
  const edited = applyEdits(before, { file, object, edits: markEdits(marks, whole) }, { known, aliases: 'writeOut' });
  if (edited.kind === 'refused') return once;
  const now = choose(parseManifestFile(file, edited.text, [object.kind], known), object);
  if (now?.kind !== 'ok') return once;
  const { text } = edited;
  return {
    entry: { ...entry, workload: now.document },
    texts: { get: (path) => (path === file ? text : texts.get(path)) },
    text,
    file,
    diff: `${once?.diff ?? ''}${unifiedDiff({ file, before, after: text })}`,
  };
}

/** Whether a commit of ours says what this delivery had: then that counts. */
async function isTold(git: GitReader, entry: Given['entry'], { release }: Marks): Promise<boolean> {
  const written = await marksInHistory(git, entry, undefined);
  return written.kind === 'known' && written.value.step !== undefined && sameRelease(written.value.release, release);
}

function routingOf(plan: Pick<Rollout, 'style' | 'routing'> | undefined): StartedRouting | undefined {
  if (plan?.routing === undefined || !isOneWorkload(plan.style)) return undefined;
  const { service, pools, routes } = plan.routing;
  const named = routes.map(({ kind, name }) => ({ kind, name }));
  return pools === undefined ? { service, routes: named } : { pools, routes: named };
}
