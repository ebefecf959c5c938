/** The pages of a look: what others wrote is shown and does not act, and no name leads anywhere else. */

import { describe, expect, test } from 'vitest';
import { UNSEEN_SIGNS } from '../../src/api/seen.ts';
import { type PageFile, pagesOf } from '../../src/reconcile/page/pages.ts';
import { checkedOutput } from '../support/output-schemas.ts';
import { lookOf } from '../support/published-look.ts';

const filesOf = ({ status, history }: ReturnType<typeof lookOf>): readonly PageFile[] => {
  const pages = pagesOf(status, history);
  if ('fault' in pages) throw new Error(pages.fault);
  return pages.files;
};

const htmlOf = (files: readonly PageFile[]): readonly string[] =>
  files.filter(({ path }) => path.endsWith('.html')).map(({ text }) => text);

const moving = [{ kind: 'moving' as const }];
/** All elements that the pages are made of: anything else has come from a text. */
const ELEMENTS =
  'a body caption code dd div dl dt figure figcaption footer h1 h2 h3 head header html li link main meta nav ol p path pre rect span strong svg table tbody td text th thead time title tr ul'.split(
    ' ',
  );
const ATTRIBUTES =
  'aria-current aria-hidden aria-label aria-labelledby charset class content d datetime height href http-equiv id lang name rel role scope tabindex text-anchor title viewBox width x y'.split(
    ' ',
  );

/** Tags as a browser cuts them: a quoted value may have any character but its quote. */
const TAG = /<\/?([a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"]*")?)*)\s*\/?>/g;

test('what these tests show pages of is what the schemas describe', () => {
  const { status, history } = lookOf([...moving, { kind: 'resting', name: 'b' }], 'any text');
  checkedOutput('status', JSON.stringify(status));
  checkedOutput('history', JSON.stringify(history));
});

