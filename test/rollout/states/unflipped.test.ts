/** A primary that a hand has locked in the promotion, before its StatefulSet took all leaders over. */

import { expect, test } from 'vitest';
import { passes } from '../../support/ladder-pass.ts';
import { asked, NEWER, stands } from '../../support/ladder-stands.ts';
import { NEW } from '../../support/vllm.ts';

/** A hand has locked the primary before its StatefulSet took all leaders over. */
test.each([
  ['nothing is queued', stands.home, ['hold GracePeriod Draining StatefulSetNotFlipped', 'hold StatefulSetNotFlipped']],
  [
    'a newer template is queued',
    asked(stands.home, NEW, NEWER),
    ['hold GracePeriod Draining RequestQueued', 'Settled: settled'],
  ],
])('locked before the StatefulSet took all leaders over: %s', (_, stand, then) => {
  const { told } = passes(stand, { found: () => ({ view: { unflipped: 'own' } }), most: then.length });
  expect(told).toEqual(then);
});
