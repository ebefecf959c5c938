/** What is sent without encryption: to this machine alone. */

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether a URL leads over plain http to another machine than this. */
export function isPlainElsewhere({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}
