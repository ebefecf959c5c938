/** Golden files: what each kind of manifest looks like after a step, byte for byte. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { applyEdits } from '../../src/manifests/splice/apply-edits.ts';
import type { Edit, ObjectEdits } from '../../src/rollout/edits/edit.ts';

const ROOT = new URL('../../fixtures/manifests/', import.meta.url);
const cases = readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isDirectory());

function read(name: string, file: string): string {
  return readFileSync(new URL(`${name}/${file}`, ROOT), 'utf8');
}

function editsOf(name: string): ObjectEdits {
  const plan = JSON.parse(read(name, 'edits.json')) as ObjectEdits;
  const edits = plan.edits.map((edit): Edit => {
    return edit.kind === 'restore' ? { ...edit, source: read(name, edit.source) } : edit;
  });
  return { ...plan, edits };
}

describe('golden', () => {
  test('there are cases', () => expect(cases.length).toBeGreaterThan(25));

  test.each(cases.map((entry) => entry.name))('%s', (name) => {
    expect(existsSync(new URL(`${name}/after.yaml`, ROOT))).toBe(true);
    const before = read(name, 'before.yaml');
    const spliced = applyEdits(before, editsOf(name));
    expect(spliced).toEqual({ kind: 'ok', text: read(name, 'after.yaml') });
  });

  test.each(cases.map((entry) => entry.name))('%s, made a second time, changes nothing', (name) => {
    const after = read(name, 'after.yaml');
    const again = applyEdits(after, editsOf(name));
    // What came cannot come twice, and what went cannot go twice: the plan is of another text.
    if (again.kind === 'refused') expect(again.issue.reason).toMatch(/^(Item|Object)(Twice|NotFound)$/);
    else expect(again.text).toBe(after);
  });
});
