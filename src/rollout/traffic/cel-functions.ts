/** What an expression (CEL) may call: every operator and function, what it costs, and what it gives. */

export type CelValue = null | boolean | bigint | number | string | readonly CelValue[] | CelMap;
type CelKey = string | bigint | boolean;
type CelMap = ReadonlyMap<CelKey, CelValue>;

/** `most`: arguments. `bytes`: what it reads and makes, known before it does. `of`: its value; undefined: none of these arguments. */
type CelFunction = {
  readonly most: number;
  readonly bytes: (args: readonly CelValue[]) => number;
  readonly of: (args: readonly CelValue[]) => CelValue | undefined;
};

/** As CEL's specification: an int has 64 bits, and what does not fit is no value. */
const INT_END = 2n ** 63n;
/** Of an item of a list or a map; a character has two. */
const BYTES_OF_ITEM = 8;

/** Bytes of a value with all that is in it, as if each were a value of its own; counts no further than `most`. */
export function bytesOf(value: CelValue, most: number): number {
  const open: CelValue[] = [value];
  let bytes = 0;
  for (let next = open.pop(); next !== undefined && bytes <= most; next = open.pop()) {
    bytes += flatBytes(next);
    if (isList(next)) for (const item of next.slice(0, most + 1 - bytes)) open.push(item);
    if (isMap(next)) open.push(...[...next.values()].slice(0, most + 1 - bytes));
  }
  return bytes;
}

/** Tells a map of an expression from its other values. */
export function isMap(value: CelValue | undefined): value is CelMap {
  return value instanceof Map;
}

/** Tells a list of an expression from its other values. */
export function isList(value: CelValue | undefined): value is readonly CelValue[] {
  return Array.isArray(value);
}

function flatBytes(value: CelValue): number {
  if (typeof value === 'string') return BYTES_OF_ITEM + 2 * value.length;
  if (isList(value)) return BYTES_OF_ITEM * (1 + value.length);
  return BYTES_OF_ITEM * (isMap(value) ? 1 + 2 * value.size : 1);
}

const flat = (args: readonly CelValue[]): number => args.reduce((sum: number, one) => sum + flatBytes(one), 0);
/** Far beyond any budget, so that what is larger is not counted out. */
const DEEP_MOST = 2 ** 24;
const deep = (args: readonly CelValue[]): number => args.reduce((sum: number, one) => sum + bytesOf(one, DEEP_MOST), 0);
/** A search may look at each character of the one for each of the other. */
const product = (args: readonly CelValue[]): number =>
  args.reduce((sum: number, one) => sum * (typeof one === 'string' ? Math.max(1, one.length) : 1), 1);

type Numbers = {
  readonly ints: (left: bigint, right: bigint) => bigint | undefined;
  readonly doubles?: (left: number, right: number) => number;
};

/** An int goes with an int and a double with a double, as in CEL. */
function numbers({ ints, doubles }: Numbers): CelFunction {
  return {
    most: 2,
    bytes: flat,
    of: ([left, right]) => {
      if (typeof left === 'bigint' && typeof right === 'bigint') return int(ints(left, right));
      return typeof left === 'number' && typeof right === 'number' ? doubles?.(left, right) : undefined;
    },
  };
}

function int(value: bigint | undefined): bigint | undefined {
  return value !== undefined && value < INT_END && value >= -INT_END ? value : undefined;
}

const sum = numbers({ ints: (left, right) => left + right, doubles: (left, right) => left + right });

function plus(args: readonly CelValue[]): CelValue | undefined {
  const [left, right] = args;
  if (typeof left === 'string' && typeof right === 'string') return left + right;
  return isList(left) && isList(right) ? [...left, ...right] : sum.of(args);
}

type Order = { readonly less: boolean; readonly same: boolean; readonly more: boolean };

/** An int may be compared with a double; not-a-number is in no order. */
function ordered(holds: (order: Order) => boolean): CelFunction {
  return {
    most: 2,
    bytes: flat,
    of: ([left, right]) => {
      const order = orderOf(left, right);
      return order && holds(order);
    },
  };
}

function orderOf(left: CelValue | undefined, right: CelValue | undefined): Order | undefined {
  if (isNumber(left) && isNumber(right))
    return { less: left < right, same: left <= right ? right <= left : false, more: left > right };
  if (typeof left === 'string' && typeof right === 'string')
    return { less: left < right, same: left === right, more: left > right };
  if (typeof left !== 'boolean' || typeof right !== 'boolean') return undefined;
  return { less: !left && right, same: left === right, more: left && !right };
}

function isNumber(value: CelValue | undefined): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Values of two kinds are not equal; an int and a double are where they are the same number. */
function equal(left: CelValue | undefined, right: CelValue | undefined): boolean {
  if (isList(left) && isList(right))
    return left.length === right.length && left.every((item, place) => equal(item, right[place]));
  if (!isMap(left) || !isMap(right)) return isNumber(left) ? orderOf(left, right)?.same === true : left === right;
  return left.size === right.size && [...left].every(([key, item]) => right.has(key) && equal(item, right.get(key)));
}

