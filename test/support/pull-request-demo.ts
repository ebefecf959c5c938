/** `npm run demo -- --pull-requests`: the delivery of the demo by pull requests, on a simulated GitHub and someone who merges. */

import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forgeAddress } from '../../src/adapters/forge/github/address.ts';
import { forgeLimits } from '../../src/adapters/forge/github/limits.ts';
import { openGithub } from '../../src/adapters/forge/github/open-github.ts';
import { plainNetwork } from '../../src/adapters/network/proxy.ts';
import { conclude, giveOrder, type Told, toldOf, watch } from '../../src/commands/demo.ts';
import { type Act, newVersion } from '../../src/demo/acts.ts';
import type { Finding } from '../../src/demo/check.ts';
import { findingLines } from '../../src/demo/ending.ts';
import { filesOf, STRATEGIES } from '../../src/demo/strategies.ts';
import { type Home, openWorld } from '../../src/demo/world.ts';
import { EXIT, type Io } from '../../src/options.ts';
import type { ForgePull, ForgeRepository } from './forge/repository.ts';
import { type SimulatedForge, startForge } from './forge/start-forge.ts';
import { ADA, APP } from './forge-world.ts';
import { manualTimers } from './manual-timers.ts';

const [OWNER, NAME, TOKEN] = ['team', 'gitops', 'ghs_of-the-app'];
/** What people take to read a pull request, in seconds. */
const READING = 90;
/** One takes the workload over, and one is each step of the Rollout of the demo. */
const PULL_REQUESTS = 4;

/** Plays it, and leaves what people read in `out` (undefined: a new temporary folder). Exit code 0 as of the demo. */
export async function demoPullRequests(out: string | undefined, io: Io): Promise<number> {
  const forge = await startForge();
  try {
    return await played(forge, out, io);
  } finally {
    await forge.stop();
  }
}

async function played(forge: SimulatedForge, out: string | undefined, io: Io): Promise<number> {
  const repository = await forge.createRepository(OWNER, NAME);
  const permissions = { contents: 'write', pull_requests: 'write', statuses: 'write', checks: 'write' } as const;
  forge.tokens.set(TOKEN, { account: APP, permissions, repositories: [`${OWNER}/${NAME}`] });
  repository.permissions.set(ADA.login, 'write');
  const opened = await openWorld(
    { strategy: 'partition', broken: false, giveOrder, home: homeOf(forge, repository) },
    io,
  );
  const follow = (): void => void (forge.now = opened.ports.clock.now());
  const letPass = (seconds: number): void => {
    opened.letPass(seconds);
    follow();
  };
  follow();
  const world = { ...opened, letPass };
  try {
    const told = toldWith(repository);
    const end = await watch(world, told, io);
    const code = await conclude(world, { end, told }, io);
    if (end === 'stopped') return code;
    const findings = await findingsOf(forge, repository);
    io.out(`${findingLines(findings).slice(1).join('\n')}\n`);
    io.out(`\n${(await keptLines(repository, out)).join('\n')}\n`);
    return findings.every(({ good }) => good) ? code : EXIT.failed;
  } finally {
    await world.close();
    await world.removeFolder();
  }
}

/** The files of the demo, where each step is a pull request. */
function homeOf(forge: SimulatedForge, repository: ForgeRepository): Home {
  const files = filesOf(STRATEGIES.partition).map((file) =>
    file.path === 'tranche.yaml' ? { ...file, text: `${file.text}promotion: pullRequest\n` } : file,
  );
  const address = forgeAddress(`${forge.url}/${OWNER}/${NAME}`, undefined);
  if (address === undefined) throw new Error(`${forge.url} is no address of a forge`);
  const timers = manualTimers();
  timers.skipPauses();
  return {
    repository: repository.git.path,
    files,
    forge: (clock) =>
      openGithub({
        address,
        credential: { kind: 'token', token: TOKEN, from: 'TRANCHE_FORGE_TOKEN' },
        network: plainNetwork,
        clock,
        timers,
        limits: forgeLimits,
        userAgent: 'tranche-demo',
      }),
  };
}

function toldWith(repository: ForgeRepository): Told {
  const merges = Array.from({ length: PULL_REQUESTS }, (_, index) => merge(repository, index + 1));
  return {
    title: 'tranche demo: 4 groups of 16 GPUs get a new vLLM image, each step a pull request, in simulated time',
    acts: [...merges.slice(0, 1), newVersion, ...merges.slice(1)],
    wanted: toldOf('partition', false).wanted,
  };
}

/** Someone reads a pull request, and squashes it. */
function merge(repository: ForgeRepository, number: number): Act {
  return {
    when: ({ holds }) =>
      holds.some(({ reason }) => reason === 'ProposalOpen') && repository.pulls.at(-1)?.number === number,
    afterSeconds: READING,
    says: `Ada has read pull request #${number}, and merges it`,
    run: async () => {
      await repository.merge(number, ADA, 'squash');
    },
  };
}

async function findingsOf(forge: SimulatedForge, repository: ForgeRepository): Promise<readonly Finding[]> {
  const { pulls } = repository;
  const merged = pulls.filter(({ state }) => state === 'merged').length;
  const branches = await repository.git.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/tranche/');
  const finding = (what: string, seen: string): Finding => ({ good: seen === '', what, seen });
  return [
    finding(
      `${PULL_REQUESTS} pull requests, all of them merged by someone`,
      merged === PULL_REQUESTS && pulls.length === PULL_REQUESTS ? '' : `${pulls.length}, ${merged} of them merged`,
    ),
    finding('no branch of a pull request is left', branches.replaceAll('\n', ', ')),
    finding('every request to the forge is one that GitHub describes', forge.violations.join('; ')),
  ];
}

/** Each pull request as a file, and a line that says where. */
async function keptLines({ pulls }: ForgeRepository, out: string | undefined): Promise<readonly string[]> {
  const folder = out ?? (await mkdtemp(join(tmpdir(), 'tranche-pull-requests-')));
  await mkdir(folder, { recursive: true });
  for (const pull of pulls) await writeFile(join(folder, `${pull.number}.md`), pageOf(pull));
  return [
    `What people read of them, kept in ${folder}:`,
    ...pulls.map(({ number, title }) => `  ${number}.md  ${title}`),
  ];
}

function pageOf({ title, body, comments }: ForgePull): string {
  return [`# ${title}`, body, ...comments.map((comment) => `---\n\n${comment.body}`)].join('\n\n').concat('\n');
}
