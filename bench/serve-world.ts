/** A process of its own: makes one repository, plays its story, and serves the cluster at its end as a Kubernetes API. */

import { writeFileSync } from 'node:fs';
import { startApiServer } from '../src/demo/api-server/start-api-server.ts';
import { generateRepository } from '../test/support/repository-generator.ts';
import { statusKeysText } from '../test/support/status-key.ts';
import { LWS_TEXT, ROLLOUT_TEXT } from '../test/support/vllm.ts';
import { appFolder, configFile, lwsFile, rolloutFile } from './place.ts';
import { type Moments, playStory } from './story.ts';

/** What the parent is told once everything stands. */
export type WorldReady = { readonly moments: Moments };

const [, , repository = '', url = '', files = '', kubeconfig = ''] = process.argv;
await generateRepository(repository, {
  files: Number(files),
  extra: {
    [configFile]: `paths: [${appFolder}, rollouts]\n${statusKeysText()}`,
    [rolloutFile]: ROLLOUT_TEXT,
    [lwsFile]: LWS_TEXT,
  },
});
const { cluster, moments } = await playStory({ repository, url, lwsFile, configFile });
const { kubeconfig: text } = await startApiServer({ model: cluster, port: 0, kinds: undefined, interfere: undefined });
writeFileSync(kubeconfig, text);
process.once('disconnect', () => process.exit());
const ready: WorldReady = { moments };
process.send?.(ready);
