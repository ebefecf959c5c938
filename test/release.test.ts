/** A release: what can be run without the outside is run here, and the workflow does with it what its comments say. */

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../package.json' with { type: 'json' };

const WORKFLOW = '.github/workflows/release.yaml';
const LIMIT_MS = 120_000;
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-release-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HEAD = '# Changelog\n\n## [Unreleased]\n\n';
const SECTION = '## [1.2.0] - 2026-12-01\n\n### Added\n\n- Pages.\n\n';
const BEFORE = '## [1.1.0] - 2026-11-01\n\n### Fixed\n\n- A hold.\n';

describe('notes', () => {
  test.each([
    ['the section of the version', 'v1.2.0', `${HEAD}${SECTION}${BEFORE}`, '### Added\n\n- Pages.\n'],
    ['the last section', 'v1.2.0', `${HEAD}${SECTION}`, '### Added\n\n- Pages.\n'],
    ['another tag', 'v1.2.1', `${HEAD}${SECTION}`, 'the tag is "v1.2.1", wanted v1.2.0'],
    ['no tag', '', `${HEAD}${SECTION}`, 'the tag is "", wanted v1.2.0'],
    ['no section', 'v1.2.0', `${HEAD}${BEFORE}`, 'has no section [1.2.0]'],
    ['an empty section', 'v1.2.0', `${HEAD}## [1.2.0]\n\n${BEFORE}`, 'says nothing of 1.2.0'],
    ['lines that are left', 'v1.2.0', `${HEAD}- More.\n\n${SECTION}`, 'has lines under [Unreleased]'],
  ])('%s', (_, tag, log, answer) => {
    writeFileSync(join(folder, 'package.json'), '{"version": "1.2.0"}');
    writeFileSync(join(folder, 'CHANGELOG.md'), log);
    const ran = spawnSync(process.execPath, ['scripts/release-notes.mjs', tag, folder], { encoding: 'utf8' });
    if (answer.startsWith('###')) expect([ran.status, ran.stdout]).toEqual([0, answer]);
    else expect([ran.status, ran.stdout, ran.stderr]).toEqual([1, '', expect.stringContaining(answer)]);
  });
});

describe('the manifest of the kubectl plugin', () => {
  const tag = `v${packageJson.version}`;
  const archive = 'tranche-dev-tranche-1.2.3.tgz';
  const ran = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['scripts/krew.mjs', ...args], { encoding: 'utf8' });

  test('is what krew takes: a version, a checksum, a file to run that the package has, known keys of platforms', () => {
    writeFileSync(join(folder, archive), 'any bytes');
    const { stdout, status } = ran(tag, 'models/tranche', join(folder, archive));
    expect(status).toBe(0);
    const manifest = parse(stdout);
    // The rules of krew's ValidatePlugin (internal/index/validation/validate.go).
    expect(manifest.apiVersion).toBe('krew.googlecontainertools.github.com/v1alpha2');
    expect(manifest.kind).toBe('Plugin');
    expect(manifest.metadata).toEqual({ name: 'tranche' });
    const { version, shortDescription, homepage, platforms } = manifest.spec;
    expect(version).toMatch(/^v\d+\.\d+\.\d+(-[\w.]+)?$/);
    expect(shortDescription).toMatch(/^[^\r\n]{1,50}$/);
    expect(homepage).toBe('https://github.com/models/tranche');
    expect(platforms).toHaveLength(1);
    const [{ uri, sha256, bin, selector, files }] = platforms;
    expect(uri).toBe(`https://github.com/models/tranche/releases/download/${tag}/${archive}`);
    expect(sha256).toBe(createHash('sha256').update('any bytes').digest('hex'));
    expect(files).toBeUndefined();
    expect(selector.matchLabels).toBeUndefined();
    expect(selector.matchExpressions.map(({ key }: { key: string }) => key)).toEqual(['os']);
    // Archives of npm have all below `package`.
    expect(bin).toBe(`package/${packageJson.bin['kubectl-tranche']}`);
    expect(packageJson.files).toContain('dist');
  });

  test.each([
    ['another tag', ['v9.9.9', 'models/tranche', archive], 'the tag is "v9.9.9"'],
    ['no repository', [tag, 'models', archive], 'the repository is "models"'],
    ['a repository that is more', [tag, 'a/b"c', archive], 'the repository is'],
    ['no archive', [tag, 'models/tranche', 'x.zip'], 'wanted the archive that npm pack has made'],
  ])('%s is refused', (_, args, why) => {
    expect(ran(...args)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining(why) });
  });
});

type Component = { readonly name: string; readonly version: string; readonly purl: string; readonly hashes: object[] };

test(
  'the list of what is in the bundle has the packages that it is made of, and none that only tests and builds it',
  () => {
    const file = join(folder, 'sbom.json');
    execFileSync(process.execPath, ['scripts/sbom.mjs', file]);
    const bom = JSON.parse(readFileSync(file, 'utf8'));
    const components: readonly Component[] = bom.components;
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    expect(bom.metadata.component).toMatchObject({ name: packageJson.name, version: packageJson.version });
    const names = components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['commander', 'yaml', '@kubernetes/client-node', '@octokit/core']));
    for (const tool of ['vitest', 'esbuild', 'typescript', 'ajv', 'fast-check']) expect(names).not.toContain(tool);
    for (const { name, version, purl, hashes } of components) {
      expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`);
      expect(hashes, name).toHaveLength(1);
    }
    const direct: Readonly<Record<string, string>> = packageJson.devDependencies;
    for (const { name, version } of components) if (direct[name] !== undefined) expect(version).toBe(direct[name]);
    expect(bom.dependencies).toEqual([{ ref: expect.any(String), dependsOn: components.map(({ purl }) => purl) }]);
  },
  LIMIT_MS,
);

type Step = { readonly uses?: string; readonly run?: string };
type Job = {
  readonly needs?: string;
  readonly environment?: string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
};

describe('the workflow', () => {
  const text = readFileSync(WORKFLOW, 'utf8');
  const workflow = parse(text) as { readonly permissions: object; readonly jobs: Readonly<Record<string, Job>> };
  const { check, publish } = workflow.jobs as { readonly check: Job; readonly publish: Job };
  const said = (job: Job): string => job.steps.map(({ run = '', uses = '' }) => `${run}\n${uses}`).join('\n');

  test('gives nothing to what runs the tests, and publishes only after them, from an environment of its own', () => {
    expect(workflow.permissions).toEqual({});
    expect(check.permissions).toEqual({ contents: 'read' });
    expect([publish.needs, publish.environment]).toEqual(['check', 'release']);
    // The tests are run by none that has an identity.
    expect(said(publish)).not.toMatch(/\.ci\/run|npm test/);
    expect(said(publish)).toContain('npm ci --ignore-scripts');
    expect(text).not.toMatch(/secrets\./);
  });

  test('runs only actions at a commit, and scripts that are there', () => {
    for (const { uses } of [...check.steps, ...publish.steps])
      if (uses !== undefined) expect(uses).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40}$/);
    const scripts = [...text.matchAll(/(?:node|bash) ([a-z./-]+)/g)].map(([, script = '']) => script);
    expect(scripts).toEqual(expect.arrayContaining(['scripts/release-notes.mjs', 'scripts/sbom.mjs', '.ci/run']));
    for (const script of scripts) expect(readFileSync(script, 'utf8').length).toBeGreaterThan(0);
  });

  test('puts no expression into a script: a name of a tag may be a command', () => {
    for (const { run = '' } of [...check.steps, ...publish.steps]) expect(run).not.toContain('${{');
  });
});
