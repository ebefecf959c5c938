/** `abort --keep-newer` at every commit of a delivery: it is refused at once, or this one order leads away from what is aborted. */

import { expect, test } from 'vitest';
import { factsDigest } from '../../../src/reconcile/documents/digests.ts';
import { planIntent } from '../../../src/rollout/orders/intent.ts';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { type Found, passed, passes, releaseIn, type Stand, settledOn, snapshotAt } from '../../support/ladder-pass.ts';
import { asked, NEWER } from '../../support/ladder-stands.ts';
import { LWS_FILE, NEW, OLD } from '../../support/vllm.ts';

type Style = 'canary' | 'blueGreen' | 'partition';

const FIRST = 'replicas: 1, traffic: 5%, pause: {duration: 60}';
const SHARED = 'replicas: 100%, traffic: 50%, pause: {duration: 60}';
const STEPS = {
  canary: [FIRST, SHARED],
  blueGreen: [FIRST, SHARED],
  partition: [FIRST, 'replicas: 100%'],
} as const satisfies Record<Style, readonly string[]>;

/** The files after each commit of a healthy delivery, by its label; the one that settles it is not among them. */
function rungs(style: Style): readonly (readonly [label: string, stand: Stand])[] {
  let stand = asked(passed(settledOn(ladderFiles(ladderRollout(style, STEPS[style])))).stand, OLD, NEW);
  const found: (readonly [string, Stand])[] = [];
  for (let count = 0; count < 40; count += 1) {
    const now = passed(stand);
    if (now.plan.commit?.reason === 'Settled') return found;
    stand = now.stand;
    if (now.plan.commit !== undefined) found.push([now.plan.commit.label, stand]);
  }
  throw new Error(`${style} does not settle`);
}

const all = (['canary', 'blueGreen', 'partition'] as const).flatMap((style) =>
  rungs(style).map(([label, stand]) => [style, label, stand] as const),
);

const REFUSED = 'refused';

/** By the rung: what the order comes to. */
function wanted(style: Style, label: string): RegExp | typeof REFUSED {
  const isPromotion = label.startsWith('promote');
  // Groups of the user's own are on what is aborted, or will be in a moment: without the stable template they stay there.
  if (style === 'canary' && isPromotion) return REFUSED;
  // Both colours are locked: requests go back, and the newer template is delivered by its steps once they are.
  if (style === 'blueGreen' && isPromotion)
    return /^Aborted: rollback, route-restored,(hold [A-Z]\w+( \w+)*,)*RolledBack: rolled back,StepReady: step 1\//;
  // The newer template is delivered by its steps, over the groups of what is aborted.
  return /^(RouteRestored: step \d\/\d, route-restored,)?(hold GracePeriod,)?Superseded: step 1\//;
}

test.each(all)('%s, %s', (style, label, stand) => {
  const newer = asked(stand, NEW, NEWER);
  const order = planIntent({ kind: 'abort', keepNewer: true }, { snapshot: snapshotAt(newer), digestOf: factsDigest });
  const want = wanted(style, label);
  if (want === REFUSED) {
    expect(order).toMatchObject({ kind: REFUSED, why: expect.stringMatching(/Abort both.*: tranche abort vllm$/) });
    return;
  }
  const abort = releaseIn(stand);
  expect(JSON.stringify(order)).toContain(`"${abort}"`);
  const found: Found = { intents: { abort } };
  const { told, stand: end } = passes(newer, { found: () => found, most: 5 });
  expect(told.join()).toMatch(want);
  expect(end.texts.get(LWS_FILE)).toContain(NEWER);
  expect(end.texts.get(LWS_FILE)).toContain(`tranche.dev/aborted: "${abort}"`);
});

test('each style was looked at in its promotion, or in its last step', () => {
  const last = (style: Style): number =>
    all.filter(([of, label]) => of === style && /^(promote|step 2)/.test(label)).length;
  expect([last('canary'), last('blueGreen'), last('partition')]).toEqual([4, 5, 3]);
});
