/** Which container images an object asks for. */

import { isRecord } from './json.ts';

/** Every image in the value, once, in its order: those of all containers of a pod, a template or a release. */
export function imagesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap(imagesOf))];
  if (!isRecord(value)) return [];
  const images = Object.entries(value).flatMap(([key, item]) =>
    key === 'image' && typeof item === 'string' ? [item] : imagesOf(item),
  );
  return [...new Set(images)];
}
