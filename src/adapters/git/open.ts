/** Opens the repository that `--repo` names: an http(s) URL, or a path on this machine. */

import { fileURLToPath } from 'node:url';
import type { Git } from '../../ports/git.ts';
import type { Log } from '../../ports/log.ts';
import { isPlainElsewhere } from '../network/plain-http.ts';
import { type Network, plainNetwork } from '../network/proxy.ts';
import { systemTimers, type Timers } from '../system/timers.ts';
import { cleanText, gitError, MalformedObject } from './git-error.ts';
import { defaultGitLimits, type GitLimits } from './limits.ts';
import { isOid, readableRefFault, withoutCredentials } from './names.ts';
import type { GitToken } from './remote.ts';
import { openSmartHttp } from './smart-http.ts';

type OpenGit = {
  /** `https://host/team/repo.git`, `/path/to/repo`, `file:///path`. */
  readonly location: string;
  /** Sent as Basic authentication of the user `x-access-token`, only to this origin. */
  readonly token?: GitToken | undefined;
  readonly limits?: Partial<GitLimits>;
  readonly log?: Log | undefined;
  readonly timers?: Timers;
  /** Proxy and certificates; without: none but those of Node. */
  readonly network?: Network;
};

/** Opens no connection and no file yet. Throws PortError where the location can never work. */
export function openGit(options: OpenGit): Git {
  const limits = { ...defaultGitLimits, ...options.limits };
  const { location, log, timers = systemTimers, network = plainNetwork } = options;
  const token = options.token === undefined || options.token === '' ? undefined : options.token;
  if (/^https?:/i.test(location))
    return guarded(openSmartHttp({ location: checkedUrl(location), token, limits, log, timers, network }));
  // Node throws for another host.
  if (/^file:(?:\/\/(?:localhost)?(?=\/)|(?!\/\/))/i.test(location)) return lazyLocal(fileURLToPath(location), limits);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(location) || /^[^/\\]+@[^/\\]+:/.test(location)) {
    throw cannotOpen(
      `${withoutCredentials(location)} cannot be opened`,
      'Give an http(s) URL or a path; ssh is not spoken.',
    );
  }
  return lazyLocal(location, limits);
}

function checkedUrl(location: string): URL {
  if (!URL.canParse(location))
    throw cannotOpen('the location of the repository is no URL', 'Check the spelling of --repo.');
  const url = new URL(location);
  if (url.username !== '' || url.password !== '') {
    throw cannotOpen(
      `the URL of ${url.host}${url.pathname} has credentials in it`,
      'Take them out of the URL and set TRANCHE_GIT_TOKEN; URLs end up in logs and commits.',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw cannotOpen(`the URL of ${url.host}${url.pathname} has a query or a fragment`, 'Give the plain clone URL.');
  }
  if (isPlainElsewhere(url))
    throw cannotOpen(
      `${url.host} would be reached over plain http, where anybody on the way reads and changes what is sent`,
      'Give an https URL; http is for this machine alone.',
    );
  return url;
}

/** Code for repositories on a disk is only loaded where one is used. */
function lazyLocal(path: string, limits: GitLimits): Git {
  let opened: Promise<Git> | undefined;
  const open = (): Promise<Git> => {
    opened ??= import('./local.ts').then(({ openLocal }) => openLocal({ path, limits }));
    return opened;
  };
  return guarded({
    begin: () => undefined,
    heads: async (branches) => (await open()).heads(branches),
    // A disk is not far away.
    expect: () => undefined,
    readAt: async (commit, request) => (await open()).readAt(commit, request),
    differences: async (before, after) => (await open()).differences(before, after),
    history: async (from, until, limit) => (await open()).history(from, until, limit),
    push: async (updates) => (await open()).push(updates),
    heldFast: async (branch) => (await open()).heldFast(branch),
  });
}

/** What a repository or a disk does wrong is the world's failure, not ours. */
function guarded(git: Git): Git {
  const guard = async <T>(operation: 'heads' | 'read' | 'history' | 'push', call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      if (error instanceof MalformedObject) {
        throw gitError(`the repository has a garbled object: ${error.message}`, { operation, retryable: false });
      }
      // Errors of files have both; everything else is a bug and stays what it is.
      if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) throw error;
      throw gitError(`the repository cannot be used: ${error.message}`, {
        operation,
        retryable: false,
        hint: 'Check that this process may read the repository, and write to it where something is to be written.',
      });
    }
  };
  return {
    begin: () => git.begin(),
    heads: async (branches) => {
      for (const branch of branches) checkBranch(branch);
      return guard('heads', git.heads(branches));
    },
    expect: (expected) => git.expect(expected),
    readAt: async (commit, request) => {
      checkOid(commit, 'read');
      return guard('read', git.readAt(commit, request));
    },
    differences: async (before, after) => {
      for (const commit of [before, after]) checkOid(commit, 'read');
      return guard('read', git.differences(before, after));
    },
    history: async (from, until, limit) => {
      checkOid(from, 'history');
      return guard('history', git.history(from, until, limit));
    },
    push: async (updates) => guard('push', git.push(updates)),
    heldFast: async (branch) => guard('push', git.heldFast(branch)),
  };
}

/** Names from files and annotations must not reach a request line or a path on the disk unchecked. */
function checkBranch(branch: string): void {
  const fault = readableRefFault(branch);
  if (fault !== undefined) throw gitError(fault, { operation: 'heads', retryable: false });
}

function checkOid(oid: string, operation: 'read' | 'history'): void {
  if (isOid(oid)) return;
  const shown = cleanText(oid).slice(0, 60);
  throw gitError(`"${shown}" is no commit id, wanted 40 hex characters`, { operation, retryable: false });
}

function cannotOpen(message: string, hint: string) {
  return gitError(message, { operation: 'open', retryable: false, hint });
}
