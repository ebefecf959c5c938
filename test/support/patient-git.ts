/** Git's limits of time, for tests that are not about them: a machine with other work to do is no server that hangs. */

import type { GitLimits } from '../../src/adapters/git/limits.ts';

export const PATIENT: Partial<GitLimits> = { passSeconds: 900, idleSeconds: 300 };
