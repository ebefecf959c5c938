/** Values that a RouteProvider works out by an expression (CEL), which can neither run for long nor say much. */

import { Environment } from '@marcbachmann/cel-js';
import { isBoundedJson } from '../../api/bounded-json.ts';
import { isJsonObject, isRecord, type Json } from '../../api/json.ts';
import { CEL_LENGTH_MOST } from '../../api/route-provider.ts';

/** Nodes of the syntax tree. */
const CEL_NODES_MOST = 200;
/** Characters of the result, as JSON. */
const CEL_RESULT_MOST = 4096;
/** Characters of all that an expression may ask for, as JSON: what it does for each item stays small. */
const CEL_CONTEXT_MOST = 16_384;
/** Macros run once for each item of a list; one inside of another would run for each pair. */
const CEL_MACROS_MOST = 1;
const MACROS: readonly string[] = ['all', 'exists', 'exists_one', 'map', 'filter'];
/** A regular expression may run for ever. */
const REFUSED: readonly string[] = ['matches'];

type Evaluated = { readonly kind: 'ok'; readonly value: Json } | { readonly kind: 'fault'; readonly why: string };

/** Everything that an expression may ask for. */
type CelContext = Readonly<Record<string, Json>>;

/** The value of an expression; why there is none, in the words of whoever refused it. */
export function evaluate(expression: string, context: CelContext): Evaluated {
  if (expression.length > CEL_LENGTH_MOST) return fault(`has more than ${CEL_LENGTH_MOST} characters`);
  if (JSON.stringify(context).length > CEL_CONTEXT_MOST)
    return fault(`is asked of an object of more than ${CEL_CONTEXT_MOST} characters`);
  try {
    const environment = new Environment({
      homogeneousAggregateLiterals: false,
      limits: { maxAstNodes: CEL_NODES_MOST },
    });
    for (const name of Object.keys(context)) environment.registerVariable(name, 'dyn');
    const parsed = environment.parse(expression);
    const why = forbidden(parsed.ast, 0);
    if (why !== undefined) return fault(why);
    const variables = Object.fromEntries(Object.entries(context).map(([name, value]) => [name, celValue(value)]));
    const value = jsonValue(parsed(variables));
    if (value === undefined) return fault('gives no JSON');
    if (JSON.stringify(value).length > CEL_RESULT_MOST) return fault(`gives more than ${CEL_RESULT_MOST} characters`);
    return { kind: 'ok', value };
  } catch (error) {
    const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
    return fault(`fails: ${line.slice(0, 200)}`);
  }
}

function fault(why: string): Evaluated {
  return { kind: 'fault', why };
}

/** Why an expression is not run: told from its syntax tree alone. */
function forbidden(node: unknown, macros: number): string | undefined {
  if (Array.isArray(node)) {
    for (const child of node) {
      const why = forbidden(child, macros);
      if (why !== undefined) return why;
    }
    return undefined;
  }
  if (!isRecord(node) || typeof node['op'] !== 'string') return undefined;
  const { op, args } = node;
  const name = (op === 'rcall' || op === 'call') && Array.isArray(args) ? String(args[0]) : '';
  if (REFUSED.includes(name)) return `calls ${name}, which may run for ever`;
  const depth = macros + (op === 'rcall' && MACROS.includes(name) ? 1 : 0);
  if (depth > CEL_MACROS_MOST) return `has ${name} inside of another macro`;
  if (op !== 'rcall' || !Array.isArray(args)) return forbidden(args, depth);
  // What a macro is called on has run before it.
  const [, receiver, ...rest] = args;
  return forbidden(receiver, macros) ?? forbidden(rest, depth);
}

/** Whole numbers are ints. */
function celValue(value: Json): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValue);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, celValue(member)]));
}

function jsonValue(value: unknown): Json | undefined {
  const plain = plainOf(value);
  return isBoundedJson(plain) ? plain : undefined;
}

function plainOf(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plainOf);
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, member]) => [String(key), plainOf(member)]));
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainOf(member)]));
  return value;
}
