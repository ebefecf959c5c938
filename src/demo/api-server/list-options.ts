/** What a list or a watch may ask about versions, and what the API server says where it may not. */

import { badRequest, type Reply, statusReply } from './reply.ts';

export type ListOptions = {
  /** Undefined: the newest. 0: any. */
  readonly version: number | undefined;
  readonly match: 'Exact' | 'NotOlderThan' | '';
  /** A watch that first sends what there is, and a bookmark behind it (KEP-3157). */
  readonly sendsInitial: boolean;
};

/** The options of the query, or the refusal. */
export function listOptions(query: URLSearchParams, isWatch: boolean): ListOptions | Reply {
  const version = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  const sendsInitial = query.get('sendInitialEvents') === 'true';
  if (!/^\d*$/.test(version)) {
    return badRequest(`resourceVersion: Invalid value: ${JSON.stringify(version)}: strconv.ParseUint: invalid syntax`);
  }
  if (match !== 'Exact' && match !== 'NotOlderThan' && match !== '') {
    const supported = 'supported values: "Exact", "NotOlderThan", ""';
    return invalidOptions(`resourceVersionMatch: Unsupported value: ${JSON.stringify(match)}: ${supported}`);
  }
  const fault = isWatch ? watchFault(query, match) : listFault(query, { version, match });
  if (fault !== undefined) return fault;
  return { version: version === '' ? undefined : Number(version), match, sendsInitial };
}

function watchFault(query: URLSearchParams, match: string): Reply | undefined {
  const initial = query.get('sendInitialEvents');
  if (initial === null) {
    if (match === '') return undefined;
    return invalidOptions(
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    );
  }
  if (match === 'NotOlderThan') return undefined;
  return invalidOptions(
    match === ''
      ? 'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'
      : `resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, got ${match}`,
  );
}

function listFault(
  query: URLSearchParams,
  { version, match }: { readonly version: string; readonly match: string },
): Reply | undefined {
  const pages = (query.get('continue') ?? '') !== '';
  if (query.has('sendInitialEvents')) {
    return invalidOptions('sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list');
  }
  if (match !== '' && version === '') {
    return invalidOptions(
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    );
  }
  if (match !== '' && pages) {
    return invalidOptions(
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
    );
  }
  if (match === 'Exact' && version === '0') {
    return invalidOptions(
      'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    );
  }
  if (pages && version !== '' && version !== '0') {
    return badRequest('specifying resource version is not allowed when using continue');
  }
  return undefined;
}

function invalidOptions(fault: string): Reply {
  const message = `ListOptions.meta.k8s.io "" is invalid: ${fault}`;
  return statusReply(422, { message, reason: 'Invalid', details: { group: 'meta.k8s.io', kind: 'ListOptions' } });
}

/** 504 of a version that does not exist yet: the client has talked to a server that is further ahead. */
export function futureVersion({ asked, current }: { readonly asked: number; readonly current: number }): Reply {
  return statusReply(504, {
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    reason: 'Timeout',
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}
