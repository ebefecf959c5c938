/** Documents that nothing reads because their kind is misspelt: ours, and Rollouts. */

import type { Issue } from '../../api/issue.ts';
import { ANALYSIS_KIND, OWN_GROUP, POLICY_KIND, POLICY_TEST_KIND, ROUTE_PROVIDER_KIND } from '../../api/kinds.ts';
import { nearest } from '../../api/nearest.ts';

const OWN_KINDS = [POLICY_KIND, POLICY_TEST_KIND, ROUTE_PROVIDER_KIND, ANALYSIS_KIND];
const OWN_VERSION = /^apiVersion:[ \t]*["']?tranche\.dev\//m;
const KRUISE_GROUP = 'rollouts.kruise.io';
const KRUISE_VERSION = /^apiVersion:[ \t]*["']?rollouts\.kruise\.io\//m;
const KIND_LINE = /^kind:[ \t]*["']?([^"'\s#]*)/m;

type KindFound = Pick<Issue, 'file' | 'line'> & { readonly kind: string };

/** The kind of every document whose version is so, in files that name its group. */
function kindsOf(texts: ReadonlyMap<string, string>, group: string, version: RegExp): readonly KindFound[] {
  return [...texts].flatMap(([file, text]) => {
    if (!text.includes(group)) return [];
    let line = 1;
    return text.split(/^(?=---)/m).flatMap((document): readonly KindFound[] => {
      const first = line;
      line += document.split('\n').length - 1;
      if (!version.test(document)) return [];
      const found = KIND_LINE.exec(document);
      const before = document.slice(0, found?.index ?? 0).split('\n').length - 1;
      return [{ file, line: first + before, kind: found?.[1] ?? '' }];
    });
  });
}

/** Documents of our own group whose kind is none: a policy with a misspelt kind would otherwise hold nothing, silently. */
export function unknownKinds(texts: ReadonlyMap<string, string>): readonly Issue[] {
  const unknown = kindsOf(texts, OWN_GROUP, OWN_VERSION).filter(({ kind }) => !OWN_KINDS.includes(kind));
  return unknown.map((found) => kindIssue(found, { wanted: OWN_KINDS, meant: nearest(found.kind, OWN_KINDS) }));
}

/** A Rollout with a misspelt kind delivers nothing. Kruise has other kinds, which are none of ours. */
export function misspeltRollouts(texts: ReadonlyMap<string, string>): readonly Issue[] {
  return kindsOf(texts, KRUISE_GROUP, KRUISE_VERSION).flatMap((found) => {
    const meant = nearest(found.kind, ['Rollout']);
    return meant === undefined ? [] : [kindIssue(found, { wanted: [meant], meant })];
  });
}

function kindIssue(
  { kind, ...at }: KindFound,
  { wanted, meant }: { readonly wanted: readonly string[]; readonly meant: string | undefined },
): Issue {
  return {
    ...at,
    path: 'kind',
    reason: 'UnknownKind',
    message: `kind is ${kind === '' ? 'missing' : kind}, wanted ${wanted.join(' or ')}: nothing of what it says counts`,
    hint: meant === undefined ? 'Correct it, or delete the document.' : `Did you mean ${meant}?`,
  };
}
