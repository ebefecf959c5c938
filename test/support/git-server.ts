/** A real Git server for tests: `git http-backend` behind node:http on loopback, with faults on order. */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { type Answer, askedBy, type Fetches, keep, refsAsked } from './fetches.ts';
import { serviceOf } from './git-services.ts';
import { outputOf, type Started, startProgram } from './programs.ts';

/** What a request is for, as faults see it. `body` is what the client sent, read whole. */
export type ServerRequest = {
  readonly method: string;
  /** `/team/repo.git/info/refs?service=git-upload-pack` */
  readonly url: string;
  readonly kind: 'discover-upload' | 'discover-receive' | 'ls-refs' | 'fetch' | 'receive';
  readonly authorization: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** 1, or one more than the latest that had ended when this one came: how many waited for one another, if answers are held. */
  readonly round: number;
};

export type ServerFault =
  /** Answers itself and does not ask git. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** Closes the connection without a byte, before git has seen the request. */
  | { readonly kind: 'drop' }
  /** Git does its work, then the connection is closed without a byte. */
  | { readonly kind: 'lose-reply' }
  /** Git does its work, then nothing is ever answered. */
  | { readonly kind: 'hang'; readonly thereafter: () => void }
  /** The answer stops in the middle: the last bytes are missing and the connection ends, cleanly or not. */
  | { readonly kind: 'truncate'; readonly missingBytes: number; readonly clean: boolean }
  /** One byte every this many milliseconds. */
  | { readonly kind: 'drip'; readonly everyMilliseconds: number }
  /** Changes the bytes of the answer. */
  | { readonly kind: 'garble'; readonly change: (body: Buffer) => Buffer };

export type GitServer = {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly folder: string;
  /** Asked for every request; replaced by tests at will. May run git commands, for another writer in between. */
  fault: (request: ServerRequest) => ServerFault | undefined | Promise<ServerFault | undefined>;
  /** Whom hooks see as REMOTE_USER; `tester` without. */
  userOf: (authorization: string | undefined) => string;
  readonly requests: ServerRequest[];
  /** The latest round that has ended; tests put it back to 0. */
  readonly rounds: { ended: number };
  /** Bytes of bodies, without headers. */
  readonly bytes: { received: number; sent: number };
  /** Makes a bare repository with what the adapter needs allowed; its URL is `${url}/${name}`. */
  createRepository(name: string): Promise<ServedRepository>;
  /** Answers that it need not ask git for again. */
  readonly fetches: Fetches | undefined;
  stop(): Promise<void>;
};

export type ServedRepository = {
  readonly url: string;
  readonly path: string;
  /** Runs git in it. */
  git(...args: readonly string[]): Promise<string>;
  /** A commit by somebody else. A text of undefined deletes the file. */
  commit(
    branch: string,
    files: Readonly<Record<string, string | Buffer | undefined>>,
    message?: string,
  ): Promise<string>;
  /** The script gets ref lines on its standard input, like any pre-receive hook. */
  hook(name: 'pre-receive' | 'update', script: string): void;
};

let backend: string | undefined;

/**
 * Starts a server over an empty temporary folder. Stop it in the test that started it. With `fetches`, it asks git for
 * the same objects once, and without a process in between: for tests that are not about how they come.
 */
