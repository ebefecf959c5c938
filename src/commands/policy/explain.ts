/** `tranche policy explain`: what policies say of one Rollout, who says it, and what their gates say now. */

import { issueLine } from '../../api/issue-line.ts';
import { POLICY_FIELD_NAMES, POLICY_FIELDS } from '../../api/policy-fields.ts';
import { NO_RULES, type PolicyFieldName, type PolicyRules } from '../../api/policy-rules.ts';
import { jsonText } from '../../api/printable.ts';
import { printInstant } from '../../api/time.ts';
import { type CommonOptions, EXIT, type Io } from '../../options.ts';
import type { Outcome } from '../../reconcile/outcome.ts';
import { newMemory, type Ports } from '../../reconcile/pass.ts';
import { runPass } from '../../reconcile/run.ts';
import { policyVerdict } from '../../rollout/gates/policies.ts';
import type { Snapshot } from '../../rollout/snapshot.ts';
import { withFaults } from '../config-faults.ts';

export type ExplainOptions = CommonOptions & { readonly name: string; readonly namespace: string };

/** Exit code 1 where there is no such Rollout, it could not be looked at, or its files are wrong. */
export async function explain(options: ExplainOptions, ports: Ports, io: Io): Promise<number> {
  const always = { ...options.overrides, auditSeconds: 0 };
  const only = [options.namespace === '' ? options.name : `${options.namespace}/${options.name}`];
  const memory = newMemory();
  const { outcomes: meant, issues } = await runPass(ports, memory, { overrides: always, write: false, only });
  const ended = withFaults(memory.config?.faults, io);
  for (const issue of meant.length === 0 ? issues.filter(({ reason }) => reason === 'NoSuchRollout') : [])
    io.err(`${issueLine(issue)}\n`);
  const failed = meant.some(({ snapshot, error }) => error !== undefined || (snapshot?.issues.length ?? 0) > 0);
  if (options.output === 'json') io.out(jsonText(meant.map(explained)));
  else io.out(meant.map((outcome) => textOf(outcome)).join('\n'));
  return ended(failed || meant.length === 0 ? EXIT.failed : EXIT.ok);
}

type Line = {
  readonly field: PolicyFieldName;
  readonly value: unknown;
  readonly composition: string;
  /** `name (file:line)`; empty: no policy says anything. */
  readonly saidBy: readonly string[];
  readonly holds: readonly { readonly reason: string; readonly message: string }[];
};

function linesOf(snapshot: Snapshot): readonly Line[] {
  return POLICY_FIELD_NAMES.map((field) => ({
    field,
    value: shown(snapshot.policy[field] ?? NO_RULES[field]),
    composition: POLICY_FIELDS[field].composition,
    saidBy: (snapshot.policySources?.[field] ?? []).map(({ policy, file, line }) => `${policy} (${file}:${line})`),
    holds: policyVerdict(snapshot, field).map(({ reason, message }) => ({ reason, message })),
  }));
}

/** Dates as people write them. */
function shown(value: PolicyRules[PolicyFieldName]): unknown {
  if (typeof value !== 'object' || 'stable' in value) return value;
  return value.map((one) =>
    typeof one === 'string'
      ? one
      : 'from' in one
        ? { from: printInstant(one.from), to: printInstant(one.to) }
        : 'until' in one
          ? { ...one, until: printInstant(one.until) }
          : one,
  );
}

function explained({ key, snapshot, plan, error }: Outcome): unknown {
  const fields = snapshot === undefined ? [] : linesOf(snapshot);
  return { ...key, fields, missing: snapshot?.missingPolicies ?? [], holds: plan?.holds ?? [], error };
}

function textOf({ key, snapshot, plan, error }: Outcome): string {
  const head = `${key.namespace}/${key.name} in ${key.cluster}`;
  if (snapshot === undefined) return `${head}\n  failed ${error ?? ''}\n`;
  const all = linesOf(snapshot);
  const silent = all.filter(({ saidBy }) => saidBy.length === 0).map(({ field }) => field);
  const nothing = silent.length === all.length && snapshot.issues.length === 0;
  const lines = all
    .filter(({ saidBy }) => saidBy.length > 0)
    .flatMap(({ field, value, composition, saidBy, holds }) => [
      `  ${field}: ${JSON.stringify(value)}, of ${saidBy.join(' and ')} [${composition}]`,
      ...holds.map(({ reason, message }) => `    would hold: ${reason}. ${message}`),
    ]);
  const wrong = snapshot.issues.map((issue) => `  wrong: ${issueLine(issue)}`);
  const waits = plan?.holds.map(({ reason, message }) => `  waits now: ${reason}. ${message}`) ?? [];
  const unsaid = silent.length === 0 ? [] : [`  no policy says anything of ${nothing ? 'it' : silent.join(', ')}`];
  return `${[head, ...lines, ...unsaid, ...wrong, ...waits].join('\n')}\n`;
}
