/** Decides what Kubernetes reads where a YAML file holds an unquoted word, and whether other readers would differ. */

export type ScalarValue = string | number | boolean | null;

type PlainReading = {
  readonly value: ScalarValue;
  /** True where readers of YAML differ, or the spelling of a number is one that people misread. */
  readonly ambiguous: boolean;
};

const WORDS: ReadonlyMap<string, ScalarValue> = new Map<string, ScalarValue>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
]);

const DECIMAL = /^(0|-?[1-9][0-9]*)$/;
const DECIMAL_FRACTION = /^-?(0|[1-9][0-9]*)\.[0-9]+$/;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const SEXAGESIMAL = /^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$/;
const NOT_A_NUMBER = /^[-+]?\.(nan|NaN|NAN|inf|Inf|INF)$/;
const PREFIXED = /^([-+]?)0([xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+|[0-7]+)$/;

/**
 * Reads an unquoted scalar as sigs.k8s.io/yaml does, which is what kubectl, Argo CD and Flux read manifests with:
 * YAML 1.1 words and octals, underscores in numbers, dates as strings. `core` is the YAML 1.2 reading of the same
 * word; where the two differ the result is marked ambiguous. Source: resolve.go of its go-yaml v2.
 */
export function readPlain(source: string, core: unknown): PlainReading {
  const value = kubernetesValue(source);
  return { value, ambiguous: value !== core || isUnusualNumber(source, value) };
}

function isUnusualNumber(source: string, value: ScalarValue): boolean {
  if (SEXAGESIMAL.test(source) || NOT_A_NUMBER.test(source)) return true;
  if (typeof value !== 'number') return false;
  if (DECIMAL.test(source)) return !Number.isSafeInteger(value);
  return !DECIMAL_FRACTION.test(source);
}

function kubernetesValue(source: string): ScalarValue {
  const word = WORDS.get(source);
  if (word !== undefined) return word;
  const first = source.charAt(0);
  if (first === '.') return FLOAT.test(source) ? floatValue(source, source) : source;
  // Numbers start with a digit or a sign; a date has a hyphen inside and matches none of the patterns below.
  if (!/[-+0-9]/.test(first)) return source;
  const digits = source.replaceAll('_', '');
  const prefixed = PREFIXED.exec(digits);
  if (prefixed !== null) return prefixedValue(prefixed[1] ?? '', prefixed[2] ?? '');
  return FLOAT.test(digits) ? floatValue(digits, source) : source;
}

/** A number too large for a float stays text. */
function floatValue(digits: string, source: string): ScalarValue {
  const value = Number(digits);
  if (!Number.isFinite(value)) return source;
  return value === 0 ? 0 : value;
}

/** `0x1F`, `0o14`, `0b11` and `012`: the last is octal in YAML 1.1 and decimal in YAML 1.2. */
function prefixedValue(sign: string, digits: string): number {
  const magnitude = /^[0-7]/.test(digits) ? Number.parseInt(digits, 8) : Number(`0${digits.toLowerCase()}`);
  return sign === '-' && magnitude !== 0 ? -magnitude : magnitude;
}
