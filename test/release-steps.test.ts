/**
 * The steps of the release workflow that need nothing from outside, as they stand there, on a clone that is a release; and the
 * manifest of the plugin in the hands of the real krew. HELM and KREW name the programs: `.ci/real` builds both, and has npm's registry.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../package.json' with { type: 'json' };

const [helm, krew] = ['HELM', 'KREW'].map((name) => process.env[name] ?? '') as [string, string];
const LIMIT_MS = 300_000;
const tag = `v${packageJson.version}`;
const folder = helm === '' || krew === '' ? '' : mkdtempSync(join(tmpdir(), 'tranche-release-steps-'));
afterAll(() => {
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
});

type Workflow = {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { name?: string; run?: string }[] }>>;
};
const { jobs } = parse(readFileSync('.github/workflows/release.yaml', 'utf8')) as Workflow;
const stepNamed = (part: string): string =>
  Object.values(jobs)
    .flatMap(({ steps }) => steps)
    .find(({ name = '' }) => name.startsWith(part))?.run ?? '';

describe.skipIf(folder === '')('a release', () => {
  const clone = join(folder, 'clone');
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', clone, '-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', ...args], {
      encoding: 'utf8',
    }).trim();

  /** Each line of a step has to end well, as on a runner. */
  const run = (part: string): string =>
    execFileSync('bash', ['-eo', 'pipefail', '-c', stepNamed(part)], {
      cwd: clone,
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
      env: {
        ...process.env,
        PATH: `${dirname(helm)}:${process.env['PATH'] ?? ''}`,
        GITHUB_REF_NAME: tag,
        GITHUB_SHA: git('rev-parse', 'HEAD'),
        GITHUB_REPOSITORY: 'models/tranche',
      },
    });

  test(
    'its tag is one, and package, list, manifest of the plugin, chart and notes are made of its commit',
    () => {
      execFileSync('git', ['clone', '-q', '.', clone]);
      const log = readFileSync(join(clone, 'CHANGELOG.md'), 'utf8');
      expect(() => run('The tag is of main'), 'what is not released yet').toThrow();
      writeFileSync(
        join(clone, 'CHANGELOG.md'),
        log.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [${packageJson.version}] - 2026-12-01\n`),
      );
      git('commit', '-qam', 'release');
      git('update-ref', 'refs/remotes/origin/main', 'HEAD');
      expect(run('The tag is of main')).toContain('### Added');
      run('Bundle, list');
      const made = readdirSync(join(clone, 'release')).sort();
      expect(made).toEqual([
        'sbom.cdx.json',
        expect.stringMatching(/^tranche-\d.*\.tgz$/),
        `tranche-dev-tranche-${packageJson.version}.tgz`,
        'tranche.yaml',
      ]);
      expect(JSON.parse(readFileSync(join(clone, 'release/sbom.cdx.json'), 'utf8')).bomFormat).toBe('CycloneDX');
      expect(readFileSync(join(clone, 'notes.md'), 'utf8')).toContain('### Added');
      const chart = execFileSync(helm, ['show', 'chart', join(clone, 'release', made[1]!)], { encoding: 'utf8' });
      expect(parse(chart)).toMatchObject({ name: 'tranche', version: packageJson.version });
    },
    LIMIT_MS,
  );

  test(
    'krew installs that package by that manifest, and kubectl finds it as tranche, of that commit',
    () => {
      const [root, release] = [join(folder, 'krew'), join(clone, 'release')];
      const archive = join(release, `tranche-dev-tranche-${packageJson.version}.tgz`);
      execFileSync(krew, ['install', `--manifest=${join(release, 'tranche.yaml')}`, `--archive=${archive}`], {
        env: { ...process.env, HOME: folder, KREW_ROOT: root, KREW_NO_UPGRADE_CHECK: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      // kubectl starts what is called kubectl-tranche on the PATH.
      const said = execFileSync(join(root, 'bin/kubectl-tranche'), ['--version'], { encoding: 'utf8' });
      expect(said).toContain(`${packageJson.version} (commit ${git('rev-parse', '--short=12', 'HEAD')}`);
    },
    LIMIT_MS,
  );
});
