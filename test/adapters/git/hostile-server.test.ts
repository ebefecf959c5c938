/** A Git server that never ends its answer, or that says our token back: an error that names the limit, and no memory for it. */

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createFetchReader } from '../../../src/adapters/git/fetch-answer.ts';
import { defaultGitLimits, type GitLimits } from '../../../src/adapters/git/limits.ts';
import { openGit } from '../../../src/adapters/git/open.ts';
import { createPacketReader } from '../../../src/adapters/git/pkt-line.ts';
import { createDiscoveryReader, createLsRefsReader } from '../../../src/adapters/git/protocol.ts';
import { createReportReader } from '../../../src/adapters/git/receive-pack.ts';
import type { Git } from '../../../src/ports/git.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { manualTimers } from '../../support/manual-timers.ts';

const token = 'ghs_s3cretT0ken';
const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
const head = '1'.repeat(40);
const oidOf = (at: number): string => `a${at.toString(16).padStart(39, '0')}`;
const read = (git: Git): Promise<unknown> => git.readAt(head, { paths: [''], suffixes: [], markers: [] });
const deletes = (git: Git): Promise<unknown> =>
  git.push([{ branch: 'main', expectedOld: head, isDeleted: true } as const]);

let stop = async (): Promise<void> => undefined;
afterEach(() => stop());