test.each([
  ['an element', '<script>alert(1)</script><img src=x onerror=alert(1)>'],
  ['the end of an attribute', '" onmouseover="alert(1)" x="'],
  ['of the other kind', "' onmouseover='alert(1)' x='"],
  ['an address that runs', 'javascript:alert(1)'],
  ['a comment', '--><!-- <b>'],
  ['the end of the title', '</title></style></code><svg onload=alert(1)>'],
  ['an entity', '&lt;script&gt;&#60;b&#62;'],
  ['directions and control characters', 'a\u202Eb\u0000c\u001B[31m\u2028d'],
  ['what nobody sees', 'a\u200bb\u00adc\u{e0041}d\ufeff'],
  ['a template of a page generator', '{{ site.github }} {% include x %}'],
])('%s stays a text, in every place that has one', (_, text) => {
  for (const page of htmlOf(
    filesOf(
      lookOf(
        [
          { kind: 'moving', url: text },
          { kind: 'resting', name: 'b' },
        ],
        text,
      ),
    ),
  )) {
    const tags = [...page.matchAll(TAG)];
    expect(tags.map(([, name = '']) => name).filter((name) => !ELEMENTS.includes(name))).toEqual([]);
    const attributes = tags.flatMap(([, , all = '']) =>
      [...all.replaceAll(/="[^"]*"/g, '').matchAll(/[a-zA-Z-]+/g)].map(([name]) => name),
    );
    expect(attributes.filter((name) => !ATTRIBUTES.includes(name))).toEqual([]);
    // What is left is text, in which nothing begins an element.
    expect(page.replace(/^<!doctype html>/, '').replaceAll(TAG, '')).not.toMatch(/[<>]/);
    for (const [, href = ''] of page.matchAll(/href="([^"]*)"/g))
      expect(href).toMatch(/^((\.\.\/)*(index\.html|style\.css)|(rollouts|others)\/[a-z0-9./-]+\.html|#content)$/);
    // oxlint-disable-next-line no-control-regex -- these are what must not be there
    expect(page).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e]/);
    expect(page.replaceAll('\n', '')).not.toMatch(new RegExp(UNSEEN_SIGNS, 'u'));
  }
});

describe('links', () => {
  test.each([
    ['https://github.example/models/pull/12', true],
    ['http://github.example/models/pull/12', false],
    ['javascript:alert(1)//https://x', false],
    ['https://name:password@github.example/', false],
    ['https://github.example/"><b>', false],
    ['data:text/html,<b>', false],
  ])('%s: %s', (url, isLink) => {
    const [, page = ''] = filesOf(lookOf([{ kind: 'moving', url }])).map(({ text }) => text);
    expect(page).toContain('#12');
    expect(page.includes('href="https:')).toBe(isLink);
  });
});

describe('where a page lies', () => {
  test.each([
    ['vllm', 'rollouts/default/llm/vllm.html'],
    ['a.b-c', 'rollouts/default/llm/a.b-c.html'],
    ['..', 'others/0.html'],
    ['../../../etc', 'others/0.html'],
    ['a..b', 'others/0.html'],
    ['a/b', 'others/0.html'],
    ['.git', 'others/0.html'],
    ['A', 'others/0.html'],
    ['', 'others/0.html'],
    ['a\u0000b', 'others/0.html'],
    ['a'.repeat(240), `rollouts/default/llm/${'a'.repeat(240)}.html`],
    ['a'.repeat(241), 'others/0.html'],
  ])('%j: %s', (name, path) => {
    expect(filesOf(lookOf([{ kind: 'moving', name }])).map((file) => file.path)).toEqual([
      'style.css',
      path,
      'index.html',
    ]);
  });

  test('two of one name have a page each', () => {
    const paths = filesOf(lookOf([...moving, ...moving])).map(({ path }) => path);
    expect(paths).toEqual(['style.css', 'rollouts/default/llm/vllm.html', 'others/1.html', 'index.html']);
  });
});

test('each page forbids scripts, frames, forms and everything from elsewhere, and has none', () => {
  for (const page of htmlOf(filesOf(lookOf(moving)))) {
    expect(page).toContain(
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'">`,
    );
    expect(page).not.toMatch(/<script|<iframe|<form|<img| style=|url\(|@import/);
  }
});

test('groups are told in one sentence, neighbours that are the same together', () => {
  const [page = ''] = htmlOf(filesOf(lookOf([{ kind: 'moving', groups: 6 }])));
  expect(page).toContain(
    'groups of llm/vllm: 0 on the stable version, ready; 1 on the stable version, not ready; 2 on the stable version, ready; 3 to 4 on the version in Git, ready; 5 on the version in Git, ready, extra',
  );
});

test('who hears a page gets a language, headings in their order, names of tables and columns, words for signs', () => {
  for (const page of htmlOf(filesOf(lookOf([...moving, { kind: 'resting', name: 'b' }])))) {
    expect(page).toContain('<html lang="en">');
    const levels = [...page.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
    expect(levels[0]).toBe(1);
    expect(levels.slice(1).every((level, at) => level > 1 && level <= (levels[at] ?? 0) + 1)).toBe(true);
    for (const [table = ''] of page.matchAll(/<table[^]*?<\/table>/g)) {
      expect(table).toMatch(/^<table[^>]*aria-labelledby="(moving|rest)"|<caption>/);
      // In the head of a table it is one of columns.
      expect(table).toMatch(/<thead><tr><th[ >]/);
      expect(table).toMatch(/<th scope="row">/);
    }
    const signs = page
      .replaceAll(/<(span|ul|pre)[^>]*(aria-hidden="true"|class="diff")[^]*?<\/\1>/g, '')
      .match(/[●○◇…]/g);
    expect(signs ?? []).toEqual([]);
  }
});

test('a Rollout: its step, both versions, the share, when it may end, the pull request, policies and releases before', () => {
  const [, page = ''] = filesOf(lookOf(moving)).map(({ text }) => text.replaceAll(/<[^>]+>/g, ''));
  for (const part of [
    '2/3, 2 of 4 groups, written 2026-11-27 08:45:00Z, done since 2026-11-27 08:59:00Z',
    '2026-11-27 09:30:00Z at the earliest, in 30 min, and 1 pause waits for someone',
    'Share of the new version: 20% in Git, 20% in the cluster, accepted.',
    'traffic (Git stands here)',
    '#12, open',
    'production@4f1c4f1c4f1c',
    'tranche resume llm/vllm',
    'tranche approve llm/vllm',
    'rolled back: it was aborted',
    'HTTPRoute vllm: not accepted',
    'ordered, not seen by a pass yet: approve',
  ])
    expect(page).toContain(part);
});

describe('over time', () => {
  const base = '2026-11-26T09:0';
  const told = (step: string, minute: number, groups?: object): object => ({
    step,
    at: `${base}${minute}:00Z`,
    groups,
  });
  const group = (updated: number): object => ({ updated, of: 4 });

  /** The heights of the picture, in percent, from its start; what it counts. */
  const shown = (steps: readonly object[], outcome = 'in progress'): readonly [string, readonly number[]] => {
    const delivery = { rollout: 'default/llm/vllm', outcome, begunAt: `${base}0:00Z`, steps: [...steps].reverse() };
    const { status } = lookOf(moving);
    const [, page = ''] = filesOf({ status, history: { version: 1, deliveries: [delivery] } }).map(({ text }) => text);
    const [, path = ''] = /<path class="done" d="M\d+ \d+([^"]*)H\d+V\d+Z"/.exec(page) ?? [];
    const heights = [...path.matchAll(/V(\d+)/g)].map(([, y]) => Math.round(((176 - Number(y)) / 160) * 100));
    return [/id="over-time"[^>]*>(Groups|Steps)/.exec(page)?.[1] ?? '', heights];
  };

  test.each([
    [
      'groups, where files tell',
      [told('1/3', 0, group(1)), told('2/3', 1, group(2))],
      'in progress',
      'Groups',
      [25, 50],
    ],
    [
      'a commit that locks keeps what was there',
      [told('3/3', 0, group(4)), told('3/3', 1), told('settled', 2)],
      'settled',
      'Groups',
      [100, 100],
    ],
    [
      'back to nothing',
      [told('1/3', 0, group(1)), told('rollback', 1), told('settled', 2)],
      'rolled back',
      'Groups',
      [25, 0, 0],
    ],
    [
      'steps, where none tells',
      [told('1/4', 0), told('2/4', 1), told('promote', 2)],
      'in progress',
      'Steps',
      [25, 50, 100],
    ],
    [
      'what is no step',
      [told('1/4', 0), told('x', 1), told('9/4', 2), told('1/0', 3)],
      'in progress',
      'Steps',
      [25, 100],
    ],
    ['more groups than there are', [told('1/2', 0, { updated: 9, of: 4 })], 'in progress', 'Steps', [50]],
  ])('%s', (_, steps, outcome, what, heights) => {
    expect(shown(steps, outcome)).toEqual([what, heights]);
  });

  test('the share that the new version had is a line, from the first commit that tells it', () => {
    const share = (percent: unknown, matches = false): object => ({ share: { percent, matches } });
    const steps = [
      { ...told('1/4', 0), ...share(0) },
      { ...told('1/4', 1), ...share(5) },
      { ...told('2/4', 2), ...share(25, true) },
      { ...told('2/4', 3), ...share('50') },
      { ...told('promote', 4), ...share(100) },
    ];
    const delivery = { rollout: 'default/llm/vllm', outcome: 'in progress', steps: [...steps].reverse() };
    const { status } = lookOf(moving);
    const [, page = ''] = filesOf({ status, history: { version: 1, deliveries: [delivery] } }).map(({ text }) => text);
    const [, start = '', path = ''] = /<path class="share" d="M56 (\d+)([^"]*)H704"/.exec(page) ?? [];
    const heights = [start, ...[...path.matchAll(/V(\d+)/g)].map(([, y]) => y)];
    expect(heights.map((y) => Math.round(((176 - Number(y)) / 160) * 100))).toEqual([0, 5, 25, 100]);
    const cells = [...page.replace(/^[^]*Its commits/, '').matchAll(/<th scope="row">[^<]*<td>([^<]*)<td>/g)].map(
      ([, words]) => words,
    );
    expect(cells).toEqual(['100% : 0%', 'not known', '25% : 75%, and what has its headers', '5% : 95%', '0% : 100%']);
  });

  test('no picture where there is no time between', () => {
    const { status } = lookOf(moving);
    const deliveries = [{ rollout: 'default/llm/vllm', steps: [{ step: '1/2', at: 'yesterday' }] }];
    expect(filesOf({ status, history: { version: 1, deliveries } })[1]?.text).not.toContain('<svg');
  });
});

