/** Kubernetes quantities: `0.5` and `500m` are one value, and the API server writes whichever it likes. */

const QUANTITY =
  /^([+-]?)([0-9]{1,18})?(?:\.([0-9]{0,9}))?(?:(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)|[eE]([+-]?[0-9]{1,2}))?$/;

const SUFFIX: Readonly<Record<string, bigint>> = {
  k: 1000n,
  M: 1000n ** 2n,
  G: 1000n ** 3n,
  T: 1000n ** 4n,
  P: 1000n ** 5n,
  E: 1000n ** 6n,
  Ki: 1024n,
  Mi: 1024n ** 2n,
  Gi: 1024n ** 3n,
  Ti: 1024n ** 4n,
  Pi: 1024n ** 5n,
  Ei: 1024n ** 6n,
};
const NANO = 1_000_000_000n;
const FRACTION: Readonly<Record<string, bigint>> = { n: NANO, u: 1_000_000n, m: 1000n };

/**
 * The value in units of 10⁻¹⁸, exactly; undefined where `text` is no quantity (reference: Kubernetes
 * apimachinery api/resource, serialization format).
 */
export function parseQuantity(text: string): bigint | undefined {
  const match = QUANTITY.exec(text);
  if (match === null || (match[2] === undefined && (match[3] ?? '') === '')) return undefined;
  const [, sign, whole = '0', fraction = '', suffix = '', exponent] = match;
  let value = BigInt(whole) * NANO * NANO + BigInt(fraction.padEnd(9, '0')) * NANO;
  if (exponent !== undefined) {
    const power = BigInt(Math.abs(Number(exponent)));
    value = exponent.startsWith('-') ? value / 10n ** power : value * 10n ** power;
  } else {
    value = (value * (SUFFIX[suffix] ?? 1n)) / (FRACTION[suffix] ?? 1n);
  }
  return sign === '-' ? -value : value;
}

/** Whether two scalars are the same quantity, as `1` and `"1000m"`. */
export function sameQuantity(left: string | number, right: string | number): boolean {
  if (left === right) return true;
  const value = parseQuantity(String(left));
  return value !== undefined && value === parseQuantity(String(right));
}
