/** GitHub, and GitHub Enterprise, in the table of forges. */

import { systemTimers } from '../../system/timers.ts';
import type { ForgeKind } from '../forge-kind.ts';
import { forgeAddress } from './address.ts';
import { forgeLimits } from './limits.ts';

export const github: ForgeKind = {
  opener: (repository, apiUrl) => {
    const address = forgeAddress(repository, apiUrl);
    if (address === undefined) return undefined;
    return async (options) => {
      const { openGithubFor } = await import('./open-github.ts');
      return openGithubFor({ ...options, address, timers: systemTimers, limits: forgeLimits });
    };
  },
  isOwnHost: (hostname) => /^(?:www\.)?github\.com$/.test(hostname) || hostname.endsWith('.ghe.com'),
};
