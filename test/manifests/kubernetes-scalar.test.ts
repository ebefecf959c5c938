/** How unquoted words are read: by Kubernetes, and whether another reader would differ. */

import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { readPlain } from '../../src/manifests/kubernetes-scalar.ts';

/** What the YAML 1.2 reader makes of the same word. */
function core(source: string): unknown {
  return parseDocument(source, { schema: 'core', version: '1.2' }).toJS() as unknown;
}

describe('readPlain', () => {
  test.each([
    // source, Kubernetes reads, ambiguous
    ['3', 3, false],
    ['0', 0, false],
    ['-1', -1, false],
    ['1000000', 1_000_000, false],
    ['0.5', 0.5, false],
    ['25%', '25%', false],
    ['true', true, false],
    ['False', false, false],
    ['null', null, false],
    ['~', null, false],
    ['vllm', 'vllm', false],
    ['v0.8.5', 'v0.8.5', false],
    ['2024-01-01', '2024-01-01', false],
    ['9c41d2e0.2', '9c41d2e0.2', false],
    // Recorded with kubectl 1.32, as are the rest.
    ['012', 10, true],
    ['0644', 420, true],
    ['1_0', 10, true],
    ['0o14', 12, true],
    ['0x1F', 31, true],
    ['-0x1F', -31, true],
    ['0b11', 3, true],
    ['1e3', 1000, true],
    ['+1', 1, true],
    ['.5', 0.5, true],
    ['1.', 1, true],
    ['08', 8, true],
    ['-012', -10, true],
    ['1:30', '1:30', true],
    ['12:30:45', '12:30:45', true],
    ['yes', true, true],
    ['No', false, true],
    ['on', true, true],
    ['off', false, true],
    ['y', true, true],
    ['N', false, true],
    ['.inf', '.inf', true],
    ['9007199254740993', 9_007_199_254_740_992, true],
    ['1_000.5', 1000.5, true],
    ['1_0e2', 1000, true],
    ['+012', 10, true],
    ['0_7', 7, true],
    ['0x_1F', 31, true],
    ['-.5', -0.5, true],
    ['00', 0, true],
    ['-0', 0, true],
    ['+0b1', 1, true],
    ['0o18', '0o18', false],
    ['1e400', '1e400', true],
    ['2001-12-14t21:59:43.10-05:00', '2001-12-14t21:59:43.10-05:00', false],
    ['_1', '_1', false],
    ['1-2', '1-2', false],
    ['-', '-', false],
    ['0x', '0x', false],
    ['0b12', '0b12', false],
  ])('%s is %s, ambiguous %s', (source, value, ambiguous) => {
    expect(readPlain(source, source === '-' ? '-' : core(source))).toEqual({ value, ambiguous });
  });
});
