/** To which hosts something is sent: without encryption to this machine alone, credentials to the one that was named. */

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether a URL leads over plain http to another machine than this. */
export function isPlainElsewhere({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}

/**
 * Whether a URL leads to the host that somebody has named, with its port, however they spell it: `GitHub.com:443`. Anything but
 * a host names none: with a path, a user or an escape in it, it could be read as two.
 */
export function isHostOf({ protocol, host }: Pick<URL, 'protocol' | 'host'>, named: string): boolean {
  const address = `${protocol}//${named}`;
  return /^[^\s/\\@?#%]+$/.test(named) && URL.canParse(address) && new URL(address).host === host;
}
