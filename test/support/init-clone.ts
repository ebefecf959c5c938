/** A working tree of somebody's own, and `tranche` called in it. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram } from '../../src/commands/program.ts';

const folders: string[] = [];

export function removeClones(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export type Files = Readonly<Record<string, string>>;

export const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/** A working tree with these files, none of them committed. */
export function clone(files: Files) {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-init-'));
  folders.push(folder);
  git(folder, 'init', '-q', '-b', 'main');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { folder, ...called(folder) };
}

export function called(folder: string) {
  const run = async (line: string, env: Files = {}) => {
    let [out, err] = ['', ''];
    const code = await runProgram(line.split(' '), {
      env: { GIT_CONFIG_NOSYSTEM: '1', ...env },
      folder,
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      isTerminal: false,
      signal: new AbortController().signal,
    });
    return { code, out: out.replaceAll(folder, 'CLONE'), err };
  };
  const files = () => git(folder, 'ls-files', '--others', '--exclude-standard', '--cached').trim().split('\n');
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  return { run, files, read };
}

/** A LeaderWorkerSet without a partition. */
export const lws = (
  name: string,
  { namespace = 'llm', replicas = 4 } = {},
): string => `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: ${name}
${namespace === '' ? '' : `  namespace: ${namespace}\n`}spec:
  replicas: ${replicas}
  leaderWorkerTemplate:
    size: 2
    workerTemplate:
      metadata: {labels: {app: ${JSON.stringify(name)}}}
      spec:
        containers:
          - name: vllm
            image: vllm/vllm-openai:v0.10.2
            resources: {limits: {nvidia.com/gpu: "8"}}
`;
