/** Refusals as an API server with authentication and RBAC words them: the one that serves the model has neither. */

import { type Reply, statusReply } from '../../src/demo/api-server/reply.ts';

export const unauthorized = statusReply(401, { message: 'Unauthorized', reason: 'Unauthorized' });

/** 403 of RBAC, in its own words. */
export function forbidden(
  user: string,
  asked: {
    readonly verb: string;
    readonly group: string;
    readonly plural: string;
    readonly namespace: string;
    readonly name: string;
  },
): Reply {
  const { verb, group, plural, namespace, name } = asked;
  const resource = group === '' ? plural : `${plural}.${group}`;
  const object = name === '' ? '' : ` "${name}"`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  return statusReply(403, {
    message: `${resource}${object} is forbidden: User "${user}" cannot ${verb} resource "${plural}" in API group "${group}" ${where}`,
    reason: 'Forbidden',
    details: { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: plural },
  });
}
