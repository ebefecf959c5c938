/** The few objects that kubectl creates in protobuf, as JSON: from 1.32 on it sends them in no other form. */

import type { Buffer } from 'node:buffer';
import type { JsonObject } from '../../api/json.ts';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** What Kubernetes writes before each object. */
const MAGIC = 'k8s\0';

/** The fields of a message that are bytes, texts or messages, by number. */
type Message = ReadonlyMap<number, readonly Buffer[]>;

/** How `data` of a kind is written, if it has any: `bytes` are base64 in JSON. */
const KINDS: Readonly<Record<string, 'none' | 'text' | 'bytes'>> = {
  Namespace: 'none',
  ServiceAccount: 'none',
  ConfigMap: 'text',
  Secret: 'bytes',
};

/** The object with its name, labels, annotations, data and type; undefined for another kind, and for what is no such body. */
export function fromProtobuf(body: Buffer): JsonObject | undefined {
  if (body.subarray(0, MAGIC.length).toString('latin1') !== MAGIC) return undefined;
  const whole = messageOf(body.subarray(MAGIC.length));
  const type = messageOf(first(whole, 1));
  const object = messageOf(first(whole, 2));
  const kind = textOf(type, 2);
  const form = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (form === undefined || object === undefined) return undefined;
  const meta = messageOf(first(object, 1));
  const data = form === 'none' ? undefined : mapOf(object, 2, form === 'bytes' ? 'base64' : 'utf8');
  return {
    apiVersion: textOf(type, 1),
    kind,
    metadata: {
      name: textOf(meta, 1),
      namespace: textOf(meta, 3),
      labels: mapOf(meta, 11) ?? {},
      annotations: mapOf(meta, 12) ?? {},
    },
    ...(data === undefined ? {} : { data }),
    ...(form === 'bytes' ? { type: textOf(object, 3) || 'Opaque' } : {}),
  };
}

function first(message: Message | undefined, number: number): Buffer | undefined {
  return message?.get(number)?.[0];
}

function textOf(message: Message | undefined, number: number): string {
  return first(message, number)?.toString('utf8') ?? '';
}

/** A map is a list of messages of key and value; undefined where it has none. */
function mapOf(message: Message | undefined, number: number, encoding: 'utf8' | 'base64' = 'utf8') {
  const entries = (message?.get(number) ?? []).map((bytes) => {
    const entry = messageOf(bytes);
    return [textOf(entry, 1), first(entry, 2)?.toString(encoding) ?? ''] as const;
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Undefined where the bytes end inside of a field, or are of a form that nobody writes any more. */
function messageOf(bytes: Buffer | undefined): Message | undefined {
  if (bytes === undefined) return undefined;
  const fields = new Map<number, readonly Buffer[]>();
  let at = 0;
  while (at < bytes.length) {
    const tag = varintAt(bytes, at);
    const size = tag && sizeAt(bytes, tag.next, tag.value & 7);
    if (tag === undefined || size === undefined || size.from + size.bytes > bytes.length) return undefined;
    const number = tag.value >>> 3;
    const value = bytes.subarray(size.from, size.from + size.bytes);
    if ((tag.value & 7) === 2) fields.set(number, [...(fields.get(number) ?? []), value]);
    at = size.from + size.bytes;
  }
  return fields;
}

/** Where the value of a field stands: a number, 8 bytes, what says its length, or 4 bytes. */
function sizeAt(bytes: Buffer, at: number, form: number): { from: number; bytes: number } | undefined {
  if (form === 1) return { from: at, bytes: 8 };
  if (form === 5) return { from: at, bytes: 4 };
  const number = form === 0 || form === 2 ? varintAt(bytes, at) : undefined;
  if (number === undefined) return undefined;
  return { from: number.next, bytes: form === 2 ? number.value : 0 };
}

/** A number in groups of seven bits, the lowest first; undefined where it does not end, or is no length of anything here. */
function varintAt(bytes: Buffer, at: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let place = 0; place < 10; place += 1) {
    const byte = bytes[at + place];
    if (byte === undefined) return undefined;
    value += (byte & 127) * 2 ** (7 * place);
    if (byte < 128) return { value, next: at + place + 1 };
  }
  return undefined;
}
