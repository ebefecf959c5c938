/** Where the cluster is not what Git says of a delivery, next to the user's own workload: one field an object, for people. */

import { firstDifference } from '../../api/content-match.ts';
import { at, type JsonObject } from '../../api/json.ts';
import { absent, type Known, known, notAsked, unknown } from '../../api/known.ts';
import type { LiveLws } from '../../api/live.ts';
import type { LiveService } from '../../api/live-traffic.ts';
import { TEXT } from '../../api/marks.ts';
import { releaseContent } from '../../api/release-content.ts';
import { scalerFields } from '../../api/scaler.ts';
import { parseService, portMissing } from '../../api/service.ts';
import { isOneWorkload } from '../../api/styles.ts';
import { VERSION, versionIn } from '../../api/version-label.ts';
import type { ObjectRef } from '../edits/edit.ts';
import type { RouteDocument, RouteReading } from '../traffic/provider.ts';
import {
  annotationsOf,
  type Delivery,
  partitionIn,
  type RouteInUse,
  replicasOf,
  selectorOf,
  sidesOf,
} from './delivery.ts';
import { floorIn, floorWanted, isItsScaler } from './floor.ts';
import { rulesDiffer, type Sent } from './own-rules.ts';
import type { TrafficView } from './traffic-view.ts';

/** One field of one object: as Git has it, and as the cluster has it. An empty field: the object as a whole. */
export type LiveDifference = {
  readonly object: Pick<ObjectRef, 'kind' | 'name'>;
  readonly field: string;
  readonly git: string;
  readonly live: string;
};

/** The first field in which each object differs; `unknown`: one of them could not be read. */
export function differences(delivery: Delivery, view: TrafficView): Known<readonly LiveDifference[]> {
  const { service, canaryService } = view.traffic;
  const looks = [
    secondDiffers(delivery, view),
    labelDiffers(delivery, view),
    serviceDiffers(delivery.service, service),
    serviceDiffers(delivery.canaryService, canaryService),
    portsDiffer(delivery.canaryService, canaryService),
    scalerDiffers(delivery, view),
    ...delivery.routes.map((route) => routeDiffers(delivery, route, view)),
  ];
  const found: LiveDifference[] = [];
  for (const look of looks) {
    if (look.kind === 'unknown') return look;
    if (look.kind === 'known') found.push(look.value);
  }
  return known(found);
}

/** `absent`: no difference. */
type Look = Known<LiveDifference>;

function missing(object: ObjectRef): Look {
  return known({ object, field: '', git: 'there', live: 'not there' });
}

function secondDiffers({ second }: Delivery, { traffic }: TrafficView): Look {
  if (second === undefined) return absent;
  const { lws } = traffic.second;
  if (lws.kind === 'unknown') return lws;
  if (lws.kind === 'absent' || lws.value.deleting) return missing(second.object);
  const [field] = fieldsOf(second, lws.value).filter(({ git, live }) => git !== live);
  if (field !== undefined) return known({ object: second.object, ...field });
  const path = firstDifference(releaseContent(second.value), undefined, lws.value.content);
  if (path === undefined) return absent;
  return known({ object: second.object, field: `spec.${path}`, git: 'as in the file', live: 'another' });
}

/** No digest covers the label of the version, so that nothing else sees whether it is live. */
function labelDiffers(delivery: Delivery, { live }: TrafficView): Look {
  if (!isOneWorkload(delivery.plan.style)) return absent;
  if (live.lws.kind === 'unknown') return live.lws;
  if (live.lws.kind === 'absent') return missing(delivery.own.object);
  const [git, seen] = [versionIn(delivery.own.value) ?? 'missing', live.lws.value.version ?? 'missing'];
  return git === seen ? absent : known({ object: delivery.own.object, field: `label ${VERSION}`, git, live: seen });
}

function fieldsOf(second: RouteDocument, lws: LiveLws): readonly Omit<LiveDifference, 'object'>[] {
  const text = annotationsOf(second)[TEXT] ?? 'missing';
  return [
    { field: 'replicas', git: String(replicasOf(second)), live: String(lws.replicas) },
    { field: 'partition', git: String(partitionIn(second) ?? 0), live: String(lws.partition) },
    { field: 'maxSurge', git: '0', live: String(lws.maxSurge) },
    // An agent that applies this document applies its template: what the template has left out would not be seen otherwise.
    { field: `metadata.annotations.${TEXT}`, git: text, live: lws.annotations[TEXT] ?? 'missing' },
  ];
}