function packet(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

type Answer = { readonly start?: Buffer; readonly block?: (round: number) => Buffer; readonly type?: string };
type Asked = { readonly url: string; readonly body: string };

/** Answers each request with a start and then blocks, until the other side has enough; without blocks, with the start alone. */
async function serverOf(
  answer: (asked: Asked) => Answer,
): Promise<{ readonly url: string; readonly sent: () => number }> {
  let sent = 0;
  const server = http.createServer((request, response) => {
    const body: Buffer[] = [];
    request.on('data', (chunk: Buffer) => body.push(chunk));
    request.on('end', () => {
      const asked = { url: request.url ?? '', body: Buffer.concat(body).toString('latin1') };
      const service = asked.url.includes('receive-pack') ? 'git-receive-pack' : 'git-upload-pack';
      const { start, block, type } = answer(asked);
      const of = asked.url.includes('info/refs') ? 'advertisement' : 'result';
      response.writeHead(200, { 'content-type': type ?? `application/x-${service}-${of}` });
      if (block === undefined) {
        response.end(start);
        return;
      }
      if (start !== undefined) response.write(start);
      let round = 0;
      const more = (): void => {
        while (!response.destroyed) {
          const bytes = block(round);
          round += 1;
          sent += bytes.length;
          if (response.write(bytes)) continue;
          response.once('drain', more);
          return;
        }
      };
      more();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  stop = () =>
    new Promise((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/r.git`, sent: () => sent };
}

const many = (line: (at: number) => string | Buffer): ((round: number) => Buffer) => {
  const perBlock = 100;
  return (round) => Buffer.concat(Array.from({ length: perBlock }, (_, at) => packet(line(round * perBlock + at))));
};

async function failureOf(call: Promise<unknown>): Promise<PortError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PortError);
  return error as PortError;
}

const offer = packet('# service=git-receive-pack\n');
const MOST: Partial<GitLimits> = { answerBytes: 300_000, wireBytes: 300_000, packBytes: 200_000 };

describe('an answer without an end', () => {
  const rows: readonly (readonly [string, Answer, (git: Git) => Promise<unknown>, RegExp])[] = [
    [
      'branches that nobody asked for',
      { block: many((at) => `${oidOf(at)} refs/heads/x${at}\n`) },
      (git) => git.heads(['main']),
      /more than 300000 bytes/,
    ],
    [
      'refs before a push',
      { start: offer, block: many((at) => `${oidOf(at)} refs/heads/x${at}${at === 0 ? '\0report-status' : ''}\n`) },
      deletes,
      /more than 300000 bytes/,
    ],
    [
      'words of what it can',
      { start: Buffer.concat([offer, packet('version 2\n')]), block: many((at) => `word${at}`) },
      deletes,
      /more than 1000 capabilities/,
    ],
    [
      'words of what it can, in one line after the other',
      { start: offer, block: many((at) => `${head} refs/heads/x\0${`a${at} `.repeat(2)}b${at}\n`) },
      deletes,
      /more than 1000 capabilities/,
    ],
    [
      'commits whose parents it does not send',
      { start: packet('shallow-info\n'), block: many((at) => `shallow ${oidOf(at)}`) },
      (git) => git.history(head, undefined, 10),
      /more than \d+ commits without their parents|more than 300000 bytes/,
    ],
    [
      'what it is doing',
      { start: packet('packfile\n'), block: many(() => Buffer.alloc(60_000, 2)) },
      read,
      /more than \d+ bytes/,
    ],
    ['sections without a name', { block: many((at) => `section${at}\n`) }, read, /more than \d+ bytes/],
    ['packets without anything', { block: () => Buffer.alloc(4000, '0004') }, read, /more than \d+ bytes/],
    [
      'a pack that is over and goes on',
      {
        start: packet('packfile\n'),
        block: (round) => packet(Buffer.concat([Buffer.from([1]), round === 0 ? packHead(0) : Buffer.alloc(60_000)])),
      },
      read,
      /over the limit of 200000 bytes|more than \d+ bytes/,
    ],
  ];
  test.each(rows)('%s', async (_, answer, call, message) => {
    const server = await serverOf(() => answer);
    const failure = await failureOf(call(openGit({ location: server.url, token, limits: MOST })));
    expect(failure.message).toMatch(message);
    expect(failure.port).toBe('git');
    // What lies in the sockets comes on top of what was taken.
    expect(server.sent()).toBeLessThan(60_000_000);
  });
});

function packHead(objects: number): Buffer {
  const bytes = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  bytes.writeUInt32BE(objects, 8);
  return bytes;
}

describe('what a reader keeps of an answer is bounded, however long it is', () => {
  const AMOUNT = 200_000;
  const lineOf = (text: string) => ({ kind: 'line', bytes: Buffer.from(text) }) as const;

  test('of a list of branches, and of refs before a push, those that were asked for', () => {
    const list = createLsRefsReader(new Set(['refs/heads/main']));
    const refs = createDiscoveryReader('git-receive-pack', new Set(['refs/heads/main']));
    refs.packet(lineOf(`${oidOf(0)} refs/heads/x\0report-status`));
    for (let at = 0; at < AMOUNT; at += 1) {
      const line = lineOf(`${oidOf(at)} refs/heads/${at === 9 ? 'main' : `x${at}`}`);
      list.packet(line);
      refs.packet(line);
    }
    list.packet({ kind: 'flush' });
    const kept = new Map([['refs/heads/main', oidOf(9)]]);
    expect(list.finish()).toEqual(kept);
    expect(refs.finish().refs).toEqual(kept);
  });

  test('of a report, the branches that were pushed', () => {
    const report = createReportReader(false, new Set(['refs/heads/main']));
    for (const line of ['unpack ok', 'ok refs/heads/main', 'ng refs/heads/x no', 'ok refs/heads/y'])
      report.packet(lineOf(line));
    report.packet({ kind: 'flush' });
    expect(report.finish().refs).toEqual(new Map([['refs/heads/main', undefined]]));
  });

  test('of commits without their parents, as many as the limit says, and names of commits alone', () => {
    const most = defaultGitLimits.shallowCommits;
    const fetch = createFetchReader(() => undefined, most);
    fetch.packet(lineOf('shallow-info'));
    fetch.packet(lineOf(`shallow ${'x'.repeat(60_000)}`));
    for (let at = 0; at < most; at += 1) fetch.packet(lineOf(`shallow ${oidOf(at)}`));
    expect(() => fetch.packet(lineOf(`shallow ${oidOf(most)}`))).toThrow(
      `more than ${most} commits without their parents`,
    );
  });

  test('of a packet, 64 KiB at the most', () => {
    const seen: number[] = [];
    const reader = createPacketReader((one) => seen.push(one.kind === 'line' ? one.bytes.length : 0));
    const longest = Buffer.concat([Buffer.from('ffff'), Buffer.alloc(0xffff - 4)]);
    for (const byte of longest) reader.push(Buffer.from([byte]));
    reader.push(Buffer.concat([longest, longest]));
    expect([seen, reader.isInside()]).toEqual([[0xfffb, 0xfffb, 0xfffb], false]);
  });
});

describe('a header, or a byte a second', () => {
  test('headers that never end are ended by the time without a byte of an answer', async () => {
    const timers = manualTimers();
    const server = http.createServer((_request, response) => {
      for (let at = 0; at < 3; at += 1) response.writeProcessing();
      setImmediate(() => timers.advance(20));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    stop = () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/r.git`;
    const failure = await failureOf(openGit({ location: url, timers }).heads(['main']));
    expect(failure.message).toMatch(/sent nothing for 20 s/);
  });
});

describe('a server that says our token back', () => {
  const report = (...lines: readonly string[]): Buffer =>
    Buffer.concat([...lines.map((line) => packet(line)), Buffer.from('0000')]);
  const banded = (bytes: Buffer): Buffer => packet(Buffer.concat([Buffer.from([1]), bytes]));
  const hooks = (text: string): Buffer => packet(Buffer.concat([Buffer.from([2]), Buffer.from(text)]));
  const pushed =
    (answer: Buffer) =>
    (asked: Asked): Answer =>
      asked.url.includes('info/refs')
        ? {
            start: Buffer.concat([
              offer,
              packet(`${head} refs/heads/main\0report-status side-band-64k\n`),
              Buffer.from('0000'),
            ]),
          }
        : asked.body.includes('ls-refs')
          ? { start: report(`${head} refs/heads/main\n`) }
          : { start: Buffer.concat([answer, Buffer.from('0000')]) };
  const escaped = `${token.slice(0, 6)}\u001b[0m${token.slice(6)}`;
  const rows: readonly (readonly [string, (asked: Asked) => Answer, (git: Git) => Promise<unknown>])[] = [
    [
      'what a hook prints',
      pushed(
        Buffer.concat([hooks(`GH013: ${token}\n`), banded(report('unpack ok', 'ng refs/heads/main hook declined'))]),
      ),
      deletes,
    ],
    ['why a branch was refused', pushed(banded(report('unpack ok', `ng refs/heads/main protected ${token}`))), deletes],
    [
      'the same, with a colour in it',
      pushed(banded(report('unpack ok', `ng refs/heads/main protected ${escaped}`))),
      deletes,
    ],
    ['why it did not unpack', pushed(banded(report(`unpack ${basic}`))), deletes],
    ['an error', () => ({ start: packet(`ERR ${token}\n`) }), read],
    ['an error with a colour in it', () => ({ start: packet(`ERR ${escaped}\n`) }), read],
    ['an error that is long', () => ({ start: packet(`ERR ${'x'.repeat(490)}${token}\n`) }), read],
    ['a type of content', () => ({ type: `text/${token}`, start: Buffer.from('no') }), read],
    ['no packets', () => ({ start: Buffer.from(token) }), read],
    ['no packets, in base64 of its own', () => ({ type: 'text/plain', start: Buffer.from(btoa(token)) }), read],
    [
      'words of which no more is read in the middle of it',
      () => ({
        type: 'text/plain',
        start: Buffer.from(`bad ${token.slice(0, -1)}`),
        block: () => Buffer.alloc(4000, 'x'),
      }),
      read,
    ],
  ];
  test.each(rows)('%s', async (_, answer, call) => {
    const server = await serverOf(answer);
    const said: string[] = [];
    const say = (text: string): void => void said.push(text);
    const timers = manualTimers();
    timers.skipPauses();
    const git = openGit({ location: server.url, token, timers, log: { info: say, warn: say, error: say } });
    const ended = await call(git).then(
      (value) => JSON.stringify(value),
      (error: PortError) => `${error.message} ${error.hint} ${error.stack}`,
    );
    const all = `${ended} ${said.join(' ')}`;
    expect(all).not.toMatch('"pushed"');
    for (const secret of [token, basic, token.slice(0, 9), btoa(token).slice(0, 12)]) expect(all).not.toContain(secret);
  });
});
