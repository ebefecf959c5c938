/** What the API server answers, and the refusals that come from the server itself and not from its storage. */

import type { JsonObject } from '../../api/json.ts';

export type Reply = {
  readonly status: number;
  /** JSON, or plain text as it is. */
  readonly body: JsonObject | string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** 200 with an object. */
export function ok(body: JsonObject): Reply {
  return { status: 200, body };
}

/** A Status of kind Failure; its code is the HTTP status. */
export function statusReply(code: number, fields: JsonObject): Reply {
  return {
    status: code,
    body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...fields, code },
  };
}

/** A path that is not served: plain text, as Go's own server says it. */
export const pageNotFound: Reply = { status: 404, body: '404 page not found\n' };

export const methodNotAllowed = statusReply(405, {
  message: 'the server does not allow this method on the requested resource',
  reason: 'MethodNotAllowed',
  details: {},
});

/** A body in a format that the resource does not take. */
export function unsupportedMediaType(accepted: readonly string[]): Reply {
  return statusReply(415, {
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
    reason: 'UnsupportedMediaType',
  });
}

/** 400: the request itself is wrong. */
export function badRequest(message: string): Reply {
  return statusReply(400, { message, reason: 'BadRequest' });
}

/** 410 of a list whose continue token, or whose resourceVersion, is no longer served. */
export function expired(message: string, metadata: JsonObject = {}): Reply {
  return statusReply(410, { metadata, message, reason: 'Expired' });
}
