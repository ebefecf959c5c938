/** What nobody but the processes may ever read: the private half of the key. */

import { privateHalf } from '../support/status-key.ts';

/** Without its name in front, as somebody may write it elsewhere. */
const SECRET = privateHalf().slice(-43);

export function isSecret(text: string): boolean {
  return text.includes(SECRET);
}
