/** Each provider on written-out files: before, with each share, and home again. The files are the specification of the text. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { at } from '../../../src/api/json.ts';
import { printReading } from '../../../src/rollout/ladders/differences.ts';
import { rulesDiffer, type Sent } from '../../../src/rollout/ladders/own-rules.ts';
import { trafficProviders } from '../../../src/rollout/traffic/index.ts';
import type { RouteFiles, Share, Sides, TrafficProvider } from '../../../src/rollout/traffic/provider.ts';
import {
  asServed,
  NO_SHARE,
  prepared,
  providerIn,
  routeIn,
  SIDES,
  type Texts,
  weight,
  written,
} from '../../support/routes.ts';

const ROOT = new URL('../../../fixtures/traffic/', import.meta.url);
const FILE = 'route.yaml';
const cases = readdirSync(ROOT);

function read(name: string, file: string): string {
  return readFileSync(new URL(`${name}/${file}`, ROOT), 'utf8');
}

/** Compared with the golden file, or written to it. */
function check(name: string, file: string, text: string): void {
  const url = new URL(`${name}/${file}`, ROOT);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(url, text);
  expect(text, `${name}/${file}`).toBe(readFileSync(url, 'utf8'));
}

/** Steps of a case where it says which; else these. */
function sharesOf(name: string): Readonly<Record<string, Share>> {
  if (existsSync(new URL(`${name}/shares.json`, ROOT)))
    return JSON.parse(read(name, 'shares.json')) as Readonly<Record<string, Share>>;
  return { 'weight-5': weight(5), 'weight-100': weight(100) };
}

/** Both sides where the case says who they are. */
function sidesOf(name: string): Sides {
  if (!existsSync(new URL(`${name}/sides.json`, ROOT))) return SIDES;
  return { ...SIDES, ...(JSON.parse(read(name, 'sides.json')) as Partial<Sides>) };
}

/** What a route sends, as the waiting for it compares it. */
function sentBy(files: RouteFiles, provider: TrafficProvider, sides: Sides): Sent {
  return { reading: provider.read(files, sides), value: (files.canary ?? files.route).value };
}

/** Whether the cluster is said to have what Git says. */
function isSame(git: Sent, live: Sent): boolean {
  return printReading(git.reading) === printReading(live.reading) && !rulesDiffer(git, live);
}

function textIn(texts: Texts): string {
  return texts.files[FILE] ?? '';
}

test('every provider has a case', () => {
  const shown = new Set(cases.map((name) => name.split('-')[0]));
  expect(Object.keys(trafficProviders).filter((key) => !shown.has(key))).toEqual([]);
});

describe.each(cases)('%s', (name) => {
  const provider = providerIn(name);
  const sides = sidesOf(name);
  const before: Texts = { files: { [FILE]: read(name, 'before.yaml') }, displaced: [] };
  const start = prepared(before, provider, sides);

  test('each share on the one before it, and home', () => {
    if (textIn(start) !== textIn(before)) check(name, 'prepared.yaml', textIn(start));
    let texts = start;
    for (const [step, share] of Object.entries(sharesOf(name))) {
      texts = written(texts, provider, share, sides);
      check(name, `${step}.yaml`, textIn(texts));
      const seen = provider.read(routeIn(texts, provider), sides);
      expect(seen.percent, step).toBe(share.kind === 'weight' ? share.percent : 0);
      expect(seen.ours.length > 0, step).toBe(share.kind === 'matches');
      expect(textIn(written(texts, provider, share, sides)), 'written twice').toBe(textIn(texts));
    }
    const home = written(texts, provider, NO_SHARE, sides);
    expect(home.displaced).toEqual([]);
    expect(provider.read(routeIn(home, provider), sides)).toMatchObject({ percent: 0, ours: [], mirrors: [] });
    check(name, 'home.yaml', textIn(home));
    expect(textIn(home)).toBe(textIn(start));
  });

  test.each(Object.entries(sharesOf(name)))('%s alone, and home', (_, share) => {
    expect(textIn(written(written(start, provider, share, sides), provider, NO_SHARE, sides))).toBe(textIn(start));
  });

  test('all requests, and nobody knows any more what it was: the stable version gets them again', () => {
    // Of a kind that has no weights there is nothing to lose.
    if (!provider.read(routeIn(start, provider), sides).stable) return;
    const all = written(start, provider, weight(100), sides);
    const back = written({ ...all, displaced: [] }, provider, NO_SHARE, sides);
    expect(provider.read(routeIn(back, provider), sides)).toMatchObject({ percent: 0, stable: true });
  });

  test('a share is known again as an API server answers with it, and no other is taken for it', () => {
    const all = Object.values(sharesOf(name)).map((share) => routeIn(written(start, provider, share, sides), provider));
    const sent = all.map((files) => sentBy(files, provider, sides));
    const live = all.map((files) => sentBy(asServed(files), provider, sides));
    const same = sent.map((git) => live.map((one) => isSame(git, one)));
    expect(same).toEqual(sent.map((_, row) => live.map((__, column) => row === column)));
  });

  test('what is prepared is prepared once', () => {
    expect(textIn(prepared(start, provider, sides))).toBe(textIn(start));
    expect(textIn(written(start, provider, NO_SHARE, sides))).toBe(textIn(start));
    expect(at(routeIn(start, provider).route.value, ['kind'])).toBe(provider.kind);
  });
});

test('the same text under another annotation is another choice of requests', () => {
  const provider = trafficProviders.NginxIngress;
  const before: Texts = { files: { [FILE]: read('NginxIngress', 'before.yaml') }, displaced: [] };
  const start = prepared(before, provider, SIDES);
  const byHeader = (type: 'Exact' | 'RegularExpression'): Sent => {
    const match = { path: undefined, headers: [{ name: 'x-team', value: 'ads', type }], queryParams: [] };
    const share: Share = { kind: 'matches', matches: [match], modifier: undefined };
    return sentBy(routeIn(written(start, provider, share, SIDES), provider), provider, SIDES);
  };
  expect(isSame(byHeader('Exact'), byHeader('RegularExpression'))).toBe(false);
});
