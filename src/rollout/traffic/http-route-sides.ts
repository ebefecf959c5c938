/** Tells the backends of each rule of an HTTPRoute or GRPCRoute apart, by side. */

import type { BackendRef, RouteRule } from '../../api/http-route.ts';
import type { EditPath } from '../edits/edit.ts';
import type { Sides } from './provider.ts';

/** The backends of a rule, by side. */
export type SidedRule = RouteRule & {
  readonly stable: readonly BackendRef[];
  readonly canary: readonly BackendRef[];
  readonly others: readonly BackendRef[];
  /** Keys to the rule: its name where it has one of its own, else its place. */
  readonly path: EditPath;
  /** It sends to the new version and nowhere else. */
  readonly isOurs: boolean;
};

/** Each rule with its backends distinguished. */
export function sidedRules(rules: readonly RouteRule[], sides: Sides): readonly SidedRule[] {
  const isOf = (ref: BackendRef, name: string): boolean =>
    ref.name === name && ref.kind === sides.backend && ref.namespace === '';
  const names = rules.map(({ name }) => name);
  return rules.map((rule) => {
    const stable = rule.backends.filter((ref) => isOf(ref, sides.stable));
    const canary = rule.backends.filter((ref) => isOf(ref, sides.canary));
    const others = rule.backends.filter((ref) => !isOf(ref, sides.stable) && !isOf(ref, sides.canary));
    const hasOwnName = rule.name !== '' && names.indexOf(rule.name) === names.lastIndexOf(rule.name);
    const key = hasOwnName ? { key: 'name', value: rule.name } : String(rule.place);
    const isOurs = canary.length > 0 && canary.length === rule.backends.length;
    return { ...rule, stable, canary, others, isOurs, path: ['spec', 'rules', key] };
  });
}
