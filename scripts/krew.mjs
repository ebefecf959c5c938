// Prints the manifest by which krew installs a release as `kubectl tranche`. The archive is the package: Node runs it.
// Usage: node scripts/krew.mjs TAG OWNER/REPOSITORY ARCHIVE

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const [tag = '', repository = '', archive = ''] = process.argv.slice(2);
const { version, description, bin } = JSON.parse(readFileSync('package.json', 'utf8'));

function fault() {
  if (tag !== `v${version}`) return `the tag is ${JSON.stringify(tag)}, wanted v${version}, as package.json says`;
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository))
    return `the repository is ${JSON.stringify(repository)}, wanted OWNER/NAME`;
  return archive.endsWith('.tgz') ? undefined : 'wanted the archive that npm pack has made, a file .tgz';
}

const wrong = fault();
if (wrong !== undefined) {
  process.stderr.write(`error: ${wrong}\n`);
  process.exit(1);
}
const home = `https://github.com/${repository}`;
const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex');
// JSON is YAML. Windows starts no file by its first line, as the bin of a package has it.
process.stdout.write(`apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: tranche
spec:
  version: ${JSON.stringify(tag)}
  homepage: ${JSON.stringify(home)}
  shortDescription: Deliver LeaderWorkerSets step by step from Git
  description: ${JSON.stringify(description)}
  caveats: Needs Node 20.19 or newer on the PATH, and git.
  platforms:
    - selector:
        matchExpressions:
          - {key: os, operator: In, values: [linux, darwin]}
      uri: ${JSON.stringify(`${home}/releases/download/${tag}/${basename(archive)}`)}
      sha256: ${sha256}
      bin: ${JSON.stringify(`package/${bin['kubectl-tranche']}`)}
`);
