/** The RouteProviders of the files: how shares are written into kinds of routes that tranche does not know. */

import { CONFIG_FILE, type Config, isBelow } from '../../api/config.ts';
import type { FieldFault } from '../../api/field-reader.ts';
import type { Issue } from '../../api/issue.ts';
import { ROUTE_PROVIDER_KIND } from '../../api/kinds.ts';
import type { Rollout } from '../../api/rollout.ts';
import { type CustomKind, parseRouteProvider, ROUTE_PROVIDER_API_VERSION } from '../../api/route-provider.ts';
import type { ManifestDocument, ManifestFile } from '../../manifests/parse-file.ts';
import { ambiguousFields, fieldIssue, nameOf, versionIssue } from './read-rollout.ts';

export type RouteProviders = {
  /** Those that are there once and without a fault. */
  readonly kinds: readonly CustomKind[];
  /** Of those, what keeps a delivery from beginning with them; one that has started goes to stable by them all the same. */
  readonly held: readonly HeldProvider[];
  readonly issues: readonly Issue[];
};

type HeldProvider = { readonly kind: CustomKind; readonly issue: Issue };

type Read = {
  readonly document: ManifestDocument;
  readonly held: readonly Issue[];
  readonly isInside: boolean;
  readonly kind: CustomKind | undefined;
  readonly issues: readonly Issue[];
};

const VERSION = { what: 'RouteProvider', wanted: ROUTE_PROVIDER_API_VERSION };

/**
 * Of two for one kind that nothing decides between neither counts: which of them was meant is not clear. Where `policyPaths` is set, one outside of it starts no
 * delivery, and takes nothing from one inside.
 */
export function readRouteProviders(
  files: readonly ManifestFile[],
  config: Pick<Config, 'policyPaths'>,
): RouteProviders {
  const all = files
    .flatMap(({ documents }) => documents)
    .filter(isProvider)
    .map((document) => readOne(document, config));
  const same = ({ kind }: Read): readonly Read[] =>
    all.filter(
      (other) => other.kind !== undefined && other.kind.kind === kind?.kind && other.kind.group === kind.group,
    );
  const twins = (one: Read): readonly Read[] => same(one).filter(({ isInside }) => isInside === one.isInside);
  const counting = all.filter((one) => twins(one).length === 1 && (one.isInside || same(one).length === 1));
  return {
    kinds: counting.flatMap(({ kind }) => kind ?? []),
    held: counting.flatMap(({ kind, held }) => (kind === undefined ? [] : held.map((issue) => ({ kind, issue })))),
    issues: all.flatMap((one) => [...one.issues, ...twinIssue(one, twins(one))]),
  };
}

function isProvider({ object }: ManifestDocument): boolean {
  return object.kind === ROUTE_PROVIDER_KIND && object.apiVersion.startsWith('tranche.dev/');
}

/** The kind of route that a RouteProvider is for; undefined: it is none, or has a fault, and then it counts for nothing. */
export function routeKindOf(document: ManifestDocument): Pick<CustomKind, 'kind' | 'group'> | undefined {
  return isProvider(document) ? readOne(document, { policyPaths: undefined }).kind : undefined;
}

function readOne(document: ManifestDocument, { policyPaths }: Pick<Config, 'policyPaths'>): Read {
  const isInside = policyPaths === undefined || isBelow(policyPaths, document.file);
  if (document.object.apiVersion !== ROUTE_PROVIDER_API_VERSION)
    return { document, kind: undefined, held: [], isInside, issues: [versionIssue(document, VERSION)] };
  const { kind, faults, beyond } = parseRouteProvider(document.value);
  const issues = [...faults.map((fault) => fieldIssue(document, fault)), ...ambiguousFields(document)];
  const held = [...beyond, ...(isInside ? [] : [outsideFault])].map((fault) => fieldIssue(document, fault));
  return { document, kind: issues.length === 0 ? kind : undefined, held, isInside, issues: [...issues, ...held] };
}

const outsideFault: FieldFault = {
  at: ['spec', 'resource'],
  reason: 'OutsidePolicyPaths',
  message: `spec.resource does not count here: a RouteProvider counts from the policyPaths of ${CONFIG_FILE} alone`,
  hint: 'Move it to one of these paths.',
};

function twinIssue({ document }: Read, twins: readonly Read[]): readonly Issue[] {
  const [other] = twins.filter((one) => one.document !== document);
  if (other === undefined) return [];
  const issue = providerTwiceIssue(document, other.document);
  return [{ ...issue, message: `${issue.message}; which of them counts is not clear` }];
}

/** Another RouteProvider is for the same kind of route. */
export function providerTwiceIssue(document: ManifestDocument, other: ManifestDocument): Issue {
  return {
    file: document.file,
    line: document.lineOf(['spec', 'resource']),
    path: 'spec.resource',
    reason: 'DuplicateObject',
    message: `${nameOf(document)}: ${nameOf(other)} in ${other.file} is for the same kind`,
    hint: 'Keep one of them.',
  };
}

/** The Rollout, whose routes of such kinds carry what is known of them. */
export function withRouteProviders<T extends Pick<Rollout, 'routing'>>(rollout: T, kinds: readonly CustomKind[]): T {
  const { routing } = rollout;
  if (routing === undefined || kinds.length === 0) return rollout;
  const routes = routing.routes.map((ref) => {
    const custom = kinds.find(({ kind, group }) => kind === ref.kind && group === ref.group);
    return custom === undefined ? ref : { ...ref, custom };
  });
  return { ...rollout, routing: { ...routing, routes } };
}

/** Why a delivery of this Rollout does not start: what is wrong with RouteProviders of its routes. */
export function heldProviders(
  rollout: Pick<Rollout, 'routing'> | undefined,
  { held }: Pick<RouteProviders, 'held'>,
): readonly Issue[] {
  const routes = rollout?.routing?.routes ?? [];
  return held.flatMap(({ kind, issue }) => (routes.some(({ custom }) => custom === kind) ? [issue] : []));
}
