/**
 * Credentials from the command that a kubeconfig names (`exec`, client.authentication.k8s.io).
 *
 * Absent on purpose: what the command writes to its streams, in any message. Messages reach the status branch, which
 * more people read than this machine, and such commands print tokens when they fail.
 */

import { spawn } from 'node:child_process';
import path from 'node:path';
import { at, isRecord } from '../../api/json.ts';
import { printableLine } from '../../api/printable.ts';
import type { Clock } from '../../ports/clock.ts';
import { searchedFolders } from '../git/search-path.ts';
import { CredentialError } from './connection.ts';

const OUTPUT_BYTES_MAX = 1024 * 1024;
/** A command that outlives the read that waits for it is ended. */
const COMMAND_SECONDS_MAX = 60;
const TOLD_CHARACTERS_MAX = 64;

/** What an answer of the command holds for a request. */
export type Credential = {
  readonly token: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
};

type ExecOptions = {
  /** `exec` of the user, as the kubeconfig has it. */
  readonly exec: unknown;
  /** Of `spec.cluster` in KUBERNETES_EXEC_INFO, for commands that ask for it. */
  readonly cluster: () => unknown;
  readonly clock: Clock;
};

type ExecCredentials = {
  /** The credential of now. Throws CredentialError. */
  readonly now: () => Promise<Credential>;
  /** This one is not accepted: it is not given again. */
  readonly drop: (refused: Credential) => void;
};

/**
 * The command runs again when its last answer has expired, and an answer without a date when the server refuses it: that
 * is what the protocol asks of clients. Reads that go on together wait for one run.
 */
export function execCredentials(options: ExecOptions): ExecCredentials {
  const { exec, clock } = options;
  let last: { readonly credential: Credential; readonly expiresAt: number } | undefined;
  let running: Promise<Credential> | undefined;
  const runCommand = async (): Promise<Credential> => {
    const command = at(exec, ['command']);
    if (typeof command !== 'string' || command === '')
      throw new CredentialError('exec of the kubeconfig names no command');
    const name = nameOf(command);
    if (at(exec, ['interactiveMode']) === 'Always')
      throw new CredentialError(`command ${name} of the kubeconfig wants a terminal (interactiveMode: Always)`);
    const status = statusOf(name, await run(command, name, options));
    const expiry = Date.parse(textOf(status, 'expirationTimestamp') ?? '');
    const credential = {
      token: textOf(status, 'token'),
      certificate: textOf(status, 'clientCertificateData'),
      key: textOf(status, 'clientKeyData'),
    };
    last = { credential, expiresAt: Number.isNaN(expiry) ? Number.POSITIVE_INFINITY : expiry / 1000 };
    return credential;
  };
  return {
    now: async () => {
      if (last !== undefined && clock.now() < last.expiresAt) return last.credential;
      running ??= runCommand().finally(() => (running = undefined));
      return running;
    },
    drop: (refused) => {
      if (last?.credential === refused) last = undefined;
    },
  };
}

/** Arguments may hold secrets, and so may a path; the last part of it is what people know the command by. */
function nameOf(command: string): string {
  return printableLine(path.basename(command)).slice(0, TOLD_CHARACTERS_MAX);
}

function statusOf(name: string, output: string): unknown {
  const parsed = parsedJson(output);
  const status = at(parsed, ['status']);
  if (!isRecord(status))
    throw new CredentialError(`command ${name} of the kubeconfig ended well, but printed no ExecCredential`);
  return status;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf(status: unknown, key: string): string | undefined {
  const value = at(status, [key]);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function run(command: string, name: string, options: ExecOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const failed = (how: string): void =>
      reject(
        new CredentialError(`command ${name} of the kubeconfig ${how}; run it by hand on this machine to see why`),
      );
    const child = spawn(command, argumentsOf(options.exec), {
      env: environment(options),
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: COMMAND_SECONDS_MAX * 1000,
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > OUTPUT_BYTES_MAX) child.kill();
      else chunks.push(chunk);
    });
    child.on('error', ({ code, name: kind }: NodeJS.ErrnoException) => {
      const outside = code === 'ENOENT' && !command.includes('/') ? `: ${OUTSIDE}` : '';
      failed(`cannot be started (${code ?? kind})${outside}`);
    });
    child.on('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
      else failed(code === null ? `was ended by ${signal}` : `failed with exit code ${code}`);
    });
  });
}

const OUTSIDE = 'one that lies in the clone where tranche is called is found by its path alone';

function argumentsOf(exec: unknown): readonly string[] {
  const given = at(exec, ['args']);
  return Array.isArray(given) ? given.map(String) : [];
}

/** What tranche is given, its secrets among it, by variables of its own and by inputs of the Action: no command needs it. */
const OURS = /^(?:TRANCHE_|INPUT_|(?:GITHUB|GH)_TOKEN$)/i;

/** By its name the command is found outside of the repository alone, and so is what it calls: anyone who merges could name a program so. */
function searchPath(): string {
  const { PATH = '', GITHUB_WORKSPACE: workspace } = process.env;
  const folders = searchedFolders(PATH, [process.cwd(), ...(workspace === undefined ? [] : [workspace])]);
  // An empty PATH is the folder that we are in.
  return folders.length === 0 ? '/usr/bin:/bin' : folders.join(path.delimiter);
}

/** That of this process without what is for tranche alone, then of the kubeconfig. Commands of the v1 protocol fail without KUBERNETES_EXEC_INFO. */
function environment({ exec, cluster }: ExecOptions): NodeJS.ProcessEnv {
  const info = {
    apiVersion: at(exec, ['apiVersion']),
    kind: 'ExecCredential',
    spec: { interactive: false, ...(at(exec, ['provideClusterInfo']) === true ? { cluster: cluster() } : {}) },
  };
  const own = Object.entries(process.env).filter(([name]) => !OURS.test(name));
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(own),
    PATH: searchPath(),
    KUBERNETES_EXEC_INFO: JSON.stringify(info),
  };
  const given = at(exec, ['env']);
  for (const one of Array.isArray(given) ? given : []) {
    const [key, value] = [at(one, ['name']), at(one, ['value'])];
    if (typeof key === 'string' && typeof value === 'string') env[key] = value;
  }
  return env;
}
