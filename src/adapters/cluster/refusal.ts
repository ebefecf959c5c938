/** What an answer other than 200 means: `absent`, or `unknown` with a reason and the next action. */

import { at, isRecord } from '../../api/json.ts';
import { absent, type Known, unknown } from '../../api/known.ts';
import { lineWithout } from '../git/git-error.ts';
import { type Call, describe, resourceName } from './call.ts';
import type { Answer } from './send.ts';

const TOLD_CHARACTERS_MAX = 300;

/** The Status object of an answer, as far as it can be read. */
type Status = {
  readonly reason: string;
  readonly message: string;
  readonly name: string;
};

/** A body that is not a Status object gives empty fields. */
function statusOf(answer: Answer): Status {
  const body = parsed(answer.body);
  const text = (path: readonly string[]): string => {
    const value = isRecord(body) && body['kind'] === 'Status' ? at(body, path) : undefined;
    return typeof value === 'string' ? value : '';
  };
  return {
    reason: text(['reason']),
    message: text(['message']),
    name: text(['details', 'name']),
  };
}

/**
 * The meaning of a refusal. 403 has two senders: RBAC, and the webhook of a controller (LWS answers 403 too, which
 * nobody can grant away). `absent` needs the API server's own words; what a proxy or a gateway says proves nothing.
 */
export function refusal(call: Call, answer: Answer): Known<never> {
  const status = statusOf(answer);
  const said = status.message === '' ? '' : `: ${told(status.message, answer.secrets)}`;
  const what = describe(call);
  if (answer.status === 404) return notFound(call, answer, status);
  if (answer.status === 401)
    return unknown(
      `${what}: the API server does not accept these credentials (401); log in again, or check the context`,
    );
  if (answer.status === 403 && /admission webhook "[^"]*"/.test(status.message))
    return unknown(`${what}: refused by a webhook${said}`);
  if (answer.status === 403) {
    const rule = `needs verb list on ${resourceName(call.resource)} in namespace ${call.namespace}`;
    return unknown(`${what}: forbidden; ${rule}${said}`);
  }
  if (isPage(answer)) return webPage(call, answer);
  if (answer.status >= 300 && answer.status < 400)
    return unknown(`${what}: redirected (${answer.status}); give the address of the API server itself`);
  return unknown(`${what}: the API server answered ${answer.status}${said}`);
}

function notFound(call: Call, answer: Answer, status: Status): Known<never> {
  if (isPathNotFound(answer) || (status.reason === 'NotFound' && status.name === '')) return absent;
  if (isPage(answer)) return webPage(call, answer);
  return unknown(`${describe(call)}: 404, but not from the API server; check the address`);
}

/** No API server sends HTML: a proxy, a login page or an ingress answered in its place. Nothing of it is worth quoting. */
export function isPage({ contentType, body }: Answer): boolean {
  return contentType.startsWith('text/html') || /^\s*<(!doctype|html)\b/i.test(body);
}

/** What to say of one, whatever its status. */
export function webPage(call: Call, { status }: Answer): Known<never> {
  return unknown(
    `${describe(call)}: a web page came back (HTTP ${status}), so a proxy, a login page or an ingress answers in place of the API server; check the address in the kubeconfig and HTTPS_PROXY`,
  );
}

/** The plain text that a kube-apiserver sends for a path that it does not serve. */
function isPathNotFound({ contentType, body }: Answer): boolean {
  return contentType.startsWith('text/plain') && body.trim() === '404 page not found';
}

/** The server's own words, on one line, of bounded length, and without our credentials. */
function told(text: string, secrets: readonly string[]): string {
  const line = lineWithout(text, secrets);
  return line.length > TOLD_CHARACTERS_MAX ? `${line.slice(0, TOLD_CHARACTERS_MAX)}…` : line;
}

/** The JSON of a body, undefined where it is none. */
export function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
