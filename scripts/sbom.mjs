// Writes which packages are in the bundle, as CycloneDX: not all that are installed, for most only test and build it.
// Usage: node scripts/sbom.mjs FILE

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [file] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('error: wanted the file to write: sbom.mjs FILE\n');
  process.exit(2);
}

/** Every file that the bundle was made of, as the bundler says. */
function inputs() {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-sbom-'));
  try {
    const list = join(folder, 'inputs.json');
    const ran = spawnSync(process.execPath, ['scripts/build.mjs', join(folder, 'dist')], {
      env: { ...process.env, TRANCHE_INPUTS: list },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (ran.status !== 0) process.exit(1);
    return JSON.parse(readFileSync(list, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `node_modules/a/node_modules/@b/c` of a file in it; undefined for one of ours. */
function packageOf(path) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

/** Digests of the lock file, `sha512-…` in base64, as CycloneDX has them. */
function hashesOf(integrity = '') {
  const [, content] = /^sha512-([A-Za-z0-9+/=]+)$/.exec(integrity) ?? [];
  return content === undefined ? [] : [{ alg: 'SHA-512', content: Buffer.from(content, 'base64').toString('hex') }];
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const about = JSON.parse(readFileSync('package.json', 'utf8'));

function componentOf(place) {
  const { name, version, license } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  const purl = `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;
  const licenses = typeof license === 'string' ? { licenses: [{ expression: license }] } : {};
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    ...licenses,
    hashes: hashesOf(lock.packages[place]?.integrity),
  };
}

const places = [
  ...new Set(
    inputs()
      .map(packageOf)
      .filter((place) => place !== undefined),
  ),
].sort((left, right) => (left < right ? -1 : 1));
const purl = `pkg:npm/${about.name.replace(/^@/, '%40')}@${about.version}`;
const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: {
    component: {
      type: 'application',
      'bom-ref': purl,
      name: about.name,
      version: about.version,
      purl,
      licenses: [{ expression: about.license }],
    },
  },
  components: places.map(componentOf),
  dependencies: [{ ref: purl, dependsOn: places.map((place) => componentOf(place).purl) }],
};
writeFileSync(file, `${JSON.stringify(bom, undefined, 2)}\n`);
