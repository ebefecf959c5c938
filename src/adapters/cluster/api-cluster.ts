/** The cluster port on a Kubernetes API server. Absent on purpose: any request but GET. */

import { isRecord } from '../../api/json.ts';
import { unknown } from '../../api/known.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { askApi, type Deadline, startDeadline, type Wire } from './ask-api.ts';
import { badName, type Call, describe } from './call.ts';
import { readList } from './read-list.ts';
import { parsed } from './refusal.ts';

/** Every read is asked of the server's own consistent state (no resourceVersion), never of its watch cache. */
export function apiCluster(wire: Wire): Cluster {
  let isApiServer = false;
  return {
    list: async (resource, { namespace, labelSelector }, take) => {
      const call: Call = { resource, namespace };
      const bad = badName(call);
      if (bad !== undefined) return unknown(`${describe(call)}: ${bad}`);
      const deadline = startDeadline(wire.limits);
      const list = await readList(wire, call, { labelSelector, deadline, take });
      if (list.kind !== 'absent') return list;
      isApiServer ||= await tellsItsVersion(wire, deadline);
      return isApiServer
        ? list
        : unknown(`${describe(call)}: ${wire.connection.server.origin} is no Kubernetes API server`);
    },
  };
}

/**
 * Any Go program says "404 page not found". Before a resource counts as not installed, the server must have
 * shown once that it is a Kubernetes API server: a wrong address must not look like a cluster without LWS.
 */
async function tellsItsVersion(wire: Wire, deadline: Deadline): Promise<boolean> {
  const url = new URL(wire.connection.server);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/version`;
  const answer = await askApi(wire, url, deadline);
  if (answer.kind === 'failure' || answer.status !== 200) return false;
  const version = parsed(answer.body);
  return isRecord(version) && typeof version['gitVersion'] === 'string';
}