function member([value, of]: readonly CelValue[]): CelValue | undefined {
  if (isList(of)) return of.some((item) => equal(value, item));
  return isMap(of) ? isKey(value) && of.has(value) : undefined;
}

/** Tells what a key of a map may be. */
export function isKey(value: CelValue | undefined): value is CelKey {
  return typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean';
}

function itemAt([of, place]: readonly CelValue[]): CelValue | undefined {
  if (isMap(of)) return isKey(place) ? of.get(place) : undefined;
  return isList(of) && typeof place === 'bigint' && place >= 0n ? of[Number(place)] : undefined;
}

function size([value]: readonly CelValue[]): CelValue | undefined {
  if (typeof value === 'string') return BigInt(Array.from(value).length);
  return isList(value) ? BigInt(value.length) : isMap(value) ? BigInt(value.size) : undefined;
}

function toInt([value]: readonly CelValue[]): CelValue | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? int(BigInt(Math.trunc(value))) : undefined;
  return typeof value === 'string' && /^-?[0-9]{1,19}$/.test(value) ? int(BigInt(value)) : undefined;
}

function toDouble([value]: readonly CelValue[]): CelValue | undefined {
  if (isNumber(value)) return Number(value);
  return typeof value === 'string' && /^-?[0-9]{1,19}(\.[0-9]{1,19})?$/.test(value) ? Number(value) : undefined;
}

function toText([value]: readonly CelValue[]): CelValue | undefined {
  return typeof value === 'string' || typeof value === 'boolean' || isNumber(value) ? String(value) : undefined;
}

function toBool([value]: readonly CelValue[]): CelValue | undefined {
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : undefined;
}

type OfTexts = (text: string, other: string) => CelValue;

/** What is asked of one text with another. */
function ofTexts(of: OfTexts): CelFunction {
  return {
    most: 2,
    bytes: product,
    of: ([text, other]) => (typeof text === 'string' && typeof other === 'string' ? of(text, other) : undefined),
  };
}

function ofText(of: (text: string) => CelValue): CelFunction {
  return { most: 1, bytes: flat, of: ([text]) => (typeof text === 'string' ? of(text) : undefined) };
}

function substring([text, from, to]: readonly CelValue[]): CelValue | undefined {
  if (typeof text !== 'string' || typeof from !== 'bigint') return undefined;
  const end = to === undefined ? BigInt(text.length) : to;
  const isInside = typeof end === 'bigint' && from >= 0n && from <= end && end <= BigInt(text.length);
  return isInside ? text.substring(Number(from), Number(end)) : undefined;
}

/** Every operator and function; operators under names that nobody can write as a call. */
export const CEL_FUNCTIONS: ReadonlyMap<string, CelFunction> = new Map<string, CelFunction>([
  ['[]', { most: 2, bytes: () => 0, of: itemAt }],
  ['+', { most: 2, bytes: flat, of: plus }],
  ['-', numbers({ ints: (left, right) => left - right, doubles: (left, right) => left - right })],
  ['*', numbers({ ints: (left, right) => left * right, doubles: (left, right) => left * right })],
  [
    '/',
    numbers({
      ints: (left, right) => (right === 0n ? undefined : left / right),
      doubles: (left, right) => left / right,
    }),
  ],
  ['%', numbers({ ints: (left, right) => (right === 0n ? undefined : left % right) })],
  [
    '-_',
    {
      most: 1,
      bytes: flat,
      of: ([value]) => (typeof value === 'number' ? -value : typeof value === 'bigint' ? int(-value) : undefined),
    },
  ],
  ['!_', { most: 1, bytes: flat, of: ([value]) => (typeof value === 'boolean' ? !value : undefined) }],
  ['==', { most: 2, bytes: deep, of: ([left, right]) => equal(left, right) }],
  ['!=', { most: 2, bytes: deep, of: ([left, right]) => !equal(left, right) }],
  ['in', { most: 2, bytes: deep, of: member }],
  ['<', ordered(({ less }) => less)],
  ['<=', ordered(({ less, same }) => less || same)],
  ['>', ordered(({ more }) => more)],
  ['>=', ordered(({ more, same }) => more || same)],
  ['size', { most: 1, bytes: flat, of: size }],
  ['int', { most: 1, bytes: flat, of: toInt }],
  ['double', { most: 1, bytes: flat, of: toDouble }],
  ['string', { most: 1, bytes: flat, of: toText }],
  ['bool', { most: 1, bytes: flat, of: toBool }],
  ['startsWith', ofTexts((text, other) => text.startsWith(other))],
  ['endsWith', ofTexts((text, other) => text.endsWith(other))],
  ['contains', ofTexts((text, other) => text.includes(other))],
  ['indexOf', ofTexts((text, other) => BigInt(text.indexOf(other)))],
  ['lastIndexOf', ofTexts((text, other) => BigInt(text.lastIndexOf(other)))],
  ['lowerAscii', ofText((text) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()))],
  ['upperAscii', ofText((text) => text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()))],
  ['trim', ofText((text) => text.trim())],
  ['substring', { most: 3, bytes: flat, of: substring }],
]);
