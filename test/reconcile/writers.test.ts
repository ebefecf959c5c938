/** Two processes for one cluster and shard are named in `status`; a restart, a handover and a pass by hand are not two. */

import { expect, test } from 'vitest';
import { NO_OVERRIDES, newMemory } from '../../src/reconcile/pass.ts';
import { readPicture } from '../../src/reconcile/read-picture.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { statusJson } from '../../src/reconcile/status/status-json.ts';
import { statusTable } from '../../src/reconcile/status/status-text.ts';
import { writerLine, writersInTurn } from '../../src/reconcile/status/writers.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const NOW = 1_800_000_000;
const NAMES: Readonly<Record<string, string>> = {
  X: '0000000a',
  Y: '0000000b',
  o: '0000000c',
  p: '0000000d',
  q: '0000000e',
};
/** One commit a letter, a minute apart, the oldest first; `-`: one without a name, `e`: one of another cluster. */
function commitsOf(letters: string) {
  const line = letters.split('').map((letter, at) => {
    const said =
      letter === 'e' ? writerLine('us', '0000000f') : letter === '-' ? '' : writerLine('eu', NAMES[letter] ?? '');
    const committedAt = NOW - 60 * (letters.length - at);
    const author = { name: 'tranche', email: '', atSeconds: committedAt };
    return { oid: String(at), parents: [], author, committedAt, message: `status: 1 rollout\n\n${said}\n` };
  });
  return line.reverse();
}

test.each([
  ['one', 'XXXXXX', ''],
  ['a restart', 'XXXYYY', ''],
  ['two restarts', 'XXYYoo', ''],
  ['one pass by hand next to a process', 'XXXoXXX', ''],
  ['a workflow that starts one process a pass', 'XYopq', ''],
  ['two in turn', 'XYXY', '0000000b 0000000a'],
  ['two, and one of them writes seldom', 'XXXYXXXXYX', '0000000a 0000000b'],
  ['a process, and a workflow next to it', 'XoXpXqX', '0000000a 0000000e 0000000d 0000000c'],
  ['each of a cluster of its own', 'XeXeXe', ''],
  ['commits of an older tranche between them', 'X-Y-X-Y', '0000000b 0000000a'],
  ['two, until an hour ago', `XYXY${'Y'.repeat(60)}`, ''],
])('%s: %s', (_, letters, then) => {
  const found = writersInTurn(commitsOf(letters), { cluster: 'eu', now: NOW });
  expect(found.map(({ process }) => process).join(' ')).toBe(then);
});

/** A delivery with `turns`: whose pass is next, by its name. */
async function statusAfter(turns: readonly string[]) {
  const world = new World({ files: VLLM_FILES });
  world.sync();
  world.tick(60);
  const memories = new Map(turns.map((name) => [name, newMemory(name)]));
  for (const [at, name] of turns.entries()) {
    if (at === 2) world.edit(LWS_FILE, OLD, NEW);
    await runPass(world.ports(), memories.get(name)!, { overrides: NO_OVERRIDES, write: true, only: [] });
    world.sync();
    world.tick(30);
  }
  const picture = await readPicture(world.ports(), NO_OVERRIDES);
  return { table: statusTable(picture, world.now), json: JSON.stringify(statusJson(picture)) };
}

test('two processes that pass in turn are named, with what to do', async () => {
  const { table, json } = await statusAfter(
    Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? NAMES['X']! : NAMES['Y']!)),
  );
  expect(table).toMatch(
    /^2 processes write this status in turn: 0000000[ab] \(.* ago\), 0000000[ab] \(.* ago\)\. One is enough for a cluster and shard: stop the others; each names itself in the first line of its log$/m,
  );
  expect(json).toContain('"processes":[{"process":"0000000');
});

test('a process that takes over from another is one', async () => {
  const { table, json } = await statusAfter(Array.from({ length: 8 }, (_, at) => (at < 4 ? NAMES['X']! : NAMES['Y']!)));
  expect(table).not.toContain('processes');
  expect(json).not.toContain('processes');
});
