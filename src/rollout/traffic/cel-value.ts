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
/** Macros run once for each item of a list; one inside of another would run for each pair, and one after another multiply. */
const CEL_MACROS_DEEP = 1;
const CEL_MACROS_MOST = 2;
/** Nodes inside of macros: each is worked out once for each item. */
const CEL_MACRO_NODES_MOST = 40;
/** Items of the longest list times characters of the longest text, where a macro may join the one with the other. */
const CEL_WORK_MOST = 200_000;
const MACROS: readonly string[] = ['all', 'exists', 'exists_one', 'map', 'filter'];
/** A regular expression may run for ever. */
const REFUSED: readonly string[] = ['matches'];
/** Make long lists of texts, and long texts of lists. */
const REFUSED_WITH_MACROS: readonly string[] = ['split', 'join'];

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
    const why = forbidden(parsed.ast, 0) ?? tooMuch(parsed.ast, expression, context);
    if (why !== undefined) return fault(why);
    const variables = Object.fromEntries(Object.entries(context).map(([name, value]) => [name, celValue(value)]));
    const result: unknown = parsed(variables);
    // Before it is copied and printed, because a text that is put together a thousand times takes no room until then.
    if (isLarge(result)) return fault(`gives more than ${CEL_RESULT_MOST} characters`);
    const value = jsonValue(result);
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
  if (depth > CEL_MACROS_DEEP) return `has ${name} inside of another macro`;
  if (op !== 'rcall' || !Array.isArray(args)) return forbidden(args, depth);
  // What a macro is called on has run before it.
  const [, receiver, ...rest] = args;
  return forbidden(receiver, macros) ?? forbidden(rest, depth);
}

/** Why what its macros do for each item would take too long; undefined: it has none, or little is asked of them. */
function tooMuch(ast: unknown, expression: string, context: CelContext): string | undefined {
  const found: Found = { macros: 0, inside: 0, names: new Set() };
  count(ast, false, found);
  if (found.macros === 0) return undefined;
  if (found.macros > CEL_MACROS_MOST) return `has more than ${CEL_MACROS_MOST} macros`;
  if (found.inside > CEL_MACRO_NODES_MOST) return `has more than ${CEL_MACRO_NODES_MOST} nodes inside of macros`;
  const refused = REFUSED_WITH_MACROS.find((name) => found.names.has(name));
  if (refused !== undefined) return `has ${refused} beside a macro`;
  const most = { items: 0, characters: expression.length };
  measure(context, most);
  return most.items * most.characters > CEL_WORK_MOST
    ? `has a macro and is asked of a list of ${most.items} and a text of ${most.characters} characters, which is more than it may go through`
    : undefined;
}

type Found = { macros: number; inside: number; readonly names: Set<string> };

function count(node: unknown, isInside: boolean, found: Found): void {
  if (Array.isArray(node)) {
    for (const child of node) count(child, isInside, found);
    return;
  }
  if (!isRecord(node) || typeof node['op'] !== 'string') return;
  const { op, args } = node;
  if (isInside) found.inside += 1;
  const isCall = (op === 'rcall' || op === 'call') && Array.isArray(args);
  if (isCall) found.names.add(String(args[0]));
  if (!isCall || op !== 'rcall' || !MACROS.includes(String(args[0]))) return count(args, isInside, found);
  found.macros += 1;
  const [, receiver, ...rest] = args;
  count(receiver, isInside, found);
  count(rest, true, found);
}

function measure(value: Json, most: { items: number; characters: number }): void {
  if (typeof value === 'string') most.characters = Math.max(most.characters, value.length);
  if (typeof value !== 'object' || value === null) return;
  const children = Object.values(value);
  most.items = Math.max(most.items, children.length);
  for (const child of children) measure(child, most);
}

/** Whether a result is sure to be longer than it may be. Stops as soon as that is known. */
function isLarge(result: unknown): boolean {
  const open: unknown[] = [result];
  let size = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    size += typeof next === 'string' ? next.length : 1;
    if (size > CEL_RESULT_MOST) return true;
    const children =
      next instanceof Map ? [...next.values()] : Array.isArray(next) || isRecord(next) ? Object.values(next) : [];
    for (const child of children.slice(0, CEL_RESULT_MOST + 1)) open.push(child);
  }
  return false;
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
