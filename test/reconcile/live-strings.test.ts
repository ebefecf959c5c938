/** Words of live objects and of templates that would like to act: in commits, pull requests, the status branch, logs and notifications. */

import { expect, test } from 'vitest';
import { isRecord } from '../../src/api/json.ts';
import type { Cluster } from '../../src/ports/cluster.ts';
import type { Notifier } from '../../src/ports/notifier.ts';
import { linesOf, paragraphsOf } from '../../src/rollout/commits/trailers.ts';
import { overheard } from '../simulation/secret.ts';
import { fakeCluster } from '../support/fake-cluster.ts';
import { FakeForge } from '../support/fake-forge.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

/** Markdown, a trailer, commands of a runner, escapes and directions, each with a word to look for. */
const EVIL =
  '\u001b[2Jowned\n\nRollout-Step: 9/9\nApproved-By: owned\n::set-output name=a::owned\n##[command]owned\r\n| `owned` | <img src=x> [owned](https://owned.example) @everyone \u202e<!-- tranche -->';
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|^\s*::[a-z]|##\[/m;

/** The words of a pod that the API does not check, where it is on the new template. */
function speaking(pod: unknown): unknown {
  if (!isRecord(pod) || !JSON.stringify(pod['spec']).includes(NEW)) return pod;
  const { metadata, status } = pod;
  const waiting = { reason: 'CreateContainerConfigError', message: EVIL };
  const container = { name: EVIL, ready: false, restartCount: 1, state: { waiting }, image: EVIL, imageID: EVIL };
  const condition = (type: string) => ({ type, status: 'False', reason: EVIL, message: EVIL });
  return {
    ...pod,
    metadata: { ...(isRecord(metadata) ? metadata : {}), annotations: { [EVIL]: EVIL, 'tranche.dev/step': EVIL } },
    status: {
      ...(isRecord(status) ? status : {}),
      phase: 'Pending',
      reason: EVIL,
      message: EVIL,
      conditions: [condition('Ready'), { ...condition('PodScheduled'), reason: 'Unschedulable' }, condition(EVIL)],
      containerStatuses: [container],
    },
  };
}

function speakingCluster(cluster: Cluster): Cluster {
  return {
    list: (resource, options, take) =>
      cluster.list(resource, options, (object) => take(resource.plural === 'pods' ? speaking(object) : object)),
  };
}

type Heard = { readonly calls: string[]; readonly sent: string[]; readonly world: World };

const POLICY =
  'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: told}\nspec:\n  notify:\n    - {to: prod, as: webhook}\n';

/** A delivery whose new pods speak, and whose template does, until nothing moves. */
async function played(pulls: boolean): Promise<Heard> {
  const config = pulls ? { 'tranche.yaml': 'promotion: pullRequest\n' } : {};
  const world = new World({ files: { ...VLLM_FILES, 'policies/told.yaml': POLICY, ...config }, signed: true });
  const [calls, sent]: [string[], string[]] = [[], []];
  const forge = new FakeForge(world.repository, () => world.now);
  const notifier: Notifier = {
    targets: ['prod'],
    send: async ({ body }) => {
      sent.push(body);
      return { kind: 'sent' };
    },
  };
  const ports = {
    notifier,
    cluster: speakingCluster(fakeCluster({ model: world.cluster })),
    ...(pulls ? { forge: overheard(forge.port(), (call) => calls.push(call)) } : {}),
  };
  const round = async (): Promise<void> => {
    world.sync();
    world.tick(60);
    await world.pass(ports);
    forge.settle();
    for (const pull of forge.open) forge.merge(pull, { login: 'ada', isBot: false }, false);
  };
  for (let count = 0; count < 4; count += 1) await round();
  world.edit(LWS_FILE, OLD, NEW);
  const env = `            env: [{name: A, value: ${JSON.stringify(EVIL)}}]\n`;
  world.edit(LWS_FILE, '            ports:\n', `${env}            ports:\n`);
  for (let count = 0; count < 14; count += 1) await round();
  return { calls, sent, world };
}

/** What is left of Markdown outside of spans and blocks of code. */
const outsideCode = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) || isRecord(value) ? Object.values(value).flatMap(textsIn) : [];
}

test.each([false, true])('pull requests: %s', async (pulls) => {
  const { calls, sent, world } = await played(pulls);
  const { repository } = world;
  const pages = Object.entries(repository.files('tranche-status'));
  const bodies = calls.flatMap((call) => textsIn(JSON.parse(call.slice(call.indexOf(' ') + 1))));
  const messages = repository.log('main').map(({ message }) => message);
  const said = [...world.log, ...bodies, ...messages, ...pages.map(([, text]) => text), ...sent];
  expect(said.join('\n'), 'its words are told').toContain('owned');
  expect(sent.length).toBeGreaterThan(0);
  if (pulls) expect(bodies.length).toBeGreaterThan(0);
  const [told, proposed] = [said.filter((text) => !bodies.includes(text)), bodies.join('\n')];
  for (const text of told) expect(text).not.toMatch(ACTING);
  // No runner reads the text of a pull request.
  expect(proposed.replaceAll('##[', '')).not.toMatch(ACTING);
  for (const message of messages) {
    const lines = paragraphsOf(message).flatMap((paragraph) => [...linesOf(paragraph)]);
    for (const [key, value] of lines)
      if (/^(Rollout|Approved|Ordered)/.test(key)) expect(`${key}: ${value}`).not.toMatch(/9\/9|owned/);
  }
  const marked = [...bodies, ...pages.filter(([path]) => path.endsWith('.md')).map(([, text]) => text)];
  for (const text of marked) {
    const bare = outsideCode(text);
    for (const word of ['owned', '<img', '@everyone', '<!-- tranche -->']) expect(bare, text).not.toContain(word);
  }
});
