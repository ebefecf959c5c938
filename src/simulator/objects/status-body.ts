/** The bodies with which the API server refuses a request, in its own words. */

import type { JsonObject } from '../../api/json.ts';

export type Cause = { readonly reason: string; readonly message: string; readonly field: string };

/** `metav1.Status` of a failure. */
export type StatusBody = {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: JsonObject;
  readonly status: 'Failure';
  readonly message: string;
  readonly reason?: string;
  readonly details?: JsonObject;
  readonly code: number;
};

type Target = { readonly resource: string; readonly name: string };

/** There is no such object. */
export function notFound(target: Target): StatusBody {
  return failure(404, 'NotFound', `${target.resource} "${target.name}" not found`, details(target));
}

/** The name is taken. */
export function alreadyExists(target: Target): StatusBody {
  return failure(409, 'AlreadyExists', `${target.resource} "${target.name}" already exists`, details(target));
}

/** The resourceVersion of the request is not the newest. */
export function staleWrite(target: Target): StatusBody {
  const message =
    `Operation cannot be fulfilled on ${target.resource} "${target.name}": the object has been modified; ` +
    'please apply your changes to the latest version and try again';
  return failure(409, 'Conflict', message, details(target));
}

/** A DELETE names another uid or version than the object has. */
export function preconditionFailed(
  target: Target,
  { field, wanted, found }: { readonly field: string; readonly wanted: string; readonly found: string },
): StatusBody {
  const fault = `Precondition failed: ${field} in precondition: ${wanted}, ${field} in object meta: ${found}`;
  const message = `Operation cannot be fulfilled on ${target.resource} "${target.name}": ${fault}`;
  return failure(409, 'Conflict', message, details(target));
}

/** Server-side apply without force met fields of other managers. */
export function applyConflict(conflicts: readonly { readonly manager: string; readonly field: string }[]): StatusBody {
  const plural = conflicts.length === 1 ? 'conflict' : 'conflicts';
  const list = conflicts.map(({ manager, field }) => `conflict with "${manager}": ${field}`);
  const message = `Apply failed with ${conflicts.length} ${plural}: ${list.join('\n')}`;
  const causes = conflicts.map(({ manager, field }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with "${manager}"`,
    field,
  }));
  return failure(409, 'Conflict', message, { causes });
}

/** The schema of the CRD (or the validation of a built-in kind) refuses the object: 422. */
export function invalid(object: { group: string; kind: string; name: string }, causes: readonly Cause[]): StatusBody {
  const kind = object.group === '' ? object.kind : `${object.kind}.${object.group}`;
  const faults = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const list = faults.length === 1 ? `${faults[0]}` : `[${faults.join(', ')}]`;
  return failure(422, 'Invalid', `${kind} "${object.name}" is invalid: ${list}`, {
    name: object.name,
    group: object.group,
    kind: object.kind,
    causes: [...causes],
  });
}

/** A validating webhook says no. LWS answers 403 Forbidden, as RBAC does; only the text tells them apart. */
export function deniedByWebhook(webhook: string, fault: string): StatusBody {
  return failure(403, 'Forbidden', `admission webhook "${webhook}" denied the request: ${fault}`, undefined);
}

/** A webhook could not decode the object: 400 without a reason. */
export function undecodable(webhook: string, fault: string): StatusBody {
  const message = `admission webhook "${webhook}" denied the request: ${fault}`;
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 400 };
}

/** The LWS controller, which serves the webhooks, is down. */
export function webhookDown(): StatusBody {
  const cause =
    'failed calling webhook "mleaderworkerset.kb.io": failed to call webhook: Post ' +
    '"https://127.0.0.1:9443/mutate-leaderworkerset-x-k8s-io-v1-leaderworkerset?timeout=10s": ' +
    'dial tcp 127.0.0.1:9443: connect: connection refused';
  return failure(500, 'InternalError', `Internal error occurred: ${cause}`, { causes: [{ message: cause }] });
}

/** The request itself makes no sense. */
export function badRequest(message: string): StatusBody {
  return failure(400, 'BadRequest', message, undefined);
}

function failure(code: number, reason: string, message: string, more: JsonObject | undefined): StatusBody {
  const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code } as const;
  return more === undefined ? body : { ...body, details: more };
}

/** The recorded answers give the resource name as `kind` here. */
function details(target: Target): JsonObject {
  const dot = target.resource.indexOf('.');
  const group = dot < 0 ? '' : target.resource.slice(dot + 1);
  const plural = dot < 0 ? target.resource : target.resource.slice(0, dot);
  return group === '' ? { name: target.name, kind: plural } : { name: target.name, group, kind: plural };
}
