/** Only plain decimal counts and percentages are read from fields that move groups. */

import { describe, expect, test } from 'vitest';
import { type ManifestDocument, parseManifestFile } from '../../src/manifests/parse-file.ts';
import { fieldIssue, strictInteger, strictIntOrPercent } from '../../src/manifests/strict-scalar.ts';

function documentWith(spec: string): ManifestDocument {
  const text = `apiVersion: v1\nkind: LeaderWorkerSet\nmetadata:\n  name: vllm\n${spec}`;
  const { documents, issues } = parseManifestFile('lws.yaml', text, ['LeaderWorkerSet']);
  expect(issues).toEqual([]);
  return documents[0]!;
}

const PATH = ['spec', 'replicas'];

describe('strictInteger', () => {
  test.each([
    ['0', 0],
    ['3', 3],
    ['1000000', 1_000_000],
    ['2147483647', 2_147_483_647],
    ['3 # groups', 3],
    ['&n 3', 3],
  ])('reads %s', (written, value) => {
    expect(strictInteger(documentWith(`spec:\n  replicas: ${written}\n`), PATH)).toEqual({ kind: 'ok', value });
  });

  test.each([
    '012',
    '0o14',
    '1_0',
    '0x1F',
    '1e3',
    '+1',
    '-1',
    '1.0',
    '.5',
    '1:30',
    '00',
    '2147483648',
    '"3"',
    "'3'",
    'yes',
    'off',
    '~',
    'null',
    '',
    '25%',
    '{}',
    '[3]',
    '!!int 3',
    'three',
    '|\n    3',
  ])('refuses %s', (written) => {
    const read = strictInteger(documentWith(`spec:\n  replicas: ${written}\n`), PATH);
    expect(read).toMatchObject({ kind: 'wrong', issue: { reason: 'NotAPlainNumber', line: 6, path: 'spec.replicas' } });
  });

  test('says how large a number may be', () => {
    expect(strictInteger(documentWith('spec:\n  replicas: 99999999999\n'), PATH)).toMatchObject({
      issue: { message: expect.stringContaining('is 99999999999; a number up to 2147483647, was wanted') },
    });
  });

  test.each([
    ['alias', 'x: &n 3\nspec:\n  replicas: *n\n', 'AliasInField', 7],
    ['alias on the way', 'x: &n {replicas: 3}\nspec: *n\n', 'AliasInField', 6],
    ['merge', 'x: &n {replicas: 3}\nspec:\n  <<: *n\n', 'AliasInField', 7],
    ['template', 'spec:\n  replicas: {{ .Values.replicas }}\n', 'TemplatedValue', 6],
    ['contested by a merge', 'x: &n {replicas: 3}\nspec:\n  replicas: 4\n  <<: *n\n', 'NotAPlainNumber', 7],
  ])('refuses %s', (_, text, reason, line) => {
    expect(strictInteger(documentWith(text), PATH)).toMatchObject({ kind: 'wrong', issue: { reason, line } });
  });

  test('a merge key that does not bring the field is not in the way', () => {
    const text = 'x: &n {size: 3}\nspec:\n  <<: *n\n  replicas: 4\n';
    expect(strictInteger(documentWith(text), PATH)).toEqual({ kind: 'ok', value: 4 });
    expect(fieldIssue(documentWith(text), ['spec', 'other'])).toBeUndefined();
  });

  test('missing is neither zero nor wrong', () => {
    expect(strictInteger(documentWith('spec: {}\n'), PATH)).toEqual({ kind: 'missing' });
    expect(strictInteger(documentWith(''), PATH)).toEqual({ kind: 'missing' });
  });

  test('says what it saw, with the name of the object', () => {
    const read = strictInteger(documentWith('spec:\n  replicas: 012\n'), PATH);
    expect(read.kind === 'wrong' ? read.issue.message : '').toBe(
      'LeaderWorkerSet vllm: spec.replicas is 012; a decimal integer, such as 3, was wanted',
    );
  });
});

describe('strictIntOrPercent', () => {
  test.each([
    ['3', 3],
    ['25%', '25%'],
    ['"25%"', '25%'],
    ["'100%'", '100%'],
    ['0%', '0%'],
  ])('reads %s', (written, value) => {
    expect(strictIntOrPercent(documentWith(`spec:\n  replicas: ${written}\n`), PATH)).toEqual({ kind: 'ok', value });
  });

  test.each(['025%', '2.5%', '-5%', '5 %', '"%"', '"3"', '1_0%', '012', '>\n    25%'])('refuses %s', (written) => {
    const read = strictIntOrPercent(documentWith(`spec:\n  replicas: ${written}\n`), PATH);
    expect(read).toMatchObject({ kind: 'wrong', issue: { reason: 'NotAPlainNumber' } });
  });
});