export async function startGitServer(fetches?: Fetches): Promise<GitServer> {
  backend ??= join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');
  const folder = mkdtempSync(join(tmpdir(), 'tranche-git-'));
  const http = createServer((request, response) => {
    serve(server, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  const address = http.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const server: GitServer = {
    url: `http://127.0.0.1:${port}`,
    folder,
    fault: () => undefined,
    userOf: () => 'tester',
    requests: [],
    rounds: { ended: 0 },
    bytes: { received: 0, sent: 0 },
    createRepository: (name) => createRepository(server, name),
    fetches,
    stop: () => stop(http, folder),
  };
  return server;
}

async function stop(http: Server, folder: string): Promise<void> {
  http.closeAllConnections();
  await new Promise<void>((done) => http.close(() => done()));
  rmSync(folder, { recursive: true, force: true });
}

async function createRepository(server: GitServer, name: string): Promise<ServedRepository> {
  const path = join(server.folder, name);
  await createBareRepository(path);
  const repository = bareRepository(path);
  return { ...repository, url: `${server.url}/${name}` };
}

/** Makes a bare repository that serves partial reads and accepts pushes over HTTP: what `git init --bare` makes, without a process. */
export async function createBareRepository(path: string): Promise<void> {
  for (const folder of ['hooks', 'objects/info', 'objects/pack', 'refs/heads', 'refs/tags'])
    mkdirSync(join(path, folder), { recursive: true });
  writeFileSync(join(path, 'HEAD'), 'ref: refs/heads/main\n');
  const settings = [
    ['http.receivepack', 'true'],
    ['uploadpack.allowFilter', 'true'],
    ['uploadpack.allowAnySHA1InWant', 'true'],
    ['gc.auto', '0'],
    ['receive.autogc', 'false'],
  ];
  writeFileSync(
    join(path, 'config'),
    `[core]\n\trepositoryformatversion = 0\n\tbare = true\n${settings
      .map(([key = '', value]) => `[${key.split('.')[0]}]\n\t${key.split('.')[1]} = ${value}\n`)
      .join('')}`,
  );
}

/** The files of repositories that have been made, by what is in their first commit. */
const filled = new Map<string, ReadonlyMap<string, Buffer>>();
const FILLED_MOST = 20;

/** The same with these files in one commit on main. For files that were asked for before, it is a copy of what git made then. */
export async function createFilledRepository(
  path: string,
  files: Readonly<Record<string, string>>,
): Promise<Omit<ServedRepository, 'url'>> {
  const key = JSON.stringify(files);
  const known = filled.get(key);
  await createBareRepository(path);
  const repository = bareRepository(path);
  if (known === undefined) {
    await repository.commit('main', files, 'first files');
    if (filled.size >= FILLED_MOST) filled.clear();
    const written = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const places = written.map((entry) => join(entry.parentPath, entry.name));
    filled.set(key, new Map(places.map((place) => [relative(path, place), readFileSync(place)])));
  }
  for (const [place, bytes] of known ?? []) {
    mkdirSync(dirname(join(path, place)), { recursive: true });
    writeFileSync(join(path, place), bytes);
  }
  return repository;
}

const somebody = ['Ada', 'ada@example.com', '1700000000 +0000'] as const;

/** Git without the settings of the one who runs the tests. */
export const gitEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  NO_SHARE: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: somebody[0],
  GIT_AUTHOR_EMAIL: somebody[1],
  GIT_AUTHOR_DATE: somebody[2],
  GIT_COMMITTER_NAME: somebody[0],
  GIT_COMMITTER_EMAIL: somebody[1],
  GIT_COMMITTER_DATE: somebody[2],
};

/** What tests do to a bare repository on disk, with the real git. */
export function bareRepository(path: string): Omit<ServedRepository, 'url'> {
  const git = async (...args: readonly string[]): Promise<string> => {
    const out = await outputOf({ command: 'git', args: ['-C', path, ...args], env: gitEnvironment });
    return out.toString().trim();
  };
  return {
    path,
    git,
    commit: (branch, files, message = 'edit') => fastImport({ path, branch, message }, files),
    hook: (name, script) => writeFileSync(join(path, 'hooks', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 }),
  };
}

type ImportTarget = {
  readonly path: string;
  readonly branch: string;
  readonly message: string;
};

async function fastImport(
  { path, branch, message }: ImportTarget,
  files: Readonly<Record<string, string | Buffer | undefined>>,
): Promise<string> {
  const ref = `refs/heads/${branch}`;
  const parts: Buffer[] = [];
  const line = (text: string) => parts.push(Buffer.from(`${text}\n`));
  line(`commit ${ref}`);
  line('mark :1');
  line(`committer ${somebody[0]} <${somebody[1]}> ${somebody[2]}`);
  line(`data ${Buffer.byteLength(message)}\n${message}`);
  if (headOf(path, ref) !== '') line(`from ${ref}^0`);
  for (const [name, content] of Object.entries(files)) {
    if (content === undefined) {
      line(`D ${quoted(name)}`);
      continue;
    }
    const bytes = Buffer.from(content);
    line(`M 100644 inline ${quoted(name)}`);
    line(`data ${bytes.length}`);
    parts.push(bytes, Buffer.from('\n'));
  }
  line('get-mark :1');
  return pipeToGit(path, ['fast-import', '--quiet'], Buffer.concat(parts));
}

/** The commit of a ref of a repository on disk; as a file of its own, or packed. Empty: there is none. */
export function headOf(path: string, ref: string): string {
  const loose = join(path, ref);
  if (existsSync(loose)) return readFileSync(loose, 'utf8').trim();
  const packed = join(path, 'packed-refs');
  const lines = existsSync(packed) ? readFileSync(packed, 'utf8').split('\n') : [];
  return lines.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0] ?? '';
}

/** A path as fast-import reads it: in C's way, control characters in octal. */
function quoted(name: string): string {
  return JSON.stringify(name).replace(/\\u00([0-9a-f]{2})/g, (_all, hex: string) => {
    return `\\${Number.parseInt(hex, 16).toString(8).padStart(3, '0')}`;
  });
}

/** Runs git with bytes on its standard input. */
export async function pipeToGit(path: string, args: readonly string[], input: Buffer): Promise<string> {
  const out = await outputOf({ command: 'git', args: ['-C', path, ...args], env: gitEnvironment }, input);
  return out.toString().trim();
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function serve(server: GitServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await collect(request);
  const seen = { ...describeRequest(request, body), round: server.rounds.ended + 1 };
  response.on('close', () => {
    server.rounds.ended = Math.max(server.rounds.ended, seen.round);
  });
  server.requests.push(seen);
  server.bytes.received += body.length;
  const fault = await server.fault(seen);
  if (fault?.kind === 'drop') {
    response.destroy();
    return;
  }
  if (fault?.kind === 'answer') {
    response.writeHead(fault.status, fault.headers).end(fault.body ?? '');
    return;
  }
  if (fault === undefined && server.fetches === undefined) {
    await streamFromGit(server, request, body, response);
    return;
  }
  const answer = await answerOf(server, request, seen);
  if (fault?.kind === 'lose-reply') {
    response.destroy();
    return;
  }
  if (fault?.kind === 'hang') {
    fault.thereafter();
    return;
  }
  response.writeHead(answer.status, answer.headers);
  await sendBody(server, response, answer.body, fault);
}

async function sendBody(
  server: GitServer,
  response: ServerResponse,
  body: Buffer,
  fault: ServerFault | undefined,
): Promise<void> {
  const sent = fault?.kind === 'garble' ? fault.change(body) : body;
  if (fault?.kind === 'truncate') {
    const cut = sent.subarray(0, Math.max(0, sent.length - fault.missingBytes));
    response.write(cut, () => (fault.clean ? response.end() : response.destroy()));
    return;
  }
  if (fault?.kind === 'drip') {
    drip(response, sent, fault.everyMilliseconds);
    return;
  }
  server.bytes.sent += sent.length;
  response.end(sent);
}

function drip(response: ServerResponse, body: Buffer, everyMilliseconds: number): void {
  let at = 0;
  const timer = setInterval(() => {
    response.write(body.subarray(at, at + 1));
    at += 1;
    if (at >= body.length) response.end();
  }, everyMilliseconds);
  response.on('close', () => clearInterval(timer));
}

function describeRequest(request: IncomingMessage, body: Buffer): Omit<ServerRequest, 'round'> {
  const { method = 'GET', url = '/' } = request;
  const discovers = url.includes('/info/refs?service=');
  const receives = url.includes('git-receive-pack');
  const lists = body.includes('command=ls-refs');
  const kind = discovers
    ? receives
      ? 'discover-receive'
      : 'discover-upload'
    : receives
      ? 'receive'
      : lists
        ? 'ls-refs'
        : 'fetch';
  return { method, url, kind, authorization: request.headers.authorization, headers: request.headers, body };
}

/** Starts git http-backend on a request, as CGI does. */
function askGit(server: GitServer, request: IncomingMessage, body: Buffer): Started {
  const env = environmentOf(server, request, body);
  return startProgram({ command: backend ?? 'git-http-backend', args: [], env }, body);
}

function environmentOf(server: GitServer, request: IncomingMessage, body: Buffer): NodeJS.ProcessEnv {
  const url = new URL(request.url ?? '/', server.url);
  return {
    ...gitEnvironment,
    GIT_PROJECT_ROOT: server.folder,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: decodeURIComponent(url.pathname),
    QUERY_STRING: url.search.slice(1),
    REQUEST_METHOD: request.method,
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    CONTENT_LENGTH: String(body.length),
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
    GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    REMOTE_USER: server.userOf(request.headers.authorization),
    REMOTE_ADDR: '127.0.0.1',
  };
}

const blankLine = '\r\n\r\n';

/** Passes git's answer on as it comes, so that a client reads while git still writes. */
async function streamFromGit(
  server: GitServer,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  const { out } = askGit(server, request, body);
  let head = Buffer.alloc(0);
  const send = async (bytes: Buffer) => {
    server.bytes.sent += bytes.length;
    if (bytes.length > 0 && !response.write(bytes)) await once(response, 'drain');
  };
  for await (const chunk of out) {
    if (response.headersSent) {
      await send(chunk);
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const blank = head.indexOf(blankLine);
    if (blank < 0) continue;
    const { status, headers } = parseHead(head.toString('latin1', 0, blank));
    response.writeHead(status, headers);
    await send(head.subarray(blank + blankLine.length));
  }
  response.end();
}

/** Git's answer, or the one that it gave to the same question before. */
async function answerOf(server: GitServer, request: IncomingMessage, seen: ServerRequest): Promise<Answer> {
  const { fetches } = server;
  if (fetches === undefined || seen.kind === 'receive') return readFromGit(server, request, seen.body);
  const path = join(server.folder, decodeURIComponent(seen.url).replace(/\/(git-upload-pack|info\/refs\?.*)$/, ''));
  const question = (): string | undefined => (seen.kind === 'fetch' ? askedBy(path, seen) : refsAsked(path, seen));
  const asked = question();
  const known = asked === undefined ? undefined : fetches.get(asked);
  if (known !== undefined) return known;
  const answer = await readFromGit(server, request, seen.body);
  // Somebody may have pushed while git answered.
  if (asked !== undefined && asked === question()) keep(fetches, asked, answer);
  return answer;
}

async function readFromGit(server: GitServer, request: IncomingMessage, body: Buffer): Promise<Answer> {
  const { method = 'GET', url = '/', headers } = request;
  const service = server.fetches === undefined ? undefined : serviceOf(server.folder, { method, url, headers });
  if (service !== undefined) {
    const git = startProgram({ command: 'git', args: service.args, env: environmentOf(server, request, body) }, body);
    const out = await collect(git.out);
    return {
      status: 200,
      headers: service.headers,
      body: Buffer.concat([Buffer.from(service.preamble), out]),
      isWhole: git.ended().code === 0,
    };
  }
  const git = askGit(server, request, body);
  const out = await collect(git.out);
  const blank = out.indexOf(blankLine);
  const head = parseHead(out.toString('latin1', 0, Math.max(0, blank)));
  return {
    ...head,
    body: out.subarray(blank + blankLine.length),
    isWhole: head.status === 200 && git.ended().code === 0,
  };
}

function parseHead(text: string): Pick<Answer, 'status' | 'headers'> {
  const headers = Object.fromEntries(
    text.split('\r\n').map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const { Status: status = '200', ...rest } = headers;
  return { status: Number.parseInt(status, 10), headers: rest };
}
