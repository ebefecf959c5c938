/**
 * A program that answers as the real kustomize did: by what it was given, from recordings in fixtures/kustomize. With
 * KUSTOMIZE=<path of the real one> it builds, and fails where that differs from what is recorded; UPDATE_GOLDEN=1 records.
 */

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const RECORDINGS = fileURLToPath(new URL('../../fixtures/kustomize', import.meta.url));
/** The release that Argo CD and Flux build with. */
const VERSION = 'v5.8.1';

/** Where it is; `remove` takes it away. */
export function recordedKustomize(): { readonly file: string; readonly remove: () => void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'kustomize-recorded-'));
  const file = path.join(folder, 'kustomize');
  writeFileSync(file, `#!${process.execPath}\n${PROGRAM}`);
  writeFileSync(path.join(folder, 'package.json'), '{"type":"commonjs"}');
  chmodSync(file, 0o755);
  return { file, remove: () => rmSync(folder, { recursive: true }) };
}

/** Whether a real one answers behind the recordings. */
export const realKustomize: string = process.env['KUSTOMIZE'] ?? '';

const PROGRAM = `
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const [verb, root = ''] = process.argv.slice(2);
if (verb === 'version') {
  console.log(${JSON.stringify(VERSION)});
  process.exit(0);
}
const tree = process.cwd();
const files = fs.readdirSync(tree, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => path.relative(tree, path.join(entry.parentPath ?? entry.path, entry.name)))
  .sort();
const hash = createHash('sha256').update(path.relative(tree, root));
for (const file of files) hash.update('\\0' + file + '\\0' + fs.readFileSync(path.join(tree, file), 'utf8'));
const recording = path.join(${JSON.stringify(RECORDINGS)}, hash.digest('hex').slice(0, 16) + '.json');
const real = ${JSON.stringify(process.env['KUSTOMIZE'] ?? '')};
const known = fs.existsSync(recording) ? JSON.parse(fs.readFileSync(recording, 'utf8')) : undefined;
let answer = known;
if (real !== '') {
  const ran = spawnSync(real, process.argv.slice(2), { env: process.env, encoding: 'utf8' });
  answer = { root: path.relative(tree, root), status: ran.status, out: ran.stdout.split('\\n'), err: ran.status === 0 ? '' : ran.stderr.replaceAll(tree, '.') };
  if (${JSON.stringify(process.env['UPDATE_GOLDEN'] ?? '')} === '1') fs.writeFileSync(recording, JSON.stringify(answer, undefined, 2) + '\\n');
  else if (JSON.stringify(known) !== JSON.stringify(answer)) {
    console.error('Error: kustomize builds otherwise than is recorded in ' + recording);
    process.exit(1);
  }
}
if (answer === undefined) {
  console.error('Error: no build of this is recorded: ' + recording);
  process.exit(1);
}
process.stdout.write(answer.out.join('\\n'));
process.stderr.write(answer.err);
process.exitCode = answer.status;
`;
