/** The RouteProviders of the files: how shares are written into kinds of routes that tranche does not know. */

import type { Issue } from '../../api/issue.ts';
import { ROUTE_PROVIDER_KIND } from '../../api/kinds.ts';
import type { Rollout } from '../../api/rollout.ts';
import { type CustomKind, parseRouteProvider, ROUTE_PROVIDER_API_VERSION } from '../../api/route-provider.ts';
import type { ManifestDocument, ManifestFile } from '../../manifests/parse-file.ts';
import { ambiguousFields, fieldIssue, nameOf, versionIssue } from './read-rollout.ts';

export type RouteProviders = {
  /** Those that are there once and without a fault. */
  readonly kinds: readonly CustomKind[];
  readonly issues: readonly Issue[];
};

type Read = {
  readonly document: ManifestDocument;
  readonly kind: CustomKind | undefined;
  readonly issues: readonly Issue[];
};

const VERSION = { what: 'RouteProvider', wanted: ROUTE_PROVIDER_API_VERSION };

/** Of two for one kind neither counts: which of them was meant is not clear. */
export function readRouteProviders(files: readonly ManifestFile[]): RouteProviders {
  const all = files
    .flatMap(({ documents }) => documents)
    .filter(({ object }) => object.kind === ROUTE_PROVIDER_KIND && object.apiVersion.startsWith('tranche.dev/'))
    .map(readOne);
  const twins = ({ kind }: Read): readonly Read[] =>
    all.filter(
      (other) => other.kind !== undefined && other.kind.kind === kind?.kind && other.kind.group === kind.group,
    );
  return {
    kinds: all.flatMap((one) => (one.kind === undefined || twins(one).length > 1 ? [] : [one.kind])),
    issues: all.flatMap((one) => [...one.issues, ...(twins(one).length > 1 ? [twiceIssue(one, twins(one))] : [])]),
  };
}

function readOne(document: ManifestDocument): Read {
  if (document.object.apiVersion !== ROUTE_PROVIDER_API_VERSION)
    return { document, kind: undefined, issues: [versionIssue(document, VERSION)] };
  const { kind, faults } = parseRouteProvider(document.value);
  const issues = [...faults.map((fault) => fieldIssue(document, fault)), ...ambiguousFields(document)];
  return { document, kind: issues.length === 0 ? kind : undefined, issues };
}

function twiceIssue({ document }: Read, twins: readonly Read[]): Issue {
  const [other] = twins.filter((one) => one.document !== document);
  return {
    file: document.file,
    line: document.lineOf(['spec', 'resource']),
    path: 'spec.resource',
    reason: 'DuplicateObject',
    message: `${nameOf(document)}: ${other === undefined ? 'another' : `${nameOf(other.document)} in ${other.document.file}`} is for the same kind; which of them counts is not clear`,
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
