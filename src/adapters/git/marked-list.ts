/** What a list of files with a marker is of, and how long it may be. Apart from reading by one, which no pass at rest does. */

import { createHash } from 'node:crypto';
import type { GitLimits } from './limits.ts';
import { MARKER_SEARCH } from './markers.ts';
import type { Reading } from './remote-fetch.ts';

/** Of more files with a marker none are named: the list would be larger than what it saves. */
export const MARKED_MOST = 1000;

/** What a reading looks for, and how. */
export function soughtBy({ markersKey }: Reading, { fileBytes }: GitLimits): string {
  return createHash('sha256').update(`${MARKER_SEARCH} ${fileBytes} ${markersKey}`).digest('hex').slice(0, 16);
}
