/** What is wrong with a file of manifests as a whole: each with its line, and what to do. */

import type { Issue } from '../api/issue.ts';
import { MAX_DOCUMENTS, MAX_FILE_CHARACTERS, MAX_FILE_WORK } from './limits.ts';

/** A wanted kind as an item of a List. */
export function listIssue(file: string, line: number, kind: string): Issue {
  return {
    file,
    line,
    path: 'items',
    reason: 'UnsupportedLayout',
    message: `a ${kind} is an item of a List; only objects that are documents of their own are read`,
    hint: apart(file),
  };
}

/** How items become documents: JSON has one a file. */
function apart(file: string): string {
  return file.endsWith('.json')
    ? 'Write each item into a file of its own, or all into a .yaml file, as documents with --- between them.'
    : 'Write each item as a document of its own, with --- between them.';
}

/** A wanted object in a list that is the whole document; `line` is where it starts. */
export function inListIssue(file: string, line: number, kind: string): Issue {
  return {
    file,
    line,
    path: '',
    reason: 'NotAnObject',
    message: `the document is a list, and a ${kind} is an item of it: Kubernetes takes no such document, and nothing of it counts`,
    hint: `${apart(file)} If they are no manifests, take the file out of the configured paths.`,
  };
}

/** A document that is no map. */
export function notAnObject(file: string, line: number): Issue {
  return {
    file,
    line,
    path: '',
    reason: 'NotAnObject',
    message: 'the document is not a map of keys and values',
    hint: 'Write apiVersion, kind and the fields of the object at the first level.',
  };
}

/** A file beyond the limit. */
export function fileTooLarge(file: string, length: number): Issue {
  return {
    file,
    line: 0,
    path: '',
    reason: 'FileTooLarge',
    message: `the file has ${length} characters, more than ${MAX_FILE_CHARACTERS}, the limit`,
    hint: 'Split it, or keep it out of the configured paths.',
  };
}

/** Documents beyond the limit. */
export function tooManyDocuments(file: string, line: number): Issue {
  return {
    file,
    line,
    path: '',
    reason: 'TooManyDocuments',
    message: `the file has more than ${MAX_DOCUMENTS} documents of kinds that are read, the limit`,
    hint: 'Split the file.',
  };
}

/** Documents behind those that take as much work as is done for one file. */
export function tooMuchWork(file: string, line: number): Issue {
  return {
    file,
    line,
    path: '',
    reason: 'TooManyNodes',
    message: `the documents before this line have more than ${MAX_FILE_WORK} words, signs and values together, the limit: nothing from here on is read`,
    hint: 'Split the file, or keep it out of the configured paths.',
  };
}
