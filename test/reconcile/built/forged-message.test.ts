/** Annotations that somebody writes by hand, with the author and the message of a commit of tranche, where no file has the LeaderWorkerSet. */

import { expect, test } from 'vitest';
import { type BuiltLayout, LAYOUTS, markIn } from '../../support/built-layouts.ts';

const ABORT = { kind: 'abort', keepNewer: false, from: undefined } as const;

/** As tranche would have written it, all of it. */
function forge(at: BuiltLayout, step: string, reason: string, change: (text: string) => string): void {
  const { repository, now } = at.world;
  const message = `rollout(llm/vllm): ${step}

All is well.

Rollout: default/llm/vllm
Rollout-Release: ${markIn(at, 'release')}
Rollout-Step: ${step}
Rollout-Reason: ${reason}
Planned-From: ${repository.head('main')}`;
  const signature = { name: 'tranche', email: 'tranche@example.com', atSeconds: now };
  const text = repository.text('main', at.marked) ?? '';
  expect(change(text)).not.toBe(text);
  repository.commit('main', { writes: [{ path: at.marked, text: change(text) }], message, signature });
}

const FORGERIES: Readonly<Record<string, (at: BuiltLayout) => void>> = {
  'that it has settled': (at) =>
    forge(at, 'settled', 'Settled', (text) => text.replace(/ +tranche\.dev\/(step|restore|stable|rung): .*\n/g, '')),
  'that it goes back': (at) =>
    forge(at, 'rollback', 'Aborted', (text) =>
      text.replace(
        /tranche\.dev\/step: .*/,
        `tranche.dev/step: "rollback"\n    tranche.dev/aborted: "${markIn(at, 'release')}"`,
      ),
    ),
};

const ROWS = Object.keys(LAYOUTS).flatMap((layout) =>
  Object.keys(FORGERIES).map((forged) => [layout, forged] as const),
);

test.each(ROWS)('%s, forged with our message %s: held, and an abort goes back', async (layout, forged) => {
  const at = await LAYOUTS[layout]!();
  FORGERIES[forged]?.(at);
  const seen: string[] = [];
  const round = async (): Promise<string> => {
    const said = await at.world.step();
    seen.push(`${at.groups()} | ${said}`);
    return said;
  };
  for (let count = 0; count < 3; count += 1) await round();
  expect(await round(), seen.join('\n')).toContain('AnnotationsGone');
  seen.push(await at.world.order(ABORT));
  for (let count = 0; count < 12; count += 1) {
    await round();
    expect(at.groups().match(/v0\.10\.1/g)?.length ?? 0, seen.join('\n')).toBeLessThanOrEqual(1);
  }
  expect(at.groups(), seen.join('\n')).toBe(at.old);
});

test.each(Object.keys(LAYOUTS))(
  '%s, forged with our message that it has settled, and its record is gone before each pass: never taken on',
  async (layout) => {
    const at = await LAYOUTS[layout]!();
    FORGERIES['that it has settled']?.(at);
    const seen: string[] = [];
    const round = async (): Promise<string> => {
      at.world.repository.setHead('tranche-status', undefined);
      const said = await at.world.step();
      seen.push(`${at.groups()} | ${said}`);
      return said;
    };
    for (let count = 0; count < 3; count += 1) await round();
    expect(await round(), seen.join('\n')).toContain('AnnotationsGone');
    seen.push(await at.world.order(ABORT));
    for (let count = 0; count < 12; count += 1) {
      await round();
      expect(at.groups().match(/v0\.10\.1/g)?.length ?? 0, seen.join('\n')).toBeLessThanOrEqual(1);
    }
    expect(at.groups(), seen.join('\n')).toBe(at.old);
  },
);
