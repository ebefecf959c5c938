/** The syntax tree of an expression (CEL) as far as it is run: whatever has no row here is refused before it runs. */

import { isRecord } from '../../api/json.ts';
import { CEL_FUNCTIONS, type CelValue } from './cel-functions.ts';

export type CelNode =
  | { readonly kind: 'value'; readonly value: CelValue }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly CelNode[] }
  | { readonly kind: 'list'; readonly items: readonly CelNode[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [key: CelNode, value: CelNode])[] }
  | { readonly kind: 'choice'; readonly condition: CelNode; readonly yes: CelNode; readonly no: CelNode }
  | { readonly kind: 'logic'; readonly decides: boolean; readonly left: CelNode; readonly right: CelNode }
  | { readonly kind: 'has'; readonly of: CelNode; readonly key: string }
  | CelMacro;

/** What runs once for each item. `when`: a condition of `map` with three arguments. */
export type CelMacro = {
  readonly kind: 'macro';
  readonly name: CelMacroName;
  readonly over: CelNode;
  readonly variable: string;
  readonly when: CelNode | undefined;
  readonly does: CelNode;
};

type CelMacroName = 'all' | 'exists' | 'exists_one' | 'map' | 'filter';
type Read = { readonly kind: 'ok'; readonly node: CelNode } | Refused;
type Refused = { readonly kind: 'fault'; readonly why: string };
type Names = ReadonlySet<string>;

/**
 * The tree as it is run, made of the parser's own; why it is not run: it calls what could run for ever or make much of
 * little (`matches`, `split`, `join`, `replace`, `bind`), or asks for a name that nobody gives.
 */
export function celNode(ast: unknown, names: Names): Read {
  const [op, args] = isRecord(ast) ? [ast['op'], ast['args']] : [];
  if (op === 'value') return literal(args);
  if (op === 'id' && typeof args === 'string')
    return names.has(args)
      ? { kind: 'ok', node: { kind: 'name', name: args } }
      : refused(`asks for ${args}, which is not there: ${[...names].join(', ')} are`);
  if (op === 'call' || op === 'rcall') return called(op, listOf(args), names);
  if (op === 'map') return mapOf(listOf(args), names);
  if (op === '.' && typeof listOf(args)[1] === 'string')
    return all([listOf(args)[0], { op: 'value', args: listOf(args)[1] }], names, (nodes) => call('[]', nodes));
  if (op === '!_' || op === '-_') return all([args], names, (nodes) => call(op, nodes));
  const children = listOf(args);
  if (op === 'list') return all(children, names, (items) => ({ kind: 'list', items }));
  if (op === '?:')
    return all(
      children,
      names,
      ([condition, yes, no]) => condition && yes && no && { kind: 'choice', condition, yes, no },
    );
  if (op === '&&' || op === '||')
    return all(
      children,
      names,
      ([left, right]) => left && right && { kind: 'logic', decides: op === '||', left, right },
    );
  return typeof op === 'string' && CEL_FUNCTIONS.has(op)
    ? all(children, names, (nodes) => call(op, nodes))
    : refused(`has ${String(op)}, which is not run here`);
}

function refused(why: string): Refused {
  return { kind: 'fault', why };
}

function listOf(args: unknown): readonly unknown[] {
  return Array.isArray(args) ? args : [];
}

function call(name: string, args: readonly CelNode[]): CelNode {
  return { kind: 'call', name, args };
}

function literal(value: unknown): Read {
  return isLiteral(value)
    ? { kind: 'ok', node: { kind: 'value', value } }
    : refused('has a value that is no text, no int, no double, no bool and not null');
}

function isLiteral(value: unknown): value is string | number | bigint | boolean | null {
  return value === null || ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
}

/** The node made of all children; the first reason why one of them is not run. */
function all(
  children: readonly unknown[],
  names: Names,
  make: (nodes: readonly CelNode[]) => CelNode | undefined,
): Read {
  const nodes: CelNode[] = [];
  for (const child of children) {
    const read = celNode(child, names);
    if (read.kind === 'fault') return read;
    nodes.push(read.node);
  }
  const node = make(nodes);
  return node === undefined ? refused('cannot be read') : { kind: 'ok', node };
}

function mapOf(entries: readonly unknown[], names: Names): Read {
  return all(entries.flatMap(listOf), names, (nodes) => ({
    kind: 'map',
    entries: nodes.flatMap((key, place) => {
      const value = nodes[place + 1];
      return place % 2 === 0 && value !== undefined ? [[key, value] as const] : [];
    }),
  }));
}

function called(op: 'call' | 'rcall', args: readonly unknown[], names: Names): Read {
  const [name] = args;
  if (typeof name !== 'string') return refused('cannot be read');
  if (op === 'call' && name === 'has') return hasOf(listOf(args[1])[0], names);
  const [receiver, given] = op === 'rcall' ? [[args[1]], listOf(args[2])] : [[], listOf(args[1])];
  if (op === 'rcall' && isMacro(name)) return macroOf(name, { over: args[1], given }, names);
  const row = CEL_FUNCTIONS.get(name);
  if (row === undefined) return refused(`calls ${name}, which is not run here`);
  if (receiver.length + given.length > row.most) return refused(`calls ${name} with too many arguments`);
  return all([...receiver, ...given], names, (nodes) => call(name, nodes));
}

function isMacro(name: string): name is CelMacroName {
  return ['all', 'exists', 'exists_one', 'map', 'filter'].includes(name);
}

function hasOf(field: unknown, names: Names): Read {
  const [of, key] = isRecord(field) && field['op'] === '.' ? listOf(field['args']) : [];
  return all([of], names, ([node]) => (node && typeof key === 'string' ? { kind: 'has', of: node, key } : undefined));
}

type MacroCall = { readonly over: unknown; readonly given: readonly unknown[] };

function macroOf(name: CelMacroName, { over, given }: MacroCall, names: Names): Read {
  const [variable] = given;
  const item = isRecord(variable) && variable['op'] === 'id' ? variable['args'] : undefined;
  const receiver = celNode(over, names);
  if (receiver.kind === 'fault' || typeof item !== 'string' || given.length > (name === 'map' ? 3 : 2))
    return receiver.kind === 'fault' ? receiver : refused(`has ${name} in a form that is not run here`);
  return all(given.slice(1), new Set([...names, item]), (nodes) => {
    const does = nodes[nodes.length - 1];
    const when = nodes.length === 2 ? nodes[0] : undefined;
    return does && { kind: 'macro', name, over: receiver.node, variable: item, when, does };
  });
}
