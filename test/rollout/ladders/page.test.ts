/** Holds the page of src/rollout/ladders to the story that it tells: the same commits, in the same order. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const LINES_MOST = 120;

const page = readFileSync('src/rollout/ladders/README.md', 'utf8');

function section(title: string): string {
  return page.split('\n## ').find((part) => part.startsWith(title)) ?? '';
}

function commitsOf(story: string): readonly string[] {
  const transcript = readFileSync(`fixtures/scenarios/${story}/transcript.txt`, 'utf8');
  const all = [...transcript.matchAll(/^ {4}c\d+ tranche: rollout\(llm\/vllm\): (.*)$/gm)].map(
    (found) => found[1] ?? '',
  );
  return all.toReversed();
}

test('its canary has the commits of the story', () => {
  const told = [...section('One canary').matchAll(/^\| `([^`]+)`/gm)].map((found) => found[1]);
  expect(told).toEqual(commitsOf('canary-with-httproute').slice(1));
});

test.each(['canary-aborted-in-a-step', 'canary-aborted-in-the-primary'])(
  'its rollbacks have the commits of %s',
  (story) => {
    const back = commitsOf(story).filter((subject) => subject.startsWith('roll'));
    expect(back.length).toBeGreaterThan(1);
    for (const subject of back) expect(section('The rollback')).toContain(`\`${subject}\``);
  },
);

test('it is short', () => {
  expect(page.split('\n').length).toBeLessThanOrEqual(LINES_MOST);
});
