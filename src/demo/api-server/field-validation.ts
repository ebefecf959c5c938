/** `fieldValidation` of a write: fields that the CRD does not have are refused, told of, or silently left out. */

import type { JsonObject } from '../../api/json.ts';
import { unknownFields } from '../../simulator/lws/lws-schema.ts';
import { LWS, resourceName } from '../../simulator/objects/resource-table.ts';
import { badRequest, type Reply, statusReply } from './reply.ts';
import type { ApiRequest, Target } from './route.ts';

const levels: readonly string[] = ['Ignore', 'Warn', 'Strict'];
const APPLY_TYPES: readonly string[] = ['application/apply-patch+yaml'];

/** What is wrong with the fields of a write: a refusal (`Strict`, or a server-side apply), or warnings to send along. */
type FieldCheck =
  | { readonly kind: 'refused'; readonly reply: Reply }
  | { readonly kind: 'taken'; readonly warnings: readonly string[] };

/** Only LeaderWorkerSets have a schema here. The level is `Warn` where the client names none. */
function checkFields(target: Target, request: ApiRequest, body: JsonObject): FieldCheck {
  const level = request.query.get('fieldValidation') ?? 'Warn';
  if (!levels.includes(level)) {
    const message = `unsupported fieldValidation ${JSON.stringify(level)}, supported are ${levels.join(', ')}`;
    return { kind: 'refused', reply: badRequest(message) };
  }
  const unknown = resourceName(target.kind) === LWS && target.subresource === '' ? unknownFields(body) : [];
  const [first] = unknown;
  if (first === undefined) return { kind: 'taken', warnings: [] };
  if (APPLY_TYPES.includes(request.contentType)) return { kind: 'refused', reply: undeclared(target, first) };
  const faults = unknown.map((field) => `unknown field "${field}"`);
  if (level !== 'Strict') return { kind: 'taken', warnings: level === 'Warn' ? faults : [] };
  const fault = `strict decoding error: ${faults.join(', ')}`;
  return { kind: 'refused', reply: request.method === 'PATCH' ? badPatch(body, fault) : badObject(target, fault) };
}

/** What the API server says of a patch, with all of what the patch would have made. */
function badPatch(object: JsonObject, fault: string): Reply {
  const message = `Invalid value: ${JSON.stringify(JSON.stringify(object))}: ${fault}`;
  return statusReply(422, {
    message: ` "" is invalid: patch: ${message}`,
    reason: 'Invalid',
    details: { causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }] },
  });
}

function badObject({ kind }: Target, fault: string): Reply {
  return badRequest(`${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${fault}`);
}

/** Server-side apply needs a type for every field, and fails without a reason. */
function undeclared({ kind, namespace, name }: Target, field: string): Reply {
  const type = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
  return statusReply(500, {
    message: `failed to create typed patch object (${namespace}/${name}; ${type}): .${field}: field not declared in schema`,
  });
}

/** Writes, where the fields of `object` allow it; `Warning` headers name those that are left out. */
export function withCheckedFields(target: Target, write: CheckedWrite): Reply {
  const check = checkFields(target, write.request, write.object);
  return check.kind === 'refused' ? check.reply : withWarnings(write.run(), check.warnings);
}

type CheckedWrite = {
  readonly request: ApiRequest;
  /** What would be stored. */
  readonly object: JsonObject;
  readonly run: () => Reply;
};

/** kubectl prints these headers. */
function withWarnings(reply: Reply, warnings: readonly string[]): Reply {
  if (warnings.length === 0) return reply;
  const warning = warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(', ');
  return { ...reply, headers: { ...reply.headers, warning } };
}
