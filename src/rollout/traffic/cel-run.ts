/** Runs an expression (CEL) on a budget: each node is a step, and what a call reads and makes are bytes. */

import { bytesOf, CEL_FUNCTIONS, type CelValue, isKey, isList, isMap } from './cel-functions.ts';
import type { CelMacro, CelNode } from './cel-node.ts';

/** Nodes that are worked out; one inside of a macro counts once for each item. */
const STEPS_MOST = 50_000;
/** Bytes that calls read and make, all together. */
const BYTES_MOST = 4_194_304;

type CelRan = { readonly kind: 'ok'; readonly value: CelValue } | CelFault;
/** `isSpent`: the budget is at its end, which `||`, `&&` and macros do not forgive. */
type CelFault = { readonly kind: 'fault'; readonly why: string; readonly isSpent: boolean };

type Scope = { readonly name: string; readonly value: CelValue; readonly outer: Scope | undefined };
/** What is left, taken from as the run goes on. */
type Budget = { steps: number; bytes: number };
type Run = { readonly budget: Budget; readonly scope: Scope | undefined };

/** The value of an expression with these variables; why there is none. */
export function runCel(node: CelNode, variables: ReadonlyMap<string, CelValue>): CelRan {
  let scope: Scope | undefined;
  for (const [name, value] of variables) scope = { name, value, outer: scope };
  return run(node, { budget: { steps: STEPS_MOST, bytes: BYTES_MOST }, scope });
}

function run(node: CelNode, now: Run): CelRan {
  now.budget.steps -= 1;
  if (now.budget.steps < 0) return spent(`takes more than ${STEPS_MOST} steps`);
  if (node.kind === 'value') return ok(node.value);
  if (node.kind === 'name') return named(node.name, now.scope);
  if (node.kind === 'list') return runList(node.items, now);
  if (node.kind === 'map') return runMap(node.entries, now);
  if (node.kind === 'call') return runCall(node, now);
  if (node.kind === 'macro') return runMacro(node, now);
  if (node.kind === 'logic') return runLogic(node, now);
  if (node.kind === 'has') {
    const of = run(node.of, now);
    if (of.kind === 'fault') return of;
    return isMap(of.value) ? ok(of.value.has(node.key)) : fault('fails: has() asks what is no map for a field');
  }
  const condition = run(node.condition, now);
  if (condition.kind === 'fault') return condition;
  if (typeof condition.value !== 'boolean') return fault('fails: the condition before ? is no bool');
  return run(condition.value ? node.yes : node.no, now);
}

function ok(value: CelValue): CelRan {
  return { kind: 'ok', value };
}

function fault(why: string): CelFault {
  return { kind: 'fault', why, isSpent: false };
}

function spent(why: string): CelFault {
  return { kind: 'fault', why, isSpent: true };
}

/** Why it may not read and make this much more; undefined: it may, and it is taken from the budget. */
function overspent({ budget }: Run, bytes: number): CelFault | undefined {
  budget.bytes -= bytes;
  return budget.bytes < 0 ? spent(`reads and makes more than ${BYTES_MOST} bytes`) : undefined;
}

function named(name: string, scope: Scope | undefined): CelRan {
  for (let at = scope; at !== undefined; at = at.outer) if (at.name === name) return ok(at.value);
  return fault(`fails: ${name} is not there`);
}

type Values = { readonly kind: 'ok'; readonly value: readonly CelValue[] } | CelFault;

function runList(items: readonly CelNode[], now: Run): Values {
  const values: CelValue[] = [];
  for (const item of items) {
    const ran = run(item, now);
    if (ran.kind === 'fault') return ran;
    values.push(ran.value);
  }
  return overspent(now, bytesOf(items.length, 8) * items.length) ?? { kind: 'ok', value: values };
}

function runMap(entries: readonly (readonly [key: CelNode, value: CelNode])[], now: Run): CelRan {
  const ran = runList(entries.flat(), now);
  if (ran.kind === 'fault') return ran;
  const map = new Map<string | bigint | boolean, CelValue>();
  for (const place of entries.keys()) {
    const [key, value = null] = ran.value.slice(2 * place, 2 * place + 2);
    if (!isKey(key)) return fault('fails: a key of a map is no text, no int and no bool');
    if (map.has(key)) return fault(`fails: a map has the key ${String(key).slice(0, 100)} twice`);
    map.set(key, value);
  }
  return ok(map);
}

