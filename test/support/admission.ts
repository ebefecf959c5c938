/** Judges an update of a LeaderWorkerSet as the API server would with policies/admission/policy.yaml in force. */

import { readFileSync } from 'node:fs';
import { Environment } from '@marcbachmann/cel-js';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../src/api/json.ts';

export type Verdict = { readonly allowed: boolean; readonly message: string };

type Named = { readonly name: string; readonly expression: string };
type Validation = {
  readonly expression: string;
  readonly reason: string;
  readonly message: string;
  readonly messageExpression: string;
};
type Policy = {
  readonly spec: {
    readonly failurePolicy: string;
    readonly matchConstraints: JsonObject;
    readonly matchConditions: readonly Named[];
    readonly variables: readonly Named[];
    readonly validations: readonly Validation[];
  };
};

export const policy: Policy = parse(
  readFileSync(new URL('../../policies/admission/policy.yaml', import.meta.url), 'utf8'),
);

const environment = new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true });

/** JSON as CEL sees it: whole numbers are ints, and a missing object is null. */
function celValue(value: Json | undefined): unknown {
  if (value === undefined) return null;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, celValue(member)]));
}

/**
 * Every match condition, variable and validation of the policy on one CREATE (`oldObject` undefined) or UPDATE.
 * Stricter than the API server in one point: all variables are evaluated, so an expression that can fail throws.
 */
export function admissionVerdict(
  oldObject: Json | undefined,
  newObject: Json,
  groups: readonly string[] = ['system:authenticated'],
): Verdict {
  const context: Record<string, unknown> = {
    object: celValue(newObject),
    oldObject: celValue(oldObject),
    request: { operation: oldObject === undefined ? 'CREATE' : 'UPDATE', userInfo: { username: 'agent', groups } },
  };
  const { matchConditions, variables, validations } = policy.spec;
  const isTrue = (expression: string): boolean => {
    const value: unknown = environment.evaluate(expression, context);
    if (typeof value !== 'boolean') throw new TypeError(`not a boolean: ${expression}`);
    return value;
  };
  if (!matchConditions.every(({ expression }) => isTrue(expression))) return { allowed: true, message: '' };
  const evaluated: Record<string, unknown> = {};
  context['variables'] = evaluated;
  for (const { name, expression } of variables) evaluated[name] = environment.evaluate(expression, context);
  // All are evaluated; of those that deny the server says the first alone.
  const [denied] = validations.filter(({ expression }) => !isTrue(expression));
  if (denied === undefined) return { allowed: true, message: '' };
  return { allowed: false, message: String(environment.evaluate(denied.messageExpression, context)) };
}
