/** A process that has lost the key which main names, in the middle of a delivery with shares: what goes back goes to its end. */

import { expect, test } from 'vitest';
import { playStory, sharedOf } from '../support/story/play.ts';
import { plainLook } from '../support/story/rehearse.ts';
import { commonFiles } from './check-stories.ts';

/** No step follows the pause of 60 s, and all drains are over long before the end. */
const story = (steps: string): string => `In Git: vllm-without-requests, vllm-service, vllm-routed, ${steps}.
Tranche has taken over what is in Git, and all is settled.
Clients send requests from now on.
Ada changes "v0.10.0" to "v0.10.1" in apps/vllm/lws.yaml.
Tranche looks every 15 seconds until vllm waits for PauseDuration.
The process has lost its key.
Tranche looks every 60 seconds 3 times.
Then apps/vllm/lws.yaml has "tranche.dev/step: "1/".
Ben aborts vllm.
Tranche looks every 15 seconds 40 times.
Then every group of vllm serves v0.10.0.
Then vllm is settled in Git.
The process has its key again.
Tranche looks every 60 seconds until it settles.
Ada changes "v0.10.0" to "v0.10.2" in apps/vllm/lws.yaml.
Tranche looks every 60 seconds until vllm waits for PauseDuration.
Then no request has failed.
`;

test.each(['canary-steps', 'blue-green-steps', 'partition-routed-steps'])(
  '%s: no step goes forward, an abort and its drains go to their end, and with the key the next release is delivered',
  async (steps) => {
    const text = story(steps);
    const files = Object.assign({}, ...sharedOf(text).map(commonFiles));
    // Whether a plan that nobody writes says the same is not asked: it needs no key.
    const told = await playStory(text, files, commonFiles, { look: plainLook, after: async () => undefined });
    const [, keyless = ''] = told.split('» The process has lost its key.');
    const [held = '', back = ''] = keyless.split('» Ben aborts vllm.');
    expect(held).toContain('waits: StatusKeyMissing.');
    expect(held).not.toContain('rollout(llm/vllm)');
    expect(back.split('» The process has its key again.')[0]).toContain('rollout(llm/vllm): rolled back');
  },
);
