import type { Patch } from './simulation-bundle.mjs';

/** The text of a source with the bug in it. Throws where it fits no place or more than one, or uses a name that is not there. */
export function planted(text: string, patch: Patch): string;
