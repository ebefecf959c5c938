/** The second Ingress as a copy of the first: made once, kept, and brought up to date with each release. */

import { type IngressPath, parseIngress } from '../../api/ingress.ts';
import { at, type JsonObject } from '../../api/json.ts';
import { MADE_FOR } from '../../api/marks.ts';
import type { Edit } from '../edits/edit.ts';
import { type Keys, keysFor } from './ingress-annotations.ts';
import type { IngressClass } from './ingress-classes.ts';
import type { RouteDocument, RouteEdits, RouteFiles, Sides } from './provider.ts';

export const ANNOTATIONS: readonly string[] = ['metadata', 'annotations'];

/** What tools of others act on, and what would be done twice for the same hosts. */
const LEFT_OUT = /^(kubectl\.kubernetes\.io\/|argocd\.argoproj\.io\/|([^/]*\.)?cert-manager\.io\/|tranche\.dev\/)/;

/** The name of the second Ingress, as Kruise gives it. */
export function canaryName(name: string): string {
  return `${name}-canary`;
}

/** A copy behind the Ingress in its file, with the paths to the stable Service alone, and weight 0; one that is there, brought up to date. */
export function prepare({ route, canary }: RouteFiles, sides: Sides, dialect: IngressClass): readonly RouteEdits[] {
  if (canary !== undefined) return renewed(route, canary, dialect);
  const { value, file, object } = route;
  const { annotations, defaultService } = parseIngress(value);
  const home = keysFor(dialect, { kind: 'none' }, annotations);
  const keys: Keys = { [MADE_FOR]: sides.workloads.stable, ...(home.kind === 'ok' ? home.keys : {}) };
  const left = Object.keys(annotations).filter((key) => LEFT_OUT.test(key) && keys[key] === undefined);
  const edits: readonly Edit[] = [
    ...keptPaths(value, sides),
    ...(defaultService === undefined && at(value, ['spec', 'defaultBackend']) === undefined
      ? []
      : [{ kind: 'remove', path: ['spec', 'defaultBackend'] } as const]),
    ...annotationEdits(annotations, keys),
    ...left.map((key): Edit => ({ kind: 'remove', path: [...ANNOTATIONS, key] })),
  ];
  return [{ file, object: { ...object, name: canaryName(object.name) }, copyOf: object, edits }];
}

/** What people have changed of their own since the copy was made, by which its requests would be answered otherwise. */
function renewed(route: RouteDocument, canary: RouteDocument, dialect: IngressClass): readonly RouteEdits[] {
  const [own, there] = [route, canary].map(({ value }) => parseIngress(value).annotations);
  if (own === undefined || there === undefined) return [];
  const share = keysFor(dialect, { kind: 'none' }, own);
  const isCopied = (key: string): boolean =>
    !LEFT_OUT.test(key) && share.kind === 'ok' && !Object.keys(share.keys).includes(key);
  const keys = [...new Set([...Object.keys(own), ...Object.keys(there)])].filter(isCopied);
  const wanted = Object.fromEntries(keys.map((key) => [key, own[key]]));
  const path = ['spec', 'ingressClassName'];
  const [name, before] = [route, canary].map(({ value }) => at(value, path));
  const edits: readonly Edit[] = [
    ...annotationEdits(there, wanted),
    ...(name === before
      ? []
      : [
          typeof name === 'string'
            ? ({ kind: 'set', path, value: name } as const)
            : ({ kind: 'remove', path } as const),
        ]),
  ];
  return edits.length === 0 ? [] : [{ file: canary.file, object: canary.object, edits }];
}

/** Names first, then what goes, from the last on: taking one out moves those behind it. */
function keptPaths(value: JsonObject, sides: Sides): readonly Edit[] {
  const { paths, rules } = parseIngress(value);
  const isOwn = ({ service }: IngressPath): boolean => service === sides.stable;
  const names = paths
    .filter(isOwn)
    .map(({ serviceAt }): Edit => ({ kind: 'set', path: [...serviceAt, 'name'], value: sides.canary }));
  const numbers = Array.from({ length: rules }, (_, number) => number).toReversed();
  const gone = numbers.flatMap((number): readonly Edit[] => {
    const of = paths.filter(({ rule }) => rule === number);
    const rule = ['spec', 'rules', String(number)];
    if (!of.some(isOwn)) return [{ kind: 'removeItem', path: rule }];
    const others = of.filter((path) => !isOwn(path)).toReversed();
    return others.map(({ place }): Edit => ({ kind: 'removeItem', path: [...rule, 'http', 'paths', String(place)] }));
  });
  return [...names, ...gone];
}

/** A key with undefined goes. */
export function annotationEdits(there: Readonly<Record<string, string>>, keys: Keys): readonly Edit[] {
  const changed = Object.entries(keys).filter(([key, text]) => there[key] !== text);
  const set = changed.flatMap(([key, value]): readonly Edit[] =>
    value === undefined ? [] : [{ kind: 'set', path: [...ANNOTATIONS, key], value }],
  );
  const gone = changed.flatMap(([key, value]): readonly Edit[] =>
    value === undefined ? [{ kind: 'remove', path: [...ANNOTATIONS, key] }] : [],
  );
  return [...set, ...gone];
}
