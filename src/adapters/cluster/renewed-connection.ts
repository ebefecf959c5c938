/** Reads a kubeconfig again when the server does not accept what it said: some programs write new credentials into it. */

import { readFileSync } from 'node:fs';
import type https from 'node:https';
import { PortError } from '../../ports/port-error.ts';
import type { Connection } from './connection.ts';
import { type ConnectOptions, connect } from './kubeconfig.ts';

/**
 * The connection of these options. Another server in the file than the first is never followed: its groups would be taken
 * for those of the one before. Throws PortError as `connect` does.
 */
export function connectRenewed(options: ConnectOptions): Connection {
  let current = connect(options);
  let text = textOf(options);
  const madeBy = new WeakMap<https.RequestOptions, Connection>();
  const isRead = (): boolean => {
    const now = textOf(options);
    if (now === undefined || now === text) return false;
    text = now;
    const fresh = connectOrNone(options);
    if (fresh === undefined) return false;
    if (fresh.server.href !== current.server.href) {
      options.log.warn(
        `cluster: the kubeconfig names ${fresh.server.origin} now, and did ${current.server.origin} when this started; restart to follow it`,
      );
      return false;
    }
    current = fresh;
    return true;
  };
  return {
    server: current.server,
    options: async () => {
      const by = current;
      const made = await by.options();
      madeBy.set(made, by);
      return made;
    },
    // A read next to this one may have found it out before.
    renew: (used) => current.renew?.(used) === true || madeBy.get(used) !== current || isRead(),
  };
}

/** undefined: they cannot be read now, or there are none. */
function textOf({ source }: ConnectOptions): string | undefined {
  if (source.kind !== 'files') return undefined;
  try {
    return source.paths.map((file) => readFileSync(file, 'utf8')).join('\0');
  } catch {
    return undefined;
  }
}

/** undefined: it is just being written, or wrong; what was read first counts on. */
function connectOrNone(options: ConnectOptions): Connection | undefined {
  try {
    return connect(options);
  } catch (error) {
    if (error instanceof PortError) return undefined;
    throw error;
  }
}
