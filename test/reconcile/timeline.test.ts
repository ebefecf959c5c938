/** A delivery's course in the record, and the picture of it on the status branch: both change with commits alone. */

import { describe, expect, test } from 'vitest';
import { type Marks, RUNGS, type RungMark } from '../../src/api/marks.ts';
import type { Course, Stand } from '../../src/api/record-course.ts';
import { timelineSvg } from '../../src/reconcile/status/timeline-svg.ts';
import { courseAfter } from '../../src/rollout/record/course.ts';
import { emptyRecord } from '../support/record.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const START = 1_750_000_000;
const release = (serial: number) => ({ digest: '9c41d2e09c41d2e09c41d2e09c41d2e0', serial });

/** `2: 1/3 pods`: release 2 in step 1 of 3, at a rung; `2: settled`. */
function marksOf(words: string): Marks {
  const [, serial = '', name = '', rung] = /^(\d): (\S+)(?: (\S+))?$/.exec(words) ?? [];
  const [index, of] = name.split('/').map(Number);
  const none: Marks['step'] = name === 'promote' || name === 'rollback' ? { kind: name } : undefined;
  const step: Marks['step'] =
    index !== undefined && of !== undefined ? { kind: 'step', index, of } : name === 'settled' ? undefined : none;
  const at: RungMark | undefined = RUNGS.find((one) => one === rung);
  return { release: release(Number(serial)), step, stable: undefined, restore: undefined, aborted: [], at };
}

type Seen = readonly [words: string, groups?: number | undefined, share?: string];

/** The course after these, a minute apart; each with the groups that it covers, and its share. */
function courseOf(...seen: readonly Seen[]): Course | undefined {
  return seen.reduce<Course | undefined>(
    (course, [words, groups, share], minute) =>
      courseAfter(course, {
        marks: marksOf(words),
        covers: groups === undefined ? undefined : { groups, of: 4 },
        share,
        at: START + minute * 60,
      }),
    undefined,
  );
}

const shown = (course: Course | undefined): readonly string[] =>
  (course?.stands ?? []).map(
    ({ at, step, covers, share }) => `${(at - START) / 60} ${step} ${covers?.groups ?? ''} ${share ?? ''}`,
  );

describe('the course', () => {
  test.each<readonly [string, readonly Seen[], readonly string[]]>([
    ['nothing before the first step', [['1: settled'], ['1: settled']], []],
    [
      'each commit once, with what was last seen of it',
      [
        ['1: settled'],
        ['2: 1/3', 1],
        ['2: 1/3', 1],
        ['2: 1/3 traffic', 1],
        ['2: 1/3 traffic', 2, '5%'],
        ['2: 1/3 traffic'],
      ],
      ['1 1/3 1 ', '3 1/3 traffic 2 5%'],
    ],
    ['its end, which stays', [['2: 1/3', 1], ['2: settled'], ['2: settled']], ['0 1/3 1 ', '1 settled  ']],
    ['its rollback', [['2: 2/3', 2], ['2: rollback'], ['1: settled']], ['0 2/3 2 ', '1 rollback  ', '2 settled  ']],
    ['the next release alone', [['2: 1/3', 1], ['2: settled'], ['3: 1/3', 1]], ['2 1/3 1 ']],
  ])('%s', (_, seen, wanted) => {
    expect(shown(courseOf(...seen))).toEqual(wanted);
  });

  test('has the first stand and the newest, 100 at the most; a clock that is behind turns no time around', () => {
    const many = courseOf(...Array.from({ length: 300 }, (_, at) => [`2: ${(at % 7) + 1}/9`, 1] as const));
    expect(many?.stands).toHaveLength(100);
    expect([many?.stands[0]?.at, many?.stands.at(-1)?.at]).toEqual([START, START + 299 * 60]);
    const late = courseAfter(many, { marks: marksOf('2: settled'), covers: undefined, share: undefined, at: START });
    expect(late?.stands.at(-1)).toEqual({ step: 'settled', at: START + 299 * 60 });
  });
});

