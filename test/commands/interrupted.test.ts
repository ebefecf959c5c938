/** What somebody who interrupts a verb waits for: its end, or two seconds at most where a server does not answer. */

import { afterEach, expect, test, vi } from 'vitest';
import { unlessInterrupted } from '../../src/commands/interrupted.ts';
import type { Io } from '../../src/options.ts';

afterEach(() => void vi.useRealTimers());

const NEVER = new Promise<number>(() => undefined);

function started(running: Promise<number>) {
  vi.useFakeTimers();
  const asked = new AbortController();
  let said = '';
  const io = { interrupted: asked.signal, err: (text: string) => (said += text) } as unknown as Io;
  let code: number | undefined;
  void unlessInterrupted(io, running).then((one) => (code = one));
  return { asked, code: () => code, said: () => said };
}

test.each(['before it asks Git', 'while Git hangs'])('Ctrl-C %s: the verb ends within two seconds', async (when) => {
  const { asked, code, said } = started(NEVER);
  if (when === 'while Git hangs') await vi.advanceTimersByTimeAsync(60_000);
  expect(code()).toBeUndefined();
  asked.abort();
  await vi.advanceTimersByTimeAsync(1000);
  expect(code()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1000);
  expect(code()).toBe(1);
  expect(said()).toBe(
    'stopped: a server has not answered; a commit that was being pushed is there as a whole, or not at all\n',
  );
});

test('Ctrl-C while a pass ends: its own answer is that of the verb', async () => {
  let end: (code: number) => void = () => undefined;
  const { asked, code, said } = started(new Promise((done) => (end = done)));
  asked.abort();
  await vi.advanceTimersByTimeAsync(1000);
  end(0);
  await vi.advanceTimersByTimeAsync(0);
  expect([code(), said()]).toEqual([0, '']);
});
