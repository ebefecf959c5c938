/** Images and fields of a release as one phrase. */

import type { ReleaseChange } from '../../api/record-change.ts';

const FIELDS_SHOWN = 3;
const DIGEST_CHARACTERS = 12;

/**
 * `vllm-openai:v0.10.0 → vllm-openai:v0.10.1`; where the images stay, those and the fields that change; where nothing
 * is replaced, the images alone. Empty: no image is known.
 */
export function changeText(change: ReleaseChange | undefined): string {
  if (change === undefined) return '';
  const { gone, fresh } = imagesChanged(change);
  const fields = fieldsText(change.fields ?? []);
  if (gone.length > 0 && fresh.length > 0) {
    const [was, is] = shortBoth(gone, fresh);
    return `${was.join(', ')} → ${is.join(', ')}${fields === '' ? '' : `, and ${fields}`}`;
  }
  const images = change.to.map(shortImage).join(', ');
  const more = [
    ...(gone.length === 0 ? [] : [`without ${gone.map(shortImage).join(', ')}`]),
    ...(fresh.length === 0 || change.from === undefined ? [] : [`new: ${fresh.map(shortImage).join(', ')}`]),
    ...(fields === '' ? [] : [`changed: ${fields}`]),
  ];
  return more.length === 0 ? images : `${images} (${more.join('; ')})`;
}

/** `v0.10.0 → v0.10.1` where one image changes its tag alone, for places of a few characters; else as `changeText`. */
export function changeShort(change: ReleaseChange | undefined): string {
  if (change === undefined) return '';
  const { gone, fresh } = imagesChanged(change);
  const [was, is] = [gone[0], fresh[0]].map((image) => tagOf(image ?? ''));
  const isTag = gone.length === 1 && fresh.length === 1 && was?.name === is?.name;
  if (isTag) return `${was?.tag ?? ''} → ${is?.tag ?? ''}`;
  const [only, ...others] = change.to;
  if (gone.length + others.length === 0 && only !== undefined) return tagOf(only).tag;
  return changeText({ ...change, fields: undefined });
}

/** Whole, for a trailer: `a/b:v1 → a/b:v2`, or those of the release where none is replaced. Empty: none is known. */
export function imagesText(change: ReleaseChange | undefined): string {
  if (change === undefined) return '';
  const { gone, fresh } = imagesChanged(change);
  const isReplaced = gone.length > 0 && fresh.length > 0;
  return isReplaced ? `${gone.join(', ')} → ${fresh.join(', ')}` : change.to.join(', ');
}

/** The images that a release takes out, and those that it brings. */
function imagesChanged({ from, to }: ReleaseChange): {
  readonly gone: readonly string[];
  readonly fresh: readonly string[];
} {
  if (from === undefined) return { gone: [], fresh: [] };
  return {
    gone: from.filter((image) => !to.includes(image)),
    fresh: to.filter((image) => !from.includes(image)),
  };
}

/** Without the registry, unless that is what changes. */
function shortBoth(gone: readonly string[], fresh: readonly string[]): readonly [readonly string[], readonly string[]] {
  const [was, is] = [gone.map(shortImage), fresh.map(shortImage)];
  return was.some((image) => is.includes(image)) ? [gone, fresh] : [was, is];
}

/** `vllm-openai:v0.10.0`, `vllm-openai@sha256:0123456789ab`. */
function shortImage(image: string): string {
  const name = image.slice(image.lastIndexOf('/') + 1);
  const [before, digest] = name.split('@sha256:');
  return digest === undefined ? name : `${before ?? ''}@sha256:${digest.slice(0, DIGEST_CHARACTERS)}`;
}

function tagOf(image: string): { readonly name: string; readonly tag: string } {
  const short = shortImage(image);
  const at = short.search(/[:@]/);
  return at < 0 ? { name: short, tag: short } : { name: short.slice(0, at), tag: short.slice(at + 1) };
}

function fieldsText(fields: readonly string[]): string {
  const shown = fields.slice(0, FIELDS_SHOWN).join(', ');
  return fields.length <= FIELDS_SHOWN ? shown : `${shown} and ${fields.length - FIELDS_SHOWN} more fields`;
}
