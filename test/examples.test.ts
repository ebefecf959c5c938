/** The repositories in `fixtures/examples`: each is what `lint` takes without a word, and delivers a new image to its end. */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runProgram } from '../src/commands/program.ts';
import { factsDigest } from '../src/reconcile/documents/digests.ts';
import { order } from '../src/reconcile/order.ts';
import { NO_OVERRIDES } from '../src/reconcile/pass.ts';
import { planIntent } from '../src/rollout/orders/intent.ts';
import { FakeForge } from './support/fake-forge.ts';
import { reasonsOf } from './support/forge-world.ts';
import { World } from './support/world.ts';

const ROOT = 'fixtures/examples';
const NAMES = readdirSync(ROOT, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
const [OLD, NEW] = ['vllm-openai:v0.10.0', 'vllm-openai:v0.10.1'];
const ADA = { login: 'ada', isBot: false };

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function filesOf(name: string): Readonly<Record<string, string>> {
  const paths = readdirSync(join(ROOT, name), { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );
  return Object.fromEntries(paths.map((path) => [path.slice(`${ROOT}/${name}/`.length), readFileSync(path, 'utf8')]));
}

async function run(folder: string, line: string) {
  let said = '';
  const code = await runProgram(line.split(' '), {
    env: { GIT_CONFIG_NOSYSTEM: '1' },
    folder,
    out: (text) => void (said += text),
    err: (text) => void (said += text),
    isTerminal: false,
    signal: new AbortController().signal,
  });
  return { code, said };
}

test('the table of the folder names each of them', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const named = [...readme.matchAll(/^\| \[([a-z-]+)\]\(\1\) \|/gm)].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set(NAMES));
});

describe.each(NAMES)('%s', (name) => {
  test('lint finds nothing, and init has nothing to add but what makes the passes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tranche-example-'));
    folders.push(folder);
    cpSync(join(ROOT, name), folder, { recursive: true });
    execFileSync('git', ['init', '-q', '-b', 'main', folder]);
    const count = name === 'two-teams' ? '2 Rollouts' : '1 Rollout';
    expect(await run(folder, 'lint')).toEqual({
      code: 0,
      said: expect.stringMatching(new RegExp(`^${count}, 0 problems\nread: .*\n$`)),
    });
    expect((await run(folder, 'init --run none')).said).toContain('nothing to add: tranche lint finds nothing wrong');
  });

  test('a new image is delivered in its steps until it has settled, and then nothing more is written', async () => {
    const world = new World({ files: filesOf(name), synced: ['apps', 'teams/chat/apps', 'teams/search/apps'] });
    const forge = new FakeForge(world.repository, () => world.now);
    const pass = () => world.pass({ forge: forge.port() });
    const subjects = () => world.repository.log('main').map(({ message }) => message.split('\n')[0]);
    const round = async (): Promise<void> => {
      world.sync();
      world.tick(660);
      const reasons = reasonsOf(await pass());
      for (const pull of forge.open) forge.merge(pull, ADA, true);
      if (reasons.includes('PausedForApproval')) for (const namespace of targets) await approve(world, namespace);
    };
    const targets = name === 'two-teams' ? ['chat', 'search'] : ['llm'];
    const isAdopted = () => subjects().filter((subject) => subject?.includes(': adopt')).length === targets.length;
    for (let made = 0; made < 4 && !isAdopted(); made += 1) await round();
    const files = Object.keys(world.repository.files('main')).filter((path) => path.endsWith('lws.yaml'));
    for (const file of files) world.edit(file, OLD, NEW);
    for (let made = 0; made < 40 && !isSettled(subjects(), targets.length); made += 1) await round();
    expect(isSettled(subjects(), targets.length), subjects().join('\n')).toBe(true);
    const steps = subjects().filter((subject) => /\bstep [1-9]/.test(subject ?? ''));
    expect(steps.length, subjects().join('\n')).toBeGreaterThanOrEqual(2 * targets.length);
    world.sync();
    world.tick(60);
    const serving = targets.flatMap((namespace) =>
      ['vllm', 'vllm-green'].map((workload) => world.groups(workload, namespace)).filter((groups) => groups !== ''),
    );
    expect(serving).toEqual(targets.map(() => '0:v0.10.1+ 1:v0.10.1+ 2:v0.10.1+ 3:v0.10.1+'));
    const before = subjects();
    await pass();
    expect(subjects(), 'a second pass changes nothing').toEqual(before);
  });
});

function isSettled(subjects: readonly (string | undefined)[], workloads: number): boolean {
  return subjects.filter((subject) => subject?.includes(': settled')).length === workloads;
}

/** As someone who is asked; refused where nothing waits for it. */
async function approve(world: World, namespace: string): Promise<void> {
  const at = { target: { name: 'vllm', namespace }, overrides: NO_OVERRIDES, by: 'ada' };
  await order(world.ports(), at, ({ snapshot }) =>
    planIntent(
      { kind: 'approve', step: undefined, hold: undefined, pause: 'begun' },
      { snapshot, digestOf: factsDigest },
    ),
  );
}