function serviceDiffers(document: RouteDocument | undefined, live: Known<LiveService>): Look {
  if (document === undefined) return absent;
  if (live.kind === 'unknown') return live;
  if (live.kind === 'absent' || live.value.deleting) return missing(document.object);
  const [wanted, there] = [selectorOf(document), live.value.selector];
  const key = [...Object.keys(wanted), ...Object.keys(there)].find((one) => wanted[one] !== there[one]);
  if (key === undefined) return absent;
  const [git, seen] = [wanted[key] ?? 'missing', there[key] ?? 'missing'];
  return known({ object: document.object, field: `spec.selector.${key}`, git, live: seen });
}

/** What is sent to the new version goes by its ports: one that the cluster does not have yet answers nobody. */
function portsDiffer(document: RouteDocument | undefined, live: Known<LiveService>): Look {
  if (document === undefined || live.kind !== 'known' || live.value.ports === undefined) return absent;
  const missed = portMissing(parseService(document.value).ports, live.value.ports);
  if (missed === undefined) return absent;
  return known({ object: document.object, field: `port ${missed.port}`, git: 'there', live: 'not there, or another' });
}

/** The floor that this delivery wants, or a lower one that people have written since, in its autoscaler and what KEDA makes of that. */
function scalerDiffers(delivery: Delivery, { live }: TrafficView): Look {
  const { scaler } = delivery;
  const least = floorWanted(delivery);
  if (scaler === undefined || least === undefined) return absent;
  const { scalers = notAsked('autoscalers were not read') } = live;
  if (scalers.kind !== 'known') return unknown(scalers.kind === 'unknown' ? scalers.why : 'autoscalers were not read');
  const its = scalers.value.filter((one) => isItsScaler(scaler, one));
  if (!its.some(({ kind }) => kind === scaler.object.kind)) return missing(scaler.object);
  const wanted = Math.min(least, floorIn(scaler));
  const low = its.find(({ floor }) => floor < wanted);
  if (low === undefined) return absent;
  const field = scalerFields(low.kind)?.floor.join('.') ?? '';
  return known({ object: low, field, git: String(wanted), live: String(low.floor) });
}

/** The share of one route, where it is another than Git's; `absent`: it is the same. */
export function routeDiffers(delivery: Delivery, route: RouteInUse, view: TrafficView): Known<LiveDifference> {
  const live = liveReading(delivery, route, view);
  if (live.kind === 'unknown') return live;
  if (live.kind === 'absent') return missing(route.route.object);
  const sent = { reading: readingOf(delivery, route), value: (route.canary ?? route.route).value };
  const [git, seen] = [sent.reading, live.value.reading].map(printReading);
  const { object } = route.route;
  if (git !== undefined && seen !== undefined && git !== seen)
    return known({ object, field: 'share', git, live: seen });
  if (!rulesDiffer(sent, live.value)) return absent;
  return known({ object, field: 'choice of requests', git: 'as in the file', live: 'another' });
}

/** What a route sends to each side, according to Git. */
function readingOf(delivery: Delivery, { provider, route, canary }: RouteInUse): RouteReading {
  return provider.read({ route, canary, displaced: [] }, sidesOf(delivery));
}

/** The same of the route that the cluster has; `absent`: it is not there. */
export function liveReading(delivery: Delivery, route: RouteInUse, view: TrafficView): Known<Sent> {
  const own = liveRoute(route.route, view);
  const copy = route.canary === undefined ? absent : liveRoute(route.canary, view);
  if (own.kind !== 'known') return own;
  if (copy.kind === 'unknown') return copy;
  const document = (value: JsonObject, of: RouteDocument): RouteDocument => ({ ...of, value });
  const canary = copy.kind === 'known' && route.canary !== undefined ? document(copy.value, route.canary) : undefined;
  const files = { route: document(own.value, route.route), canary, displaced: [] };
  return known({ reading: route.provider.read(files, sidesOf(delivery)), value: (canary ?? files.route).value });
}

/** The route of a document as the cluster has it. */
export function liveRoute({ object }: RouteDocument, { traffic }: TrafficView): Known<JsonObject> {
  const found = traffic.routes.find(({ kind, name }) => kind === object.kind && name === object.name);
  return found?.live ?? unknown(`${object.kind} ${object.name} was not read`);
}

/** `5%`, `5% and 2 rules`: what is compared, and what people are notified. */
export function printReading({ percent, ours, mirrors, subsets }: RouteReading): string {
  const rules = ours.length === 0 ? '' : ` and ${ours.length} ${ours.length === 1 ? 'rule' : 'rules'}`;
  const copies = mirrors.length === 0 ? '' : ` and ${mirrors.length} ${mirrors.length === 1 ? 'mirror' : 'mirrors'}`;
  return `${subsets ?? `${Number(percent.toFixed(4))}%`}${rules}${copies}`;
}

/** Whether the routes of both are of the same generation, as far as their objects say it. */
export function generationOf(live: JsonObject): number {
  const generation = at(live, ['metadata', 'generation']);
  return typeof generation === 'number' ? generation : 0;
}
