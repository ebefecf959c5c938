/** Which folders speak for a namespace, and what of `owners` is refused. */

import { expect, test } from 'vitest';
import { foldersOf } from '../../src/api/owners.ts';
import { isOfSteps, parseConfig } from '../../src/api/parse-config.ts';

const owners = { '*': ['platform'], 'team-*': ['teams'], 'team-a-*': ['teams/a', 'shared/a'], 'team-a-x': ['x'] };

test.each<readonly [namespace: string, folders: readonly string[] | undefined]>([
  ['team-a-x', ['x']],
  ['team-a-y', ['teams/a', 'shared/a']],
  ['team-b', ['teams']],
  ['llm', ['platform']],
])('one pattern decides, the name itself or the longest: %s → %j', (namespace, folders) =>
  expect(foldersOf(owners, namespace)).toEqual(folders),
);

test('a namespace that no pattern fits belongs to every folder', () => {
  expect(foldersOf({ 'team-*': ['teams'] }, 'llm')).toBeUndefined();
  expect(foldersOf({}, 'llm')).toBeUndefined();
});

test.each<readonly [value: unknown, owners: object, faults: readonly string[]]>([
  [{ llm: ['./apps/llm/', 'shared'] }, { llm: ['apps/llm', 'shared'] }, []],
  [{ llm: [''] }, { llm: [''] }, []],
  [null, {}, ['owners Missing']],
  [{ llm: null }, {}, ['owners.llm Missing']],
  [{ llm: [] }, {}, ['owners.llm Missing']],
  [{ llm: 'apps/llm' }, {}, ['owners.llm WrongType']],
  [{ LLM: ['apps'] }, {}, ['owners.LLM BadPattern']],
  [{ llm: ['../apps'] }, { llm: ['../apps'] }, ['owners BadPath']],
  [['llm'], {}, ['owners WrongType']],
])('owners: %j', (value, read, faults) => {
  const { config, faults: found } = parseConfig({ owners: value });
  expect(config.owners).toEqual(read);
  expect(found.map(({ at, reason }) => `${at.join('.')} ${reason}`)).toEqual(faults);
});

test('a slip in it keeps no rollback', () => expect(isOfSteps('owners')).toBe(true));
