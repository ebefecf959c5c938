/** Decides which object a document is: the four texts that tell objects apart. */

import type { Issue } from '../api/issue.ts';
import { at, type JsonObject } from '../api/json.ts';
import type { FieldPath, ObjectRef } from '../rollout/edits/edit.ts';

type IdentityQuestion = {
  readonly file: string;
  readonly value: JsonObject;
  readonly lineOf: (path: FieldPath) => number;
  /** Configuration files may leave out what objects of the cluster must have. */
  readonly strict: boolean;
};

type Identity =
  | { readonly kind: 'ok'; readonly object: ObjectRef }
  | { readonly kind: 'wrong'; readonly issues: readonly Issue[] };

/** The identity as written; a missing namespace is empty. Names that are numbers or words such as `on` are refused. */
export function identityOf({ file, value, lineOf, strict }: IdentityQuestion): Identity {
  const text = (path: FieldPath): string => {
    const field = at(value, path);
    return typeof field === 'string' ? field : '';
  };
  const namespace = at(value, ['metadata', 'namespace']);
  const required = [['apiVersion'], ['kind'], ['metadata', 'name']];
  const bad = strict ? required.filter((path) => text(path) === '') : [];
  if (strict && namespace !== undefined && typeof namespace !== 'string') bad.push(['metadata', 'namespace']);
  if (bad.length > 0) {
    return {
      kind: 'wrong',
      issues: bad.map((path) => identityIssue(file, lineOf(path), path.join('.'), text(['kind']))),
    };
  }
  return {
    kind: 'ok',
    object: {
      apiVersion: text(['apiVersion']),
      kind: text(['kind']),
      namespace: text(['metadata', 'namespace']),
      name: text(['metadata', 'name']),
    },
  };
}

function identityIssue(file: string, line: number, path: string, kind: string): Issue {
  return {
    file,
    line,
    path,
    reason: 'IdentityMissing',
    message: `${kind === '' ? 'an object' : `a ${kind}`} without ${path} as text; objects are distinguished by it`,
    hint: `Write ${path} as plain or quoted text; generateName is not supported.`,
  };
}
