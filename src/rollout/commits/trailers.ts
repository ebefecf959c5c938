/** The trailers of commits, printed and parsed here only: people and tools read them for years. */

/** Changing one of these breaks every reader of the history. */
export const TRAILER = {
  rollout: 'Rollout',
  release: 'Rollout-Release',
  step: 'Rollout-Step',
  reason: 'Rollout-Reason',
  plannedFrom: 'Planned-From',
  /** Only where the file tells: images of the version that is replaced, and of the release. */
  image: 'Rollout-Image',
  /** Only where policies govern it that can say no: as they were. */
  policies: 'Rollout-Policies',
  /** Only where windows are shut for other releases: whose exceptions let it pass. */
  exceptions: 'Rollout-Exceptions',
  /** Only where metrics were judged, a line each: the metric, its verdict, and bad of all requests of both versions. */
  analysis: 'Rollout-Analysis',
  /** Only where a step rests on an approval: the commit of main that brought it, or the pull request that the forge showed. */
  approvedBy: 'Approved-By',
  /** Only in orders: who gave it, as far as the environment or `--by` says. */
  orderedBy: 'Ordered-By',
} as const;

/** Those that every step has. */
export type Trailers = Readonly<
  Record<
    Exclude<keyof typeof TRAILER, 'image' | 'policies' | 'exceptions' | 'analysis' | 'approvedBy' | 'orderedBy'>,
    string
  >
>;

/** The last paragraph of a step commit, as `parseTrailers` reads it. */
export function printTrailers(trailers: Trailers): string {
  const keys: readonly (keyof Trailers)[] = ['rollout', 'release', 'step', 'reason', 'plannedFrom'];
  return keys.map((key) => `${TRAILER[key]}: ${oneLine(trailers[key])}`).join('\n');
}

/** The policies that a step commit names, as they governed it; undefined: it names none. */
export function policiesIn(message: string): readonly string[] | undefined {
  const key = `${TRAILER.policies}: `;
  // A squash has those of several steps: the last is that of the newest.
  const line = message.split(/\r?\n/).findLast((one) => one.startsWith(key));
  return line?.slice(key.length).split(', ');
}

/** The exceptions that a step commit says it passed by, as `freeze by Ada until 2026-12-27T00:00:00Z`; empty: none. */
export function exceptionsIn(message: string): readonly string[] {
  const key = `${TRAILER.exceptions}: `;
  const line = message.split(/\r?\n/).findLast((one) => one.startsWith(key));
  return line?.slice(key.length).split('; ') ?? [];
}

/** The trailers of one of our step commits, from its last paragraph; undefined for any other message. */
export function parseTrailers(message: string): Trailers | undefined {
  const last = paragraphsOf(message).at(-1) ?? '';
  return last.split('\n').every((line) => line.includes(': ')) ? trailersOf(last) : undefined;
}

/**
 * The steps that a message names anywhere: a squash puts several messages into one and adds paragraphs of its own, a
 * cherry-pick a line. What it names it need not have done.
 */
export function trailersIn(message: string): readonly Trailers[] {
  return paragraphsOf(message).flatMap((paragraph) => trailersOf(paragraph) ?? []);
}

/** The paragraphs of a message. */
export function paragraphsOf(message: string): readonly string[] {
  // Web forms and mail write other line ends than we do.
  return message
    .replaceAll('\r\n', '\n')
    .trimEnd()
    .split(/\n{2,}/);
}

/** `Key: value` lines of a paragraph; of several with one key the last. */
export function linesOf(paragraph: string): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  for (const line of paragraph.split('\n')) {
    const colon = line.indexOf(': ');
    if (colon < 0) continue;
    lines.set(line.slice(0, colon), line.slice(colon + 2));
  }
  return lines;
}

function trailersOf(paragraph: string): Trailers | undefined {
  const lines = linesOf(paragraph);
  const [rollout, release, step] = [lines.get(TRAILER.rollout), lines.get(TRAILER.release), lines.get(TRAILER.step)];
  const [reason, plannedFrom] = [lines.get(TRAILER.reason), lines.get(TRAILER.plannedFrom)];
  if (
    rollout === undefined ||
    release === undefined ||
    step === undefined ||
    reason === undefined ||
    plannedFrom === undefined
  )
    return undefined;
  return { rollout, release, step, reason, plannedFrom };
}

/** Text of the cluster or of people must not be able to add a line, and so a trailer, of its own. */
export function oneLine(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are exactly what must go
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();
}
