/** Label and field selectors in the API's own syntax: which objects a list or a watch is about. */

import { at } from '../../api/json.ts';
import type { KubeObject } from '../../simulator/objects/objects.ts';

type Match = (object: KubeObject) => boolean;

/** A selector that cannot be read. */
type BadSelector = { readonly kind: 'bad'; readonly message: string };
export type Selector = { readonly kind: 'selector'; readonly matches: Match };

const KEY = '[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?';
const VALUE = '[-A-Za-z0-9_.]*';
const equality = new RegExp(`^(${KEY})\\s*(==|=|!=)\\s*(${VALUE})$`);
const membership = new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(\\s*(${VALUE}(?:\\s*,\\s*${VALUE})*)\\s*\\)$`);
const existence = new RegExp(`^(!?)\\s*(${KEY})$`);

/** `a=b,c!=d,e in (f,g),h notin (i),j,!k`; empty matches everything. */
export function labelSelector(text: string): Selector | BadSelector {
  const matches: Match[] = [];
  for (const term of terms(text)) {
    const match = labelTerm(term);
    if (match === undefined) return { kind: 'bad', message: `unable to parse requirement: ${JSON.stringify(term)}` };
    matches.push(match);
  }
  return { kind: 'selector', matches: (object) => matches.every((match) => match(object)) };
}

/** Commas inside of parentheses belong to a set. */
function terms(text: string): readonly string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== '');
}

function labelTerm(term: string): Match | undefined {
  const equal = equality.exec(term);
  const key = equal?.[1];
  if (key !== undefined) {
    const wanted = equal?.[2] !== '!=';
    return (object) => (label(object, key) === equal?.[3]) === wanted;
  }
  const member = membership.exec(term);
  const memberKey = member?.[1];
  if (memberKey !== undefined) {
    const values = (member?.[3] ?? '').split(',').map((value) => value.trim());
    const wanted = member?.[2] === 'in';
    // As in Kubernetes, `notin` and `!=` also match objects without the label.
    return (object) => values.includes(label(object, memberKey) ?? '\0') === wanted;
  }
  const exists = existence.exec(term);
  const existingKey = exists?.[2];
  if (existingKey === undefined) return undefined;
  return (object) => (label(object, existingKey) !== undefined) === (exists?.[1] === '');
}

function label(object: KubeObject, key: string): string | undefined {
  const labels = object.metadata.labels;
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

const fields: Readonly<Record<string, readonly string[]>> = {
  'metadata.name': ['metadata', 'name'],
  'metadata.namespace': ['metadata', 'namespace'],
  'status.phase': ['status', 'phase'],
  'spec.nodeName': ['spec', 'nodeName'],
};

/** `metadata.name=x,status.phase!=Running`; only the fields in the table, as real resources have few. */
export function fieldSelector(text: string): Selector | BadSelector {
  const matches: Match[] = [];
  for (const term of terms(text)) {
    const [, field = '', operator, value = ''] = /^([\w.]+)(==|=|!=)(.*)$/.exec(term) ?? [];
    const path = fields[field];
    if (path === undefined)
      return { kind: 'bad', message: `field label not supported: ${field === '' ? term : field}` };
    matches.push((object) => ((at(object, path) ?? '') === value) === (operator !== '!='));
  }
  return { kind: 'selector', matches: (object) => matches.every((match) => match(object)) };
}
