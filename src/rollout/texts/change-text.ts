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

function fieldsText(fields: readonly string[]): string {
  const shown = fields.slice(0, FIELDS_SHOWN).join(', ');
  return fields.length <= FIELDS_SHOWN ? shown : `${shown} and ${fields.length - FIELDS_SHOWN} more fields`;
}
