/** What metrics counted in one step, as the text of a file; and what such a text says, where it is one of ours in every byte. */

import { asWritten, isJsonObject, isRecord, type Json } from '../../api/json.ts';
import { parseRelease, printRelease } from '../../api/release.ts';
import { ANSWERS } from '../../rollout/analysis/metric-text.ts';
import { joined, type Part } from '../../rollout/analysis/parts.ts';
import type { MetricAnswer } from '../../rollout/analysis/seen.ts';
import type { Evidence, MetricShown } from './evidence.ts';
import { digestOf, type Signed, type Signing, sign, signatureIn } from './signed.ts';

/** Bytes of one file. */
const BYTES_MOST = 64 * 1024;
/** What a signature adds. */
const SIGNATURE_BYTES = 300;

/** With the parts of one metric on a line, in as few parts as it has room for. */
export function evidenceText(key: string, evidence: Evidence, signing?: Signing & { readonly path: string }): string {
  const body = bodyOf(key, evidence);
  if (signing === undefined) return `{\n${body}`;
  const { signer, path, place, now } = signing;
  const signature = sign(signer, { path, place, number: now, digest: digestIn(`{\n${body}`) });
  return `{\n"signature": ${JSON.stringify(signature)},\n${body}`;
}

function bodyOf(key: string, { release, step, metrics }: Evidence): string {
  const most = Math.max(1, ...metrics.map(({ parts }) => parts.length));
  for (let parts = most; ; parts = Math.floor(parts / 2)) {
    const lines = metrics.map(({ kind, ...metric }) => {
      const { name, canary, stable, ruledOut } = metric;
      return JSON.stringify({
        name,
        answer: kind,
        canary,
        stable,
        ruledOut,
        parts: joined(metric.parts, Math.max(1, parts)),
      });
    });
    const head = `"rollout": ${JSON.stringify(key)},\n"release": ${JSON.stringify(printRelease(release))},\n"step": ${JSON.stringify(step)}`;
    const columns = '"parts": ["end", "bad", "of", "stableBad", "stableOf"]';
    const text = `${head},\n${columns},\n"metrics": [\n${lines.join(',\n')}\n]\n}\n`;
    if (Buffer.byteLength(text) <= BYTES_MOST - SIGNATURE_BYTES || parts <= 1) return text;
  }
}

/** What a file of this Rollout says; undefined: it is no file that tranche writes. */
export function readEvidence(
  key: string,
  text: string,
): { readonly evidence: Evidence; readonly signed: Signed | undefined } | undefined {
  // A longer one is not ours, and what is done with it below takes its length in time and in the stack.
  if (Buffer.byteLength(text) > BYTES_MOST) return undefined;
  const { signature: given, ...rest } = objectIn(text) ?? {};
  const release = parseRelease(textOf(rest['release']) ?? '');
  const step = textOf(rest['step']);
  const metrics = Array.isArray(rest['metrics']) ? rest['metrics'].map(metricIn) : [undefined];
  if (release === undefined || step === undefined) return undefined;
  const shown = metrics.flatMap((one) => one ?? []);
  const evidence = { release, step, metrics: shown };
  const body = bodyOf(key, evidence);
  if (shown.length !== metrics.length || !text.endsWith(`\n${body}`)) return undefined;
  const signature = signatureIn(given);
  // What is no signature may be nested without an end, and is not printed.
  if (given !== undefined && signature === undefined) return undefined;
  const head = signature === undefined ? '{\n' : `{\n"signature": ${JSON.stringify(signature)},\n`;
  if (text !== `${head}${body}`) return undefined;
  return { evidence, signed: signature && { signature, digest: digestIn(`{\n${body}`) } };
}

function objectIn(text: string): { readonly [key: string]: Json } | undefined {
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function digestIn(text: string): string {
  return digestOf(asWritten(objectIn(text) ?? {}));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

const KINDS = Object.keys(ANSWERS);

function isKind(value: unknown): value is MetricAnswer['kind'] {
  return typeof value === 'string' && KINDS.includes(value);
}

function metricIn(value: unknown): MetricShown | undefined {
  if (!isRecord(value)) return undefined;
  const { name, answer, canary, stable, ruledOut, parts } = value;
  const [mine, theirs] = [countsIn(canary), countsIn(stable)];
  if (typeof name !== 'string' || !isKind(answer) || mine === undefined || theirs === undefined) return undefined;
  if (!Array.isArray(parts) || !parts.every(isPart)) return undefined;
  const shown = { name, kind: answer, canary: mine, stable: theirs, parts };
  return typeof ruledOut === 'number' ? { ...shown, ruledOut } : shown;
}

function countsIn(value: unknown): MetricShown['canary'] | undefined {
  if (!isRecord(value)) return undefined;
  const { n, x } = value;
  return typeof n === 'number' && typeof x === 'number' ? { n, x } : undefined;
}

function isPart(value: unknown): value is Part {
  return Array.isArray(value) && value.length === 5 && value.every((one) => typeof one === 'number');
}