describe('the picture', () => {
  const svgOf = (stands: readonly Stand[], fields = {}): string | undefined =>
    timelineSvg(emptyRecord({ course: { release: release(2), stands }, ...fields }));
  /** The heights of a path, in percent. */
  const heights = (svg = '', stroke = ''): readonly number[] => {
    const [, path = ''] = new RegExp(`stroke="${stroke}"[^>]* d="M\\d+ ([^"]*)"`).exec(svg) ?? [];
    return [...`V${path}`.matchAll(/V(\d+)/g)].map(([, y]) => Math.round(((176 - Number(y)) / 160) * 100));
  };

  test.each<readonly [string, readonly Seen[], readonly number[], readonly number[]]>([
    [
      'a canary',
      [['2: 1/2 pods', 1, '–'], ['2: 1/2 traffic', 1, '5%'], ['2: promote all', undefined, '100%'], ['2: settled']],
      [0, 25, 25, 100, 100, 0],
      [0, 5, 100, 100],
    ],
    [
      'blueGreen, whose route is restored once its Service has the new version',
      [
        ['2: 1/1 traffic', 4, '50%'],
        ['2: promote switch', undefined, '50%'],
        ['2: promote route-restored', undefined, '–'],
      ],
      [0, 100, 100, 100, 0],
      [50, 100, 100],
    ],
    [
      'a rollback',
      [['2: 1/2 traffic', 1, '5%'], ['2: rollback traffic', undefined, '–'], ['1: settled']],
      [0, 25, 0, 0, 0],
      [5, 0, 0],
    ],
    [
      'by headers, and without a share',
      [
        ['2: 1/2 traffic', 1, 'matches'],
        ['2: 2/2', 4],
      ],
      [0, 25, 100, 0],
      [],
    ],
  ])('%s', (_, seen, groups, shares) => {
    const svg = svgOf(courseOf(...seen)?.stands ?? []);
    expect([heights(svg, '#0a6b3d'), heights(svg, '#8a4b00')]).toEqual([groups, shares]);
  });

  test('there is none before time has passed', () => {
    expect(timelineSvg(emptyRecord())).toBeUndefined();
    expect(svgOf(courseOf(['2: 1/3', 1])?.stands ?? [])).toBeUndefined();
  });

  test('what a forged record says acts in no way, and makes no large file', () => {
    const hostile = `"/><script>alert(1)</script>&<image href="https://x"/>\u202e\u0000`;
    const stands = Array.from({ length: 100 }, (_, at) => ({
      at: START + at,
      step: hostile.repeat(1000),
      share: hostile,
      covers: { groups: 9 ** 9, of: 1 },
    }));
    const svg = svgOf(stands, { name: hostile, namespace: hostile }) ?? '';
    expect(
      [...svg.matchAll(/<([a-z]+)/g)]
        .map(([, name]) => name)
        .filter((name) => !/^(svg|rect|path|g|text)$/.test(name ?? '')),
    ).toEqual([]);
    expect(svg).not.toMatch(/[^\x20-\x7e\n]/);
    expect(svg.replaceAll(/<\/?[a-z]+( [a-zA-Z-]+="[^"<>]*")*\/?>/g, '')).not.toMatch(/[<>]/);
    expect(svg.length).toBeLessThan(6000);
  });
});

test('on the status branch: with each commit another picture, on the page, and gone with the Rollout', async () => {
  const world = new World({
    files: { ...VLLM_FILES, [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('pause: {}', 'pause: {duration: 1}') },
  });
  const file = 'timelines/default/llm/vllm.svg';
  const picture = () => world.repository.text('tranche-status', file);
  const seen = new Map<string, Set<string | undefined>>();
  for (let round = 0; round < 12; round += 1) {
    if (round === 1) world.edit(LWS_FILE, OLD, NEW);
    world.sync();
    world.tick(900);
    await world.pass();
    const subject = world.subject();
    seen.set(subject, (seen.get(subject) ?? new Set()).add(picture()));
  }
  expect(world.subject()).toBe('rollout(llm/vllm): settled');
  expect([...seen.values()].map(({ size }) => size)).toEqual([...seen.keys()].map(() => 1));
  expect(new Set([...seen.values()].flatMap((of) => [...of])).size).toBeGreaterThan(3);
  expect(picture()).toContain('llm/vllm 0e241605.2, settled: groups, of all<');
  expect(world.repository.text('tranche-status', 'README.md')).toContain(`![groups and share over time](${file})`);
  const writes = [ROLLOUT_FILE, LWS_FILE].map((path) => ({ path, text: undefined }));
  world.repository.commit('main', { writes, message: 'take it out' });
  world.sync();
  await world.pass();
  expect(picture()).toBeUndefined();
});
