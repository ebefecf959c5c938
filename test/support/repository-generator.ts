/** Makes large repositories of one fixed shape, for tests and benchmarks of what reading and pushing cost. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createBareRepository, gitEnvironment } from './git-server.ts';

export type GeneratedShape = {
  /** A multiple of 250: 50 teams, five files a service, as many services as it takes (200 a team at 50,000). */
  readonly files: number;
  /** Put on top, by path; may replace a generated file. */
  readonly extra: Readonly<Record<string, string>>;
};

const teams = 50;
export const generatedRoot = 'clusters/prod/teams';

/** The folder of a service: `clusters/prod/teams/team-07/service-012`, so that files are five folders deep. */
export function serviceFolder(team: number, service: number): string {
  return `${generatedRoot}/team-${pad(team, 2)}/service-${pad(service, 3)}`;
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}

const kinds = ['Deployment', 'Service', 'ConfigMap', 'HorizontalPodAutoscaler', 'Ingress'] as const;

/** About 800 bytes of ordinary YAML, different in every file, without anything that tranche looks for. */
function manifest(kind: string, team: number, service: number): string {
  const name = `service-${pad(service, 3)}`;
  const seed = (team * 7919 + service * 104_729 + kind.length * 31) % 1_000_003;
  const settings = Array.from({ length: 12 }, (_none, i) => `  setting-${i}: "${(seed * (i + 3)) % 999_983}"`);
  return [
    'apiVersion: example.com/v1',
    `kind: ${kind}`,
    'metadata:',
    `  name: ${name}`,
    `  namespace: team-${pad(team, 2)}`,
    '  labels:',
    `    app.kubernetes.io/name: ${name}`,
    `    app.kubernetes.io/part-of: team-${pad(team, 2)}`,
    '    app.kubernetes.io/managed-by: people # who review every change',
    'spec:',
    ...settings,
    '  resources:',
    '    requests:',
    `      cpu: ${100 + (seed % 900)}m`,
    `      memory: ${128 + (seed % 4096)}Mi`,
    '',
  ].join('\n');
}

/** Makes a bare repository at `path` with one commit on main; the same shape gives the same commit. */
export async function generateRepository(path: string, shape: GeneratedShape): Promise<void> {
  await createBareRepository(path);
  const child = spawn('git', ['-C', path, 'fast-import', '--quiet'], {
    env: gitEnvironment,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const closed = once(child, 'close');
  const write = async (text: string) => {
    if (!child.stdin.write(text)) await once(child.stdin, 'drain');
  };
  await write('commit refs/heads/main\ncommitter Ada <ada@example.com> 1700000000 +0000\ndata 5\nstart\n');
  const services = Math.ceil(shape.files / (teams * kinds.length));
  for (let team = 0; team < teams; team += 1) {
    for (let service = 0; service < services; service += 1) {
      const folder = serviceFolder(team, service);
      for (const kind of kinds)
        await write(inline(`${folder}/${kind.toLowerCase()}.yaml`, manifest(kind, team, service)));
    }
  }
  for (const [name, text] of Object.entries(shape.extra)) await write(inline(name, text));
  child.stdin.end('\n');
  const [code] = await closed;
  if (code !== 0) throw new Error(`git fast-import ended with ${String(code)}`);
}

function inline(path: string, text: string): string {
  return `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
}
