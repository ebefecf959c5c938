/** Kubernetes quantities: `32000m`, `32` and 32 are one value, and LWS writes it in one way. */

import { isJsonObject, type Json } from '../../api/json.ts';

const QUANTITY = /^([+-]?)(\d*)(?:\.(\d*))?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d+)?$/;
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const NANO = 1_000_000_000n;

/** The canonical text of a quantity: the largest suffix without a fraction. Text that is no quantity stays. */
export function canonicalQuantity(value: string): string {
  const match = QUANTITY.exec(value);
  if (match === null || (match[2] === '' && (match[3] ?? '') === '')) return value;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  const minus = sign === '-' ? '-' : '';
  const digits = BigInt(`${whole}${fraction.padEnd(9, '0').slice(0, 9)}` || '0');
  const binary = BINARY.indexOf(suffix);
  if (suffix !== '' && binary > 0) return minus + binaryText(digits * 1024n ** BigInt(binary));
  return minus + decimalText(digits, exponentOf(suffix));
}

function exponentOf(suffix: string): number {
  if (/^[eE]/.test(suffix) && suffix.length > 1) return Number(suffix.slice(1));
  return (DECIMAL.indexOf(suffix) - 3) * 3;
}

/** `nano` billionths times 10^exponent. */
function decimalText(nano: bigint, exponent: number): string {
  const scaled = exponent >= 0 ? nano * 10n ** BigInt(exponent) : nano / 10n ** BigInt(-exponent);
  if (scaled === 0n) return '0';
  let value = scaled;
  let index = 0;
  while (value % 1000n === 0n && index < DECIMAL.length - 1) {
    value /= 1000n;
    index += 1;
  }
  return `${value}${DECIMAL[index]}`;
}

function binaryText(nano: bigint): string {
  if (nano % NANO !== 0n) return decimalText(nano, 0);
  let value = nano / NANO;
  let index = 0;
  while (value !== 0n && value % 1024n === 0n && index < BINARY.length - 1) {
    value /= 1024n;
    index += 1;
  }
  return `${value}${BINARY[index]}`;
}

/** A pod template or claim with every quantity in canonical text, as a typed object is written out again. */
export function withCanonicalQuantities(value: Json): Json {
  if (Array.isArray(value)) return value.map(withCanonicalQuantities);
  if (!isJsonObject(value)) return value;
  const copy: Record<string, Json> = {};
  for (const [key, entry] of Object.entries(value)) {
    if ((key === 'limits' || key === 'requests') && isJsonObject(entry)) {
      copy[key] = Object.fromEntries(Object.entries(entry).map(([name, amount]) => [name, quantity(amount)]));
    } else if (key === 'sizeLimit') copy[key] = quantity(entry);
    else copy[key] = withCanonicalQuantities(entry);
  }
  return copy;
}

function quantity(value: Json): Json {
  return typeof value === 'string' || typeof value === 'number' ? canonicalQuantity(String(value)) : value;
}
