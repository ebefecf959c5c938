/** Git in a folder of this machine. */

import type { Git } from '../../ports/git.ts';
import { gitError } from './git-error.ts';
import type { GitLimits } from './limits.ts';

/** Throws PortError: repositories on a disk come with the next commit. */
export function openLocal({ path }: { readonly path: string; readonly limits: GitLimits }): Git {
  throw gitError(`${path} cannot be opened: only http(s) URLs are read so far`, { operation: 'open', retryable: false });
}
