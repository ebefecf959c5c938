/** The RolloutPolicyTest: a Rollout as it might be, and what policies are to say of it before its first step. */

import { type FieldFault, FieldReader } from './field-reader.ts';
import { type IntOrPercent, isIntOrPercent } from './int-or-percent.ts';
import { isRecord } from './json.ts';
import { NOTICE_EVENTS, type NoticeEvent } from './policy-notify.ts';
import { parseRelease, type Release } from './release.ts';
import { ROLLING_STYLES, type RollingStyle } from './styles.ts';
import { type Instant, parseInstant } from './time.ts';

const LIST_LIMIT = 50;
const SHARE = /^\d{1,3}%$/;
const NAMED = /^[a-z0-9-]{1,63}\/[a-z0-9.-]{1,253}$/;

/** `traffic`: the share of the requests that the step sends to the new version, as `10%`; undefined: it says none. */
type TestStep = { readonly replicas: IntOrPercent; readonly traffic: string | undefined };

export type PolicyTest = {
  readonly name: string;
  readonly now: Instant;
  /** `namespace/name`. */
  readonly rollout: string;
  readonly cluster: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly replicas: number;
  readonly maxUnavailable: number;
  readonly strategy: RollingStyle;
  readonly steps: readonly TestStep[];
  readonly gpusPerGroup: number;
  /** Others that are being delivered. */
  readonly underWay: readonly string[];
  /** The release that is asked for, for exceptions; undefined: one that none names. */
  readonly release: Release | undefined;
  /** Of these events, the targets that must be notified, and no others. */
  readonly tells: Readonly<Partial<Record<NoticeEvent, readonly string[]>>>;
  /** The reasons that must hold it, and no others. */
  readonly expect: readonly string[];
};

/** Reads and validates one; undefined: `faults` say why. */
export function parsePolicyTest(value: unknown): {
  readonly test: PolicyTest | undefined;
  readonly faults: readonly FieldFault[];
} {
  const root = new FieldReader(value, '');
  root.allow(['apiVersion', 'kind', 'metadata', 'spec']);
  const metadata = root.object('metadata');
  metadata.allow(['name']);
  const spec = root.object('spec');
  spec.allow([
    'now',
    'rollout',
    'cluster',
    'labels',
    'replicas',
    'maxUnavailable',
    'strategy',
    'steps',
    'gpusPerGroup',
    'underWay',
    'release',
    'tells',
    'expect',
  ]);
  const named = { pattern: NAMED, limit: LIST_LIMIT, wanted: 'Rollouts as namespace/name' };
  const test: PolicyTest = {
    name: metadata.text('name'),
    now: readNow(spec),
    rollout: readRollout(spec),
    cluster: spec.optionalText('cluster', 'default'),
    labels: spec.stringMap('labels'),
    replicas: spec.integer('replicas', { min: 1, max: 1000 }) ?? 4,
    maxUnavailable: spec.integer('maxUnavailable', { min: 1, max: 1000 }) ?? 1,
    strategy: spec.word('strategy', ROLLING_STYLES) ?? 'partition',
    steps: readSteps(spec),
    gpusPerGroup: spec.integer('gpusPerGroup', { min: 0, max: 10_000 }) ?? 0,
    underWay: spec.words('underWay', named) ?? [],
    release: readRelease(spec),
    tells: readTells(spec),
    expect: readExpected(spec),
  };
  return { test: root.faults.length === 0 ? test : undefined, faults: root.faults };
}

function readNow(spec: FieldReader): Instant {
  const text = spec.text('now');
  const now = parseInstant(text);
  if (text !== '' && now === undefined)
    spec.fault('now', 'BadWindow', `is ${JSON.stringify(text)}, wanted a time in UTC`, 'Write "2026-11-27T17:00:00Z".');
  return now ?? 0;
}

function readRollout(spec: FieldReader): string {
  const text = spec.text('rollout');
  if (text !== '' && !NAMED.test(text))
    spec.fault(
      'rollout',
      'BadPattern',
      `is ${JSON.stringify(text)}, wanted namespace/name`,
      'Write for example llm/vllm.',
    );
  return text;
}

function readRelease(spec: FieldReader): Release | undefined {
  if (!spec.has('release')) return undefined;
  const text = spec.text('release');
  const release = parseRelease(text);
  if (text !== '' && release === undefined)
    spec.fault(
      'release',
      'BadPattern',
      `is ${JSON.stringify(text)}, wanted a release`,
      'Write the 32 digits of its digest and a serial, as the hold names it.',
    );
  return release;
}

function readTells(spec: FieldReader): PolicyTest['tells'] {
  if (!spec.has('tells')) return {};
  const tells = spec.object('tells');
  tells.allow(NOTICE_EVENTS);
  const named = NOTICE_EVENTS.filter((event) => tells.has(event));
  return Object.fromEntries(named.map((event) => [event, tells.texts(event, LIST_LIMIT)]));
}

function readSteps(spec: FieldReader): readonly TestStep[] {
  const value = spec.value('steps') ?? ['25%', '50%', '100%'];
  const steps = Array.isArray(value) ? value.flatMap((item: unknown) => stepOf(item) ?? []) : [];
  if (!Array.isArray(value) || steps.length !== value.length || steps.length === 0 || steps.length > LIST_LIMIT)
    spec.fault(
      'steps',
      'BadReplicas',
      `wanted a list of 1 to ${LIST_LIMIT} counts or shares, or of steps with replicas and traffic`,
      'Write for example [1, {replicas: 50%, traffic: 20%}, 100%].',
    );
  return steps;
}

/** As Kruise writes it, or its `replicas` alone. */
function stepOf(item: unknown): TestStep | undefined {
  if (isIntOrPercent(item)) return { replicas: item, traffic: undefined };
  if (!isRecord(item)) return undefined;
  const { replicas, traffic, ...others } = item;
  if (!isIntOrPercent(replicas) || Object.keys(others).length > 0) return undefined;
  if (traffic === undefined) return { replicas, traffic };
  return typeof traffic === 'string' && SHARE.test(traffic) ? { replicas, traffic } : undefined;
}

/** An empty list is an answer: nothing holds it. */
function readExpected(spec: FieldReader): readonly string[] {
  const value = spec.value('expect');
  if (Array.isArray(value) && value.every((word) => typeof word === 'string')) return value;
  spec.fault('expect', 'WrongType', 'is not a list of holds', 'Write for example [WindowClosed], or [] for none.');
  return [];
}
