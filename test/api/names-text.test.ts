/** Names that there are, in a message about one that is not among them. */

import { expect, test } from 'vitest';
import { namesText } from '../../src/api/names-text.ts';

const many = Array.from({ length: 30 }, (_, at) => `llm/m${String(at).padStart(2, '0')}`);

test.each([
  ['none', [], 'vllm', 'none'],
  ['one', ['llm/vllm'], 'llama', 'llm/vllm'],
  ['one that many files name, once', Array(30).fill('llm/vllm'), 'llama', 'llm/vllm'],
  ['by the alphabet', ['b/b', 'a/a'], '', 'a/a, b/b'],
  [
    'a few of many',
    many,
    'llama',
    'llm/m00, llm/m01, llm/m02, llm/m03, llm/m04, llm/m05, llm/m06, llm/m07 and 22 more',
  ],
  ['the nearest first, by its name alone', [...many, 'llm/vllm'], 'vlm', /^llm\/vllm, llm\/m00, .* and 23 more$/],
  ['the nearest first, with its namespace', [...many, 'llm/vllm'], 'lm/vllm', /^llm\/vllm, llm\/m00, .* and 23 more$/],
])('%s', (_, names, typed, said) => {
  expect(namesText(names, typed)).toEqual(typeof said === 'string' ? said : expect.stringMatching(said));
});