test.each([
  ['no object', undefined],
  ['another version', { version: 2, rollouts: [] }],
  ['no Rollouts', { version: 1 }],
])('a status that is none is named: %s', (_, status) => {
  expect(pagesOf(status, undefined)).toEqual({ fault: expect.stringContaining('the status is none of version 1') });
});

test('fields that are not there, or are something else, leave a page all the same', () => {
  const odd = {
    version: 1,
    rollouts: [{}, { groups: { list: [{ index: 'x' }] }, images: 7, step: [], holds: [null, 3] }],
  };
  expect(filesOf({ status: odd, history: { version: 1, deliveries: [{}, null] } })).toHaveLength(4);
});

/** The goal of the issue in bytes; its time is a row of the benchmark. */
test('1,000 Rollouts, a tenth of them in a delivery, are at most 500 kB to open, and 5 MB with a page for each', () => {
  const rollouts = Array.from({ length: 1000 }, (_, at) => ({
    kind: at % 10 === 0 ? ('moving' as const) : ('resting' as const),
    name: `vllm-${at}`,
    groups: 8,
  }));
  const files = filesOf(lookOf(rollouts));
  const all = files.find(({ path }) => path === 'index.html')?.text ?? '';
  expect(Buffer.byteLength(all)).toBeLessThan(500_000);
  // A browser lays out a part of twenty or fifty where it is in sight, and passes over the others.
  expect(all.match(/<tr>/g)).toHaveLength(100 / 20 + 100);
  expect(all.match(/class="(wide|rest) part"/g)).toHaveLength(100 / 20 + 900 / 50);
  expect(all.match(/<li><a /g)).toHaveLength(900);
  expect(files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)).toBeLessThan(5_000_000);
});

