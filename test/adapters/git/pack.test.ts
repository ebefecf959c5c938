/** Packs as real git makes and takes them, and packs that nobody should send. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyDelta } from '../../../src/adapters/git/delta.ts';
import { type Inflated, inflateAt, PackError } from '../../../src/adapters/git/inflate.ts';
import { createInflater } from '../../../src/adapters/git/inflater.ts';
import { defaultGitLimits } from '../../../src/adapters/git/limits.ts';
import { type GitObject, oidOf } from '../../../src/adapters/git/objects.ts';
import { PackBases } from '../../../src/adapters/git/pack-bases.ts';
import { PackReader, type TakenObject } from '../../../src/adapters/git/pack-read.ts';
import { encodePack } from '../../../src/adapters/git/pack-write.ts';
import { bareRepository, createBareRepository, gitEnvironment } from '../../support/git-server.ts';

let folder = '';
let path = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-pack-'));
  path = join(folder, 'r.git');
  await createBareRepository(path);
  const { commit } = bareRepository(path);
  for (let version = 0; version < 12; version += 1) {
    const lines = Array.from(
      { length: 300 },
      (_none, i) => `line ${i} ${i === version * 20 ? `changed ${version}` : ''}`,
    );
    await commit(
      'main',
      { 'a/long.yaml': lines.join('\n'), [`b/${version}.yaml`]: `${version}\n` },
      `version ${version}`,
    );
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function git(args: readonly string[], input: string | Buffer = ''): Buffer {
  return execFileSync('git', ['-C', path, ...args], { env: gitEnvironment, input, maxBuffer: 1 << 28 });
}

function read(
  pack: Buffer,
  chunkBytes: number,
  wantsBlob: (bytes: Buffer) => boolean = () => true,
): ReadonlyMap<string, GitObject> {
  const found = new Map<string, GitObject>();
  const take = (oid: string, object: TakenObject): void => {
    if (object.type === 'large') throw new Error('nothing is over the limit here');
    found.set(oid, { type: object.type, bytes: Buffer.from(object.bytes) });
  };
  const reader = new PackReader(defaultGitLimits, { wantsBlob, take, leavesOut: false });
  for (let at = 0; at < pack.length; at += chunkBytes) reader.push(pack.subarray(at, at + chunkBytes));
  reader.finish();
  return found;
}

describe('reading what git writes', () => {
  const all = () => git(['rev-list', '--objects', '--all', '--no-object-names']);
  test.each([
    ['deltas by place', ['--delta-base-offset', '--depth=50', '--window=50', '--no-reuse-delta'], 1],
    ['deltas by place', ['--delta-base-offset', '--depth=50', '--window=50', '--no-reuse-delta'], 70_000],
    ['deltas by name', ['--depth=50', '--window=50', '--no-reuse-delta'], 7],
    ['no deltas', ['--window=0', '--no-reuse-delta'], 4096],
  ])('%s %j in chunks of %i bytes', (_what, flags, chunkBytes) => {
    const pack = git(['pack-objects', '-q', '--stdout', ...flags], all());
    const found = read(pack, chunkBytes);
    const expected = git([
      'cat-file',
      '--batch-all-objects',
      '--batch-check=%(objectname) %(objecttype) %(objectsize)',
    ]);
    const lines = [...found].map(([oid, { type, bytes }]) => `${oid} ${type} ${bytes.length}`).sort();
    expect(lines).toEqual(expected.toString().trim().split('\n').sort());
    for (const [oid, object] of found) expect(oidOf(object)).toBe(oid);
  });

  test.each([
    ['by place', ['--delta-base-offset']],
    ['by name', []],
  ])('unwanted blobs are dropped, and deltas on them %s are still read', (_what, flags) => {
    const pack = git(
      ['pack-objects', '-q', '--stdout', '--depth=50', '--window=50', '--no-reuse-delta', ...flags],
      all(),
    );
    const wanted = [...read(pack, 5000)].filter(
      ([, { type, bytes }]) => type !== 'blob' || bytes.includes('changed 3'),
    );
    const found = read(pack, 5000, (bytes) => bytes.includes('changed 3'));
    expect([...found].map(([oid]) => oid).sort()).toEqual(wanted.map(([oid]) => oid).sort());
    expect([...found.values()].filter(({ type }) => type === 'blob')).toHaveLength(1);
  });

  test('a delta that comes before its base', () => {
    const base = Buffer.from('the base of it all');
    const delta = Buffer.from([base.length, 8, 0x90, 8]);
    const baseOid = oidOf({ type: 'blob', bytes: base });
    const onOid = Buffer.concat([Buffer.from([0x70 | delta.length]), Buffer.from(baseOid, 'hex'), deflateSync(delta)]);
    const whole = Buffer.concat([Buffer.from([0xb0 | (base.length & 15), base.length >> 4]), deflateSync(base)]);
    const found = read(sealed([onOid, whole]), 1000);
    expect([...found.values()].map(({ bytes }) => bytes.toString()).sort()).toEqual(['the base', 'the base of it all']);
  });
});

test('the fast inflater of this Node agrees with the plain one, on good and on spoiled bytes', () => {
  const fast = createInflater(Buffer.alloc(64));
  expect(fast.inflate).not.toBe(inflateAt);
  const outcome = (call: () => Inflated): unknown => {
    try {
      const { bytes, used } = call();
      return [Buffer.from(bytes).toString('hex'), used];
    } catch (error) {
      return error instanceof PackError ? 'PackError' : error;
    }
  };
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      fc.nat(400),
      fc.nat(255),
      fc.integer({ min: -1, max: 1 }),
      (text, at, flip, off) => {
        const input = Buffer.concat([Buffer.from('before'), deflateSync(text), Buffer.from('after')]);
        if (at < input.length) input[at] = input[at]! ^ flip;
        const size = Math.max(0, text.length + off);
        expect(outcome(() => fast.inflate(input, 6, size))).toEqual(outcome(() => inflateAt(input, 6, size)));
      },
    ),
    { numRuns: 500 },
  );
  fast.close();
});

describe('writing what git takes', () => {
  test('git index-pack is content, and reads back the same objects', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.uint8Array({ maxLength: 5000 }), { minLength: 1, maxLength: 6, selector: String }),
        (texts) => {
          const objects = texts.map((bytes): GitObject => ({ type: 'blob', bytes: Buffer.from(bytes) }));
          const pack = encodePack(objects);
          git(['index-pack', '--strict', '--stdin', '--fix-thin'], pack);
          for (const object of objects) expect(git(['cat-file', 'blob', oidOf(object)])).toEqual(object.bytes);
          expect([...read(pack, 100).keys()].sort()).toEqual(objects.map(oidOf).sort());
        },
      ),
      { numRuns: 15 },
    );
  });
});

/** A pack of these entries with the right count and checksum. */
function sealed(entries: readonly Buffer[], count = entries.length): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  head.writeUInt32BE(count, 8);
  const body = Buffer.concat([head, ...entries]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

describe('packs that nobody should send', () => {
  const blob = Buffer.concat([Buffer.from([0x33]), deflateSync(Buffer.from('abc'))]);
  const rows: readonly (readonly [string, () => Buffer, RegExp])[] = [
    ['nothing', () => Buffer.alloc(0), /ends after 0 bytes/],
    ['something else', () => Buffer.from(`HELLO${'.'.repeat(40)}`), /does not start with PACK/],
    [
      'version 9',
      () => Buffer.concat([Buffer.from('PACK\0\0\0\x09\0\0\0\x01', 'latin1'), Buffer.alloc(40)]),
      /version 9/,
    ],
    ['one object too few', () => sealed([blob], 2), /ends inside|inflated|1 of 2|unknown type/],
    ['bytes too many', () => sealed([blob, Buffer.from('xx')], 1), /2 bytes too many/],
    ['a wrong checksum', () => Buffer.concat([sealed([blob]).subarray(0, -1), Buffer.from([0])]), /wrong checksum/],
    ['an unknown type', () => sealed([Buffer.concat([Buffer.from([0x53]), blob.subarray(1)])]), /unknown type 5/],
    [
      'more than the object says',
      () => sealed([Buffer.concat([Buffer.from([0x32]), blob.subarray(1)])]),
      /cannot be inflated|inflates to/,
    ],
    [
      'less than the object says',
      () => sealed([Buffer.concat([Buffer.from([0x34]), blob.subarray(1)])]),
      /inflates to 3/,
    ],
    [
      'a delta on nothing',
      () =>
        sealed([Buffer.concat([Buffer.from([0x74]), Buffer.alloc(20, 7), deflateSync(Buffer.from([3, 1, 0x90, 1]))])]),
      /not in the pack/,
    ],
    [
      'a delta on something before the pack',
      () => sealed([Buffer.concat([Buffer.from([0x64, 0x7f]), deflateSync(Buffer.from([3, 1, 0x90, 1]))])]),
      /before the pack/,
    ],
    [
      'a delta on itself',
      () => sealed([Buffer.concat([Buffer.from([0x64, 0x00]), deflateSync(Buffer.from([3, 1, 0x90, 1]))])]),
      /before the pack/,
    ],
  ];
  test.each(rows)('%s', (_what, pack, message) => {
    expect(() => read(pack(), 64)).toThrow(message);
    expect(() => read(pack(), 64)).toThrow(PackError);
  });

  test.each([
    ['another base', [4, 1, 0x90, 1], /base of 4 bytes, has 3/],
    ['more than the base has', [3, 9, 0x90, 9], /out of bounds/],
    ['more than promised', [3, 1, 0x90, 3], /out of bounds/],
    ['less than promised', [3, 3, 0x90, 1], /promises 3 bytes and makes 1/],
    ['an insert that is cut', [3, 3, 3, 65], /out of bounds/],
    ['the reserved instruction', [3, 1, 0], /reserved/],
    ['no size', [], /garbled size/],
  ])('a delta with %s', (_what, delta, message) => {
    expect(() => applyDelta(Buffer.from('abc'), Buffer.from(delta), 100)).toThrow(message);
  });

  test.each([1, 126, 159, 160, 161, 5000])(
    'a delta that takes %i bytes out of its base, and inserts as it goes',
    (length) => {
      const base = Buffer.from(Array.from({ length: 6000 }, (_none, i) => (i * 7) % 251));
      const sizeOf = (size: number) => [0x80 | (size & 0x7f), size >> 7];
      const copy = [0x80 | 1 | 2 | 16 | 32, 300 & 0xff, 300 >> 8, length & 0xff, length >> 8];
      const inserted = Buffer.alloc(127, 'x');
      const delta = Buffer.from([...sizeOf(6000), ...sizeOf(2 * length + 127), ...copy, 127, ...inserted, ...copy]);
      const taken = base.subarray(300, 300 + length);
      expect(applyDelta(base, delta, 20_000)).toEqual(Buffer.concat([taken, inserted, taken]));
    },
  );

  test('deltas applied one after another in a memory that is used again, as each in one of its own', () => {
    const part = fc.oneof(
      fc.uint8Array({ minLength: 30, maxLength: 127 }),
      fc.record({ start: fc.nat(200), length: fc.integer({ min: 5, max: 200 }) }),
    );
    const step = fc.record({ back: fc.nat(12), parts: fc.array(part, { minLength: 2, maxLength: 4 }) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 40, maxLength: 60 }), (steps) => {
        const bases = new PackBases(400);
        const scratch = bases.areMany();
        const made: Buffer[] = [Buffer.alloc(60, 'first')];
        for (const [at, { back, parts }] of steps.entries()) {
          const from = Math.max(0, at - back);
          const plain = made[from]!;
          const base = bases.get(from)?.bytes ?? bases.put(plain);
          expect(base.equals(plain)).toBe(true);
          const delta = deltaOn(plain.length, parts);
          const inflated = scratch.subarray(0, delta.copy(scratch));
          made.push(applyDelta(plain, delta, 2000));
          const object = { type: 'blob', bytes: applyDelta(base, inflated, 2000, (size) => bases.room(size)) } as const;
          expect(object.bytes.equals(made.at(-1)!)).toBe(true);
          bases.remember(at + 1, object);
        }
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    ['a place of four bytes', 0x0100_0003, 3, [0x80 | 1 | 8 | 16, 3, 1, 3]],
    ['a place of three bytes', 0x02_0304, 2, [0x80 | 1 | 2 | 4 | 16, 4, 3, 2, 2]],
    ['a length of three bytes', 5, 0x01_0002, [0x80 | 1 | 16 | 64, 5, 2, 1]],
    ['no length: 65,536', 0x0200, 0x1_0000, [0x80 | 2, 2]],
  ])('a delta that takes bytes by %s', (_what, start, length, copy) => {
    const base = Buffer.alloc(0x0100_0010);
    for (let at = 0; at < base.length; at += 97) base[at] = at % 251;
    const sizeOf = (size: number) =>
      [size, size >> 7, size >> 14, size >> 21].map((part, i) => (i < 3 ? 0x80 : 0) | (part & 0x7f));
    const delta = Buffer.from([...sizeOf(base.length), ...sizeOf(length), ...copy]);
    expect(applyDelta(base, delta, 100_000).equals(base.subarray(start, start + length))).toBe(true);
  });

  test('no bytes at all make the reader do anything but read or throw PackError', () => {
    const pack = git(
      ['pack-objects', '-q', '--stdout', '--delta-base-offset'],
      git(['rev-list', '--objects', '--all', '--no-object-names']),
    );
    fc.assert(
      fc.property(fc.nat(pack.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const spoiled = Buffer.from(pack);
        spoiled[at] = spoiled[at]! ^ flip;
        expect(() => read(spoiled, 997)).toThrow(PackError);
      }),
      { numRuns: 100 },
    );
  });
});

type Part = Uint8Array | { readonly start: number; readonly length: number };

/** A delta on a base of this many bytes: of what it does not have less is taken. */
function deltaOn(baseBytes: number, parts: readonly Part[]): Buffer {
  const fitting = parts.map((part) => {
    if (part instanceof Uint8Array) return part;
    const start = Math.min(part.start, baseBytes - 1);
    return { start, length: Math.min(part.length, baseBytes - start) };
  });
  const sizeOf = (size: number) => [0x80 | (size & 0x7f), size >> 7];
  const result = fitting.reduce((sum, { length }) => sum + length, 0);
  const words = fitting.flatMap((part) =>
    part instanceof Uint8Array
      ? [part.length, ...part]
      : [0x80 | 1 | 2 | 16, part.start & 0xff, part.start >> 8, part.length],
  );
  return Buffer.from([...sizeOf(baseBytes), ...sizeOf(result), ...words]);
}

describe('objects over the limit', () => {
  const limits = { ...defaultGitLimits, objectBytes: 1000, blobBytes: 1000, packBytes: 40_000 };
  const blob = (text: string): GitObject => ({ type: 'blob', bytes: Buffer.from(text) });
  const noise = (bytes: number): GitObject => {
    // Deflate cannot shorten it, so that the pack is over its limit too.
    const parts = Array.from({ length: bytes / 20 }, (_none, i) => createHash('sha1').update(`${i}`).digest());
    return { type: 'blob', bytes: Buffer.concat(parts) };
  };

  test.each([1, 7, 4096, 16_384])('are passed over and named, in chunks of %i bytes', (chunkBytes) => {
    const small = [blob('one'), blob('two'), blob('three'), blob('four')];
    const large = [noise(60_000), blob('0'.repeat(200_000)), blob('')];
    const [one, two, three, four] = small;
    const pack = encodePack([large[0]!, one!, two!, large[1]!, three!, large[2]!, four!]);
    const taken = new Map<string, string>();
    const take = (oid: string, object: TakenObject) => taken.set(oid, object.type);
    const reader = new PackReader(limits, { take, wantsBlob: () => true, leavesOut: true });
    for (let at = 0; at < pack.length; at += chunkBytes) reader.push(pack.subarray(at, at + chunkBytes));
    reader.finish();
    const wanted = [...small, large[2]!].map((object) => [oidOf(object), 'blob'] as const);
    expect(taken).toEqual(new Map([...wanted, [oidOf(large[0]!), 'large'], [oidOf(large[1]!), 'large']]));
    expect([reader.blobs, reader.unnamedLarge]).toEqual([7, 0]);
  });

  test('what builds on one is left out too, and what does not is found', () => {
    const base = 'x'.repeat(1500);
    const size = (bytes: number) => Buffer.from([(bytes & 0x7f) | 0x80, bytes >> 7]);
    const insert = Buffer.concat([size(base.length), Buffer.from([3, 3]), Buffer.from('new')]);
    const onLarge = entry(7, insert, Buffer.from(oidOf(blob(base)), 'hex'));
    const plain = encodePack([blob(base), blob('kept')]);
    const pack = withSum(Buffer.concat([plain.subarray(0, 8), count(3), plain.subarray(12, -20), onLarge]));
    const taken = new Map<string, string>();
    const take = (oid: string, object: TakenObject) => taken.set(oid, object.type);
    const reader = new PackReader(limits, { take, wantsBlob: () => true, leavesOut: true });
    reader.push(pack);
    reader.finish();
    expect(taken).toEqual(
      new Map([
        [oidOf(blob(base)), 'large'],
        [oidOf(blob('kept')), 'blob'],
      ]),
    );
    expect(reader.unnamedLarge).toBe(1);
    // Where something came without a name, everything else gets one: what is missing then is what was left out.
    const picky = new Map<string, string>();
    const noting = (oid: string, object: TakenObject) => picky.set(oid, object.type);
    const other = new PackReader(limits, { take: noting, wantsBlob: () => false, leavesOut: true });
    other.push(pack);
    other.finish();
    expect(picky).toEqual(taken);
  });

  test.each([
    ['lies about its size', (pack: Buffer) => pack.fill(pack[13]! ^ 1, 13, 14), /inflates to/],
    ['is garbled', (pack: Buffer) => pack.fill(0xff, 40, 60), /cannot be inflated|inflates to|checksum/],
    ['is cut', (pack: Buffer) => pack.subarray(0, 30_000), /has 0 of 2 objects/],
  ])('one that %s is an error', (_what, spoil, message) => {
    const pack = spoil(encodePack([noise(60_000), blob('x')]));
    const reader = new PackReader(limits, { take: () => undefined, wantsBlob: () => true, leavesOut: true });
    expect(() => {
      for (let at = 0; at < pack.length; at += 999) reader.push(pack.subarray(at, at + 999));
      reader.finish();
    }).toThrow(message);
  });

  test('a folder over the limit is not left out, it is an error', () => {
    const tree: GitObject = { type: 'tree', bytes: Buffer.alloc(2000, 1) };
    const reader = new PackReader(limits, { take: () => undefined, wantsBlob: () => true, leavesOut: true });
    expect(() => reader.push(encodePack([tree]))).toThrow(/2000 bytes is over the limit of 1000/);
  });

  function count(objects: number): Buffer {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(objects);
    return bytes;
  }

  function withSum(bytes: Buffer): Buffer {
    return Buffer.concat([bytes, createHash('sha1').update(bytes).digest()]);
  }

  function entry(code: number, data: Buffer, base: Buffer): Buffer {
    return Buffer.concat([Buffer.from([(code << 4) | data.length]), base, deflateSync(data)]);
  }
});
