/** How a canary of the usual files comes to each of its rungs, and edits of what is there. Nothing is played while this loads. */

import { ladderFiles, ladderRollout } from './ladder.ts';
import { type Found, passed, releaseIn, type Stand, settledOn } from './ladder-pass.ts';
import { LWS_FILE, NEW, OLD } from './vllm.ts';

export const STEPS = [
  'replicas: 1, traffic: 5%, pause: {duration: 60}',
  'replicas: 50%, traffic: 20%, pause: {duration: 60}',
  'replicas: 100%, traffic: 50%, pause: {duration: 60}',
];
export const files = ladderFiles(ladderRollout('canary', STEPS));
export const ONE = ladderFiles(
  ladderRollout('canary', [
    'replicas: 1, traffic: 5%, pause: {duration: 60}',
    'replicas: 100%, traffic: 100%, pause: {duration: 60}',
  ]),
  [['replicas: 4', 'replicas: 1']],
);
export const NEWER = NEW.replace(/[0-9]+$/, '99');

/** The texts with every `from` of one file replaced. */
export function edited(stand: Stand, file: string, from: string | RegExp, to: string): Stand {
  const text = stand.texts.get(file) ?? '';
  const now = text.replace(from, to);
  if (now === text) throw new Error(`nothing to replace in ${file}: ${from}`);
  return { ...stand, texts: new Map([...stand.texts, [file, now]]) };
}

/** The user's own document, which is the first of its file. */
export const asked = (stand: Stand, from: string | RegExp, to: string): Stand => edited(stand, LWS_FILE, from, to);

/** A template has come, and no step of it has begun. */
export const requestedNow = (): Stand => asked(passed(settledOn(files)).stand, OLD, NEW);

/** After the commit of this subject, or the files as they are then with another kind of rest. */
export function after(subject: string, start: Stand, found: Found = {}): Stand {
  let stand = start;
  for (let count = 0; count < 40; count += 1) {
    const now = passed(stand, found);
    stand = now.stand;
    if (now.plan.commit?.subject.endsWith(`): ${subject}`) === true) return stand;
  }
  throw new Error(`no commit ${subject}`);
}

export const AT = {
  text: 'step 1/3, template: vllm-canary',
  pods: 'step 1/3, pods: canary 0 → 1',
  traffic: 'step 1/3, traffic: – → 5%',
  second: 'step 2/3, traffic: 5% → 20%',
  last: 'step 3/3, traffic: 20% → 50%',
  primary: 'promote, primary',
  home: 'promote, route-restored',
} as const;
/** Where it stands after each of these. */
export const standsNow = (start: Stand): Readonly<Record<keyof typeof AT, Stand>> =>
  Object.fromEntries(Object.entries(AT).map(([name, subject]) => [name, after(subject, start)])) as Readonly<
    Record<keyof typeof AT, Stand>
  >;

/** The order of someone to abort what is delivered there. */
export const abort = (stand: Stand): Found => ({ intents: { abort: releaseIn(stand) } });
