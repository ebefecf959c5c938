/** Values that a RouteProvider works out by an expression (CEL), which can neither run for long nor make much. */

import { Environment } from '@marcbachmann/cel-js';
import { isBoundedJson } from '../../api/bounded-json.ts';
import { isJsonObject, type Json } from '../../api/json.ts';
import { CEL_LENGTH_MOST } from '../../api/route-provider.ts';
import { bytesOf, type CelValue, isList, isMap } from './cel-functions.ts';
import { celNode } from './cel-node.ts';
import { runCel } from './cel-run.ts';

/** Nodes of the syntax tree. */
const CEL_NODES_MOST = 200;
/** Characters of the result, as JSON. */
const CEL_RESULT_MOST = 4096;
/** Characters of all that an expression may ask for, as JSON. */
const CEL_CONTEXT_MOST = 16_384;
/** No result of that many characters has more bytes as a value: two a character, and a few a value. */
const RESULT_BYTES_MOST = 16 * CEL_RESULT_MOST;

type Evaluated = { readonly kind: 'ok'; readonly value: Json } | { readonly kind: 'fault'; readonly why: string };

/** Everything that an expression may ask for. */
type CelContext = Readonly<Record<string, Json>>;

/**
 * The value of an expression; why there is none. The library only parses: what it would run may make a list of a
 * gigabyte of a hundred characters, and no `catch` sees the end of a process that has no memory left.
 */
export function evaluate(expression: string, context: CelContext): Evaluated {
  if (expression.length > CEL_LENGTH_MOST) return fault(`has more than ${CEL_LENGTH_MOST} characters`);
  if (JSON.stringify(context).length > CEL_CONTEXT_MOST)
    return fault(`is asked of an object of more than ${CEL_CONTEXT_MOST} characters`);
  const parsed = parse(expression);
  if (parsed.kind === 'fault') return parsed;
  const read = celNode(parsed.ast, new Set(Object.keys(context)));
  if (read.kind === 'fault') return read;
  const ran = runCel(read.node, new Map(Object.entries(context).map(([name, value]) => [name, celValue(value)])));
  if (ran.kind === 'fault') return fault(ran.why);
  // Before it is copied and printed: a list that names one text a thousand times takes no room until then.
  const isLarge = bytesOf(ran.value, RESULT_BYTES_MOST) > RESULT_BYTES_MOST;
  if (isLarge) return fault(`gives more than ${CEL_RESULT_MOST} characters`);
  const value = jsonOf(ran.value);
  if (!isBoundedJson(value)) return fault('gives no JSON');
  if (JSON.stringify(value).length > CEL_RESULT_MOST) return fault(`gives more than ${CEL_RESULT_MOST} characters`);
  return { kind: 'ok', value };
}

function fault(why: string): { readonly kind: 'fault'; readonly why: string } {
  return { kind: 'fault', why };
}

function parse(expression: string): { readonly kind: 'ok'; readonly ast: unknown } | ReturnType<typeof fault> {
  try {
    return { kind: 'ok', ast: new Environment({ limits: { maxAstNodes: CEL_NODES_MOST } }).parse(expression).ast };
  } catch (error) {
    const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
    return fault(`fails: ${line.slice(0, 200)}`);
  }
}

/** Whole numbers are ints. */
function celValue(value: Json): CelValue {
  if (isJsonObject(value)) return new Map(Object.entries(value).map(([key, one]) => [key, celValue(one)]));
  if (typeof value === 'object' && value !== null) return value.map(celValue);
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** The value as JSON, but for doubles that JSON does not know. */
function jsonOf(value: CelValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (isList(value)) return value.map(jsonOf);
  return isMap(value) ? Object.fromEntries([...value].map(([key, one]) => [String(key), jsonOf(one)])) : value;
}
