/** What a hold says: what was seen, then what to do, in one sentence for people and apart for programs. */

import { expect, test } from 'vitest';
import { hold } from '../../src/rollout/hold.ts';
import { nameFirst } from '../../src/rollout/texts/sentences.ts';

test.each([
  [
    { seen: 'replicas is 0: nothing is guarded', action: 'Scale up first' },
    'Replicas is 0: nothing is guarded. Scale up first',
  ],
  [{ seen: 'group 2 is elsewhere:', action: 'delete its leader' }, 'Group 2 is elsewhere: delete its leader'],
  [{ seen: 'apps/lws.yaml: it is gone', action: 'Put it back' }, 'apps/lws.yaml: it is gone. Put it back'],
  [
    { seen: 'step 1 is done; its pause lasts another 5 s', waits: 'time' },
    'Step 1 is done; its pause lasts another 5 s',
  ],
  [{ seen: `${nameFirst('vllm')} keeps its groups`, waits: 'time' }, 'vllm keeps its groups'],
  [{ seen: 'two\nlines', action: 'and\ttwo' }, 'Two\\nlines. and\\ttwo'],
] as const)('%j says %s', (told, message) => {
  const held = hold('Stalled', told, 7);
  expect(held).toMatchObject({ reason: 'Stalled', message, requeueAfterSeconds: 7 });
  expect(message.startsWith(held.seen)).toBe(true);
  expect('action' in held).toBe('action' in told);
});