describe('what a release changes', () => {
  const shown = (changes: unknown): string => {
    const { status } = lookOf(moving);
    const deliveries = [{ rollout: 'default/llm/vllm', outcome: 'in progress', changes }];
    const [, page = ''] = filesOf({ status, history: { version: 1, deliveries } }).map(({ text }) => text);
    return /<h3>What it changes[^]*$/.exec(page)?.[0].replace(/<\/main>[^]*/, '') ?? '';
  };

  test.each([
    ['nothing', [], '<p class="quiet">Nothing.</p>'],
    ['a field', ['- size: 2', '+ size: 4'], '<span class="removed">- size: 2</span>\n<span class="added">+ size: 4'],
    ['what is turned around is shown by its number', ['+ image: "a\u202Eb"'], '+ image: &quot;a\\u202eb&quot;<'],
    ['so are control characters', ['+ a: \u001b[31m\u0000'], '+ a: \\u001b[31m\\u0000<'],
    ['no line of its own', ['+ a\n- image: b'], '<span class="added">+ a\\n- image: b</span>'],
    ['no markup', ['+ a: </span></pre><b>'], '+ a: &lt;/span&gt;&lt;/pre&gt;&lt;b&gt;<'],
  ])('%s', (_, changes, wanted) => {
    expect(shown(changes)).toContain(wanted);
  });

  test('is left out where it is not known, and at most 100 lines are read', () => {
    expect(shown(undefined)).toBe('');
    expect(shown(Array.from({ length: 5000 }, (_, at) => `+ a: ${at}`)).match(/<span/g)).toHaveLength(100);
  });
});

test('what metrics said is a row each, and no table where nothing was judged', () => {
  const text = filesOf(lookOf(moving)).find(({ path }) => path.startsWith('rollouts/'))?.text ?? '';
  expect(text).toContain('<caption>Bad of all requests, in step 2/3 traffic</caption>');
  expect(text).toContain('<th scope="row">chat/vllm/errors<td>passed<td>12 of 4180 (0.29 %)<td>no requests<td>');
  const [rest] = filesOf(lookOf([{ kind: 'resting' }])).filter(({ path }) => path.startsWith('rollouts/'));
  expect(rest?.text).not.toContain('<h2>Metrics</h2>');
});
