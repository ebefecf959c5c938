/** What the served cluster answers beyond objects: logs and events of its pods, and breaking a group for a fire drill. */

import type { Cluster } from '../simulator/cluster-model.ts';
import type { KubeObject } from '../simulator/objects/objects.ts';
import { PODS } from '../simulator/objects/resource-table.ts';
import type { PodCondition } from '../simulator/pods/pod-status.ts';
import { ok, type Reply, statusReply } from './api-server/reply.ts';
import type { ApiRequest } from './api-server/route.ts';
import { CRASH_LINE, podEvents, podLog } from './pod-voice.ts';

/** What may be done to a group: its leader crashes, stops answering, is deleted, or is well again. */
const DRILLS: ReadonlyMap<string, PodCondition | 'gone'> = new Map<string, PodCondition | 'gone'>([
  ['crash', { kind: 'crashing', restarts: 1 }],
  ['unready', { kind: 'unready' }],
  ['kill', 'gone'],
  ['ready', { kind: 'ready' }],
]);

/** `crash, unready, kill, ready`, for those who look for the words. */
export const DRILL_WORDS = [...DRILLS.keys()].join(', ');

type Model = Pick<Cluster, 'objects' | 'setPods' | 'kill' | 'settle'>;

/** Answers such requests; undefined: it is for the API server. Remembers which pods it let crash, as LWS puts new ones in their place. */
export function openDrill(model: Model): (request: ApiRequest) => Reply | undefined {
  const crashed = new Set<string>();
  return (request) => drillReply(model, crashed, request);
}

function drillReply(model: Model, crashed: Set<string>, request: ApiRequest): Reply | undefined {
  const parts = request.path.split('/').slice(1);
  if (parts[0] === 'drill') return drilled(model, crashed, { method: request.method, parts: parts.slice(1) });
  if (request.method !== 'GET' || parts[0] !== 'api' || parts[1] !== 'v1') return undefined;
  const [, , , namespace = '', kind = '', name = '', subresource = ''] = parts;
  if (parts[2] === 'events' && parts.length === 3) return events(model, '', request);
  if (parts[2] !== 'namespaces') return undefined;
  if (kind === 'events' && name === '') return events(model, namespace, request);
  if (kind !== 'pods' || subresource !== 'log') return undefined;
  const pod = model.objects.get({ resource: PODS, namespace, name });
  if (pod === undefined) return undefined;
  if (request.query.get('previous') !== 'true') return { status: 200, body: podLog(pod) };
  if (crashed.has(`${namespace}/${name}`)) return { status: 200, body: CRASH_LINE };
  const message = `previous terminated container "${name}" not found`;
  return statusReply(400, { message, reason: 'BadRequest' });
}

/** `POST /drill/NAMESPACE/NAME/GROUP/WORD`. */
function drilled(
  model: Model,
  crashed: Set<string>,
  { method, parts }: { readonly method: string; readonly parts: readonly string[] },
): Reply {
  const [namespace = '', name = '', group = '', word = ''] = parts;
  const say = (code: number, message: string): Reply => statusReply(code, { message, reason: 'BadRequest' });
  if (method !== 'POST') return say(405, 'wanted POST');
  const condition = DRILLS.get(word);
  if (condition === undefined || !/^[0-9]{1,4}$/.test(group))
    return say(400, `wanted POST /drill/NAMESPACE/NAME/GROUP/WORD, with one of ${DRILL_WORDS}`);
  const leader = { namespace, name, group: Number(group), pods: 'leader' } as const;
  if (word === 'crash') crashed.add(`${namespace}/${name}-${group}`);
  if (condition === 'gone') model.kill(leader);
  else model.setPods(leader, condition);
  return { status: 200, body: `${namespace}/${name}, group ${group}: ${word}\n` };
}

function events({ objects }: Model, namespace: string, { query }: ApiRequest): Reply {
  const wanted = (query.get('fieldSelector') ?? '').split(',');
  const fits = (field: string, value: string): boolean =>
    wanted.every((term) => !term.startsWith(`involvedObject.${field}=`) || term.endsWith(`=${value}`));
  const isWanted = ({ metadata: { name, uid } }: KubeObject): boolean => fits('name', name) && fits('uid', uid);
  return ok(podEvents(objects.list(PODS, namespace === '' ? undefined : namespace).filter(isWanted)));
}