function runCall({ name, args }: Extract<CelNode, { readonly kind: 'call' }>, now: Run): CelRan {
  const ran = runList(args, now);
  const row = CEL_FUNCTIONS.get(name);
  if (ran.kind === 'fault') return ran;
  const over = overspent(now, row?.bytes(ran.value) ?? 0);
  if (over !== undefined) return over;
  const value = row?.of(ran.value);
  if (value !== undefined) return ok(value);
  const [, key] = ran.value;
  return fault(
    name === '[]' && (typeof key === 'string' || typeof key === 'bigint')
      ? `fails: No such key: ${String(key).slice(0, 100)}`
      : `fails: ${name} gives nothing for ${ran.value.map(shown).join(', ')}`,
  );
}

/** A value in a message: short, and its kind where it is large. */
function shown(value: CelValue): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  return isList(value)
    ? 'a list'
    : isMap(value)
      ? 'a map'
      : typeof value === 'number'
        ? `double ${value}`
        : String(value);
}

/** The side that decides is enough, even where the other one fails. */
function runLogic({ decides, left, right }: Extract<CelNode, { readonly kind: 'logic' }>, now: Run): CelRan {
  const first = run(left, now);
  if (isEnd(first) || (first.kind === 'ok' && first.value === decides)) return first;
  const second = run(right, now);
  if (isEnd(second) || (second.kind === 'ok' && second.value === decides)) return second;
  const isBool = [first, second].every((one) => one.kind === 'fault' || typeof one.value === 'boolean');
  if (!isBool) return fault(`fails: ${decides ? '||' : '&&'} has a side that is no bool`);
  return first.kind === 'fault' ? first : second;
}

function isEnd(ran: CelRan): boolean {
  return ran.kind === 'fault' && ran.isSpent;
}

function runMacro(macro: CelMacro, now: Run): CelRan {
  const over = run(macro.over, now);
  if (over.kind === 'fault') return over;
  const items = isMap(over.value) ? [...over.value.keys()] : over.value;
  if (!isList(items)) return fault(`fails: ${macro.name} is asked of what is no list and no map`);
  const more = overspent(now, bytesOf(items.length, 8) * items.length);
  if (more !== undefined) return more;
  return macro.name === 'all' || macro.name === 'exists' ? runUntil(macro, items, now) : runEach(macro, items, now);
}

/** `all` and `exists`: the first item that decides is enough, even where another one fails. */
function runUntil(macro: CelMacro, items: readonly CelValue[], now: Run): CelRan {
  const decides = macro.name === 'exists';
  let failed: CelRan | undefined;
  for (const item of items) {
    const ran = runItem(macro, macro.does, { item, now });
    if (isEnd(ran) || (ran.kind === 'ok' && ran.value === decides)) return ran;
    failed ??= ran.kind === 'fault' ? ran : undefined;
  }
  return failed ?? ok(!decides);
}

/** `map`, `filter` and `exists_one`: every item is worked out, and one that fails ends it. */
function runEach(macro: CelMacro, items: readonly CelValue[], now: Run): CelRan {
  const made: CelValue[] = [];
  for (const item of items) {
    const when = macro.name === 'map' ? macro.when : macro.does;
    const asked = when === undefined ? ok(true) : runItem(macro, when, { item, now });
    if (asked.kind === 'fault') return asked;
    if (asked.value === false) continue;
    const ran = macro.name === 'map' ? runMapped(macro, { item, now }) : ok(item);
    if (ran.kind === 'fault') return ran;
    made.push(ran.value);
  }
  return ok(macro.name === 'exists_one' ? made.length === 1 : made);
}

type Item = { readonly item: CelValue; readonly now: Run };

function runMapped({ variable, does }: CelMacro, { item, now }: Item): CelRan {
  return run(does, { ...now, scope: { name: variable, value: item, outer: now.scope } });
}

/** What is asked of an item; a fault where it is no bool. */
function runItem({ name, variable }: CelMacro, asks: CelNode, { item, now }: Item): CelRan {
  const ran = run(asks, { ...now, scope: { name: variable, value: item, outer: now.scope } });
  const isAnswer = ran.kind === 'fault' || typeof ran.value === 'boolean';
  return isAnswer ? ran : fault(`fails: ${name} asks an item what is no bool`);
}
