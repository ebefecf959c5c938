/** The RolloutPolicy (tranche.dev/v1alpha1): what Kruise's Rollout has no field for, parsed strictly; whom it means. */

import { type FieldFault, FieldReader } from './field-reader.ts';
import { matchesGlob } from './glob.ts';
import type { JsonObject } from './json.ts';
import { POLICY_FIELD_NAMES, POLICY_FIELDS } from './policy-fields.ts';
import { type PolicyFieldName, type RolloutPolicy } from './policy-rules.ts';
import { ROLLING_STYLES, type RollingStyle } from './styles.ts';

export const POLICY_API_VERSION = 'tranche.dev/v1alpha1';

/** Patterns of one policy. */
const PATTERNS_LIMIT = 200;
/** `*` alone is all of them. */
const PATTERN = /^(\*|[a-z0-9*.-]{1,253}\/[a-z0-9*.-]{1,253})$/;
const CLUSTER = /^[a-z0-9*-]{1,63}$/;
const STYLE = new RegExp(`^(${ROLLING_STYLES.join('|')})$`);

/** Which Rollouts a policy means: those that fit all of it. What is not there fits every one. */
export type PolicySelection = {
  /** `namespace/name` with `*`. */
  readonly rollouts?: readonly string[];
  /** Labels of the Rollout, each with this very value. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Names of clusters, with `*`. */
  readonly clusters?: readonly string[];
  readonly strategies?: readonly string[];
};

/** What of a Rollout a policy may choose it by. */
export type PolicySubject = {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** undefined: the Rollout is too wrong to tell; every one that is asked for fits. */
  readonly strategy: RollingStyle | undefined;
};

type PolicyParsing = {
  readonly name: string;
  /** undefined: something is wrong with it. */
  readonly policy: RolloutPolicy | undefined;
  /** Where something of it is wrong: every Rollout. */
  readonly selection: PolicySelection;
  readonly faults: readonly FieldFault[];
};

/** The fields of `spec` that say which Rollouts a policy means, with what the reference says of them. */
export const SELECTION_FIELDS = {
  rollouts: {
    meaning: 'which Rollouts the policy applies to: patterns `namespace/name` with `*`. `*` alone matches all',
    schema: listOf(PATTERN),
  },
  labels: {
    meaning: 'the policy applies only to Rollouts that have all of these labels',
    schema: {
      type: 'object',
      minProperties: 1,
      maxProperties: PATTERNS_LIMIT,
      additionalProperties: { type: 'string' },
    },
  },
  clusters: {
    meaning: 'the policy applies only in these clusters (`cluster` of `tranche.yaml`). Patterns may contain `*`',
    schema: listOf(CLUSTER),
  },
  strategies: {
    meaning: 'the policy applies only to Rollouts of these strategies: `partition`, `canary`, `blueGreen`',
    schema: listOf(STYLE),
  },
} as const satisfies Readonly<Record<keyof PolicySelection, { readonly meaning: string; readonly schema: JsonObject }>>;

function listOf({ source }: RegExp): JsonObject {
  return { type: 'array', minItems: 1, maxItems: PATTERNS_LIMIT, items: { type: 'string', pattern: source } };
}

/** Reads and validates a policy. Unknown fields are faults, and so are empty ones: a typo must not silently lose a limit. */
export function parseRolloutPolicy(value: unknown): PolicyParsing {
  const root = new FieldReader(value, '');
  root.allow(['apiVersion', 'kind', 'metadata', 'spec']);
  const metadata = root.object('metadata');
  metadata.allow(['name', 'labels', 'annotations']);
  const name = metadata.text('name');
  const spec = root.object('spec', 'fault');
  spec.allow([...Object.keys(SELECTION_FIELDS), ...POLICY_FIELD_NAMES]);
  const selection = readSelection(spec);
  const said = readFields(spec);
  return { name, policy: root.faults.length === 0 ? said : undefined, selection, faults: root.faults };
}

function readSelection(spec: FieldReader): PolicySelection {
  const before = spec.faults.length;
  const list = (key: keyof PolicySelection, pattern: RegExp, wanted: string, choices: readonly string[] = []) =>
    spec.words(key, { pattern, limit: PATTERNS_LIMIT, wanted, choices });
  const rollouts = list('rollouts', PATTERN, 'patterns, namespace/name with *, or * for all');
  const clusters = list('clusters', CLUSTER, 'names of clusters, with *');
  const strategies = list('strategies', STYLE, `of: ${ROLLING_STYLES.join(', ')}`, ROLLING_STYLES);
  const labels = readLabels(spec);
  if (spec.faults.length > before) return {};
  return {
    ...(rollouts === undefined ? {} : { rollouts }),
    ...(labels === undefined ? {} : { labels }),
    ...(clusters === undefined ? {} : { clusters }),
    ...(strategies === undefined ? {} : { strategies }),
  };
}

function readLabels(spec: FieldReader): Readonly<Record<string, string>> | undefined {
  if (!spec.has('labels')) return undefined;
  const labels = spec.stringMap('labels');
  const count = Object.keys(labels).length;
  if (count === 0 || count > PATTERNS_LIMIT)
    spec.fault(
      'labels',
      'BadPattern',
      `wanted a map of 1 to ${PATTERNS_LIMIT} labels`,
      'Correct it, or leave the field out to mean all.',
    );
  return labels;
}

/** Whether a policy means this Rollout. */
export function policyMatches(selection: PolicySelection, subject: PolicySubject): boolean {
  const { rollouts, labels, strategies } = selection;
  return (
    meansCluster(selection, subject.cluster) &&
    (rollouts === undefined || rollouts.some((pattern) => matchesPattern(pattern, subject))) &&
    Object.entries(labels ?? {}).every(([key, value]) => labelOf(subject, key) === value) &&
    (strategies === undefined || subject.strategy === undefined || strategies.includes(subject.strategy))
  );
}

/** Whether a policy means anything in this cluster. */
export function meansCluster({ clusters }: PolicySelection, cluster: string): boolean {
  return clusters === undefined || clusters.some((pattern) => matchesGlob(pattern, cluster));
}

function labelOf({ labels }: PolicySubject, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** `*` stands for any text within a namespace or a name, and alone for both. */
function matchesPattern(pattern: string, { namespace, name }: PolicySubject): boolean {
  if (pattern === '*') return true;
  const slash = pattern.indexOf('/');
  return matchesGlob(pattern.slice(0, slash), namespace) && matchesGlob(pattern.slice(slash + 1), name);
}

/** What the policy says of every field of the table; a wrong value is a fault of `spec`. */
function readFields(spec: FieldReader): RolloutPolicy {
  const said: Writable<RolloutPolicy> = {};
  for (const name of POLICY_FIELD_NAMES) readInto(said, name, spec);
  return said;
}

function readInto<K extends PolicyFieldName>(said: Pick<Writable<RolloutPolicy>, K>, name: K, spec: FieldReader): void {
  const value = POLICY_FIELDS[name].read(spec, name);
  if (value !== undefined) said[name] = value;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
