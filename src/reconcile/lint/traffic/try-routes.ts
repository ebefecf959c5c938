/** Tries on the user's own bytes every edit of Service and routes that a delivery needs, and the rollback. */

import type { Aside } from '../../../api/aside.ts';
import { percentOf } from '../../../api/int-or-percent.ts';
import { type Issue, oncePerLine } from '../../../api/issue.ts';
import { takesTurns } from '../../../api/styles.ts';
import type { KnownTexts } from '../../../manifests/known-texts.ts';
import { type ManifestDocument, parseManifestFile } from '../../../manifests/parse-file.ts';
import { applyEdits } from '../../../manifests/splice/apply-edits.ts';
import { displacedOf } from '../../../rollout/ladders/asides.ts';
import { canaryService } from '../../../rollout/traffic/canary-service.ts';
import type { Displaced, RouteEdits, Share } from '../../../rollout/traffic/provider.ts';
import { askedBy, type RouteTrial, type Trials } from '../../desired/trials.ts';
import { nameOf } from '../../documents/read-rollout.ts';
import { TRAFFIC_KINDS } from '../../documents/traffic-index.ts';
import { isRestored, type OpenRoute, openRoutes, sendsNothing } from './lint-routes.ts';
import type { TrafficFacts } from './traffic-facts.ts';
import { ofFault, trafficIssue } from './traffic-finding.ts';

/** Everything that could not be written, once for each place; what was tried on the same documents is not tried again. */
export function tryRoutes(facts: TrafficFacts, trials: Trials): readonly Issue[] {
  const on = [
    ...facts.services,
    ...openRoutes(facts).flatMap(({ files }) => [files.route, ...(files.canary === undefined ? [] : [files.canary])]),
  ].flatMap(asDocument(facts));
  const before = trials.routes.get(facts.rollout);
  const by = askedBy([facts.plan, asidesOf(facts)]);
  const isSame = before?.on.length === on.length && before.on.every((document, at) => document === on[at]);
  if (before?.by === by && isSame) return before.issues;
  const { known } = trials;
  const issues = oncePerLine([...tryService(facts, known), ...tryShares(facts, known), ...tryShared(facts)]);
  const trial: RouteTrial = { on, by, issues };
  trials.routes.set(facts.rollout, trial);
  return issues;
}

/** The documents as the index has them: the same object as long as the text is the same. */
function asDocument({
  index,
  namespace,
}: TrafficFacts): (one: { readonly object: ManifestDocument['object'] }) => readonly ManifestDocument[] {
  return ({ object }) => index.called(object.kind, { namespace, name: object.name });
}

type Texts = ReadonlyMap<string, string>;
type Tried = { readonly kind: 'ok'; readonly texts: Texts } | { readonly kind: 'refused'; readonly issue: Issue };

/** The texts after these edits, or the first that is refused. */
function tried(texts: Texts, edits: readonly RouteEdits[], known: KnownTexts): Tried {
  const after = new Map(texts);
  for (const { file, object, edits: list, copyOf } of edits) {
    const document = copyOf === undefined ? {} : { document: { kind: 'copy', of: copyOf, source: undefined } as const };
    const made = applyEdits(after.get(file) ?? '', { file, object, edits: list, ...document }, { known });
    if (made.kind === 'refused') return made;
    after.set(file, made.text);
  }
  return { kind: 'ok', texts: after };
}

function tryService({ services: [service], sides, index }: TrafficFacts, known: KnownTexts): readonly Issue[] {
  if (service === undefined || service.file.endsWith('.json') || sides.canary === sides.stable) return [];
  const { stable: of, canary: workload } = sides.workloads;
  if (
    parseManifestFile(service.file, index.texts.get(service.file) ?? '', TRAFFIC_KINDS, known).documents.some(
      ({ object }) => object.name === sides.canary && object.namespace === service.object.namespace,
    )
  )
    return [];
  const made = tried(index.texts, [canaryService(service, { name: sides.canary, workload, of, labels: {} })], known);
  return made.kind === 'ok' ? [] : [made.issue];
}

function tryShares(facts: TrafficFacts, known: KnownTexts): readonly Issue[] {
  const shares = sharesOf(facts);
  return openRoutes(facts)
    .filter(({ provider, files }) => isRestored(provider.read(files, facts.sides)))
    .filter((route) => !sendsNothing(route, facts.sides))
    .filter(({ provider, files }) => provider.survey(files, facts.sides).faults.length === 0)
    .flatMap((route) => tryRoute(facts, route, { shares, known }));
}

/** What the mark of the delivery says that routes were before their share. */
function asidesOf({ file }: TrafficFacts): readonly Aside[] {
  return file.workload.marks?.restore?.objects ?? [];
}

/** A route with a share was tried before it; its RouteProvider may be another since, and cannot write the next one. */
function tryShared(facts: TrafficFacts): readonly Issue[] {
  const { sides, index } = facts;
  const shared = openRoutes(facts).filter(
    ({ provider, files }) => provider.ownScale === true && !isRestored(provider.read(files, sides)),
  );
  return shared.flatMap(({ provider, files }) => {
    const displaced = displacedOf(asidesOf(facts), { routes: [files], scaler: undefined });
    return sharesOf(facts).flatMap((share) => {
      const made = provider.write({ ...files, displaced }, sides, share);
      const faults = made.kind === 'unwritable' ? made.faults : [];
      return faults.map((fault) => trafficIssue(ofFault(files.route, fault), index.texts));
    });
  });
}

/** Of every step, and what blueGreen ends with; each once, because what can be written once can be written again. */
function sharesOf({ plan }: TrafficFacts): readonly Share[] {
  const shares = plan.steps.flatMap(({ traffic, matches, requestHeaderModifier: modifier }): readonly Share[] => {
    if (matches.length > 0) return [{ kind: 'matches', matches, modifier }];
    return traffic === undefined ? [] : [{ kind: 'weight', percent: percentOf(traffic) ?? 0 }];
  });
  const whole: readonly Share[] = takesTurns(plan.style) ? [{ kind: 'weight', percent: 100 }] : [];
  const all = [...shares, ...whole];
  return all.filter((share, at) => all.findIndex((other) => JSON.stringify(other) === JSON.stringify(share)) === at);
}

type Stand = { readonly texts: Texts; readonly displaced: readonly Displaced[] };

/** One share after the other, as the steps do, and the route as written at the end: there the route must be what it was before the first. */
function tryRoute(
  facts: TrafficFacts,
  route: OpenRoute,
  { shares, known }: { readonly shares: readonly Share[]; readonly known: KnownTexts },
): readonly Issue[] {
  const { provider, files } = route;
  const prepared = tried(facts.index.texts, provider.prepare(files, facts.sides), known);
  if (prepared.kind === 'refused') return [prepared.issue];
  let stand: Stand = { texts: prepared.texts, displaced: [] };
  for (const share of [...shares, { kind: 'none' } as const]) {
    const made = step(facts, route, { stand, share, known });
    if ('issues' in made) return made.issues;
    stand = made;
  }
  const { file } = files.route;
  if (stand.texts.get(file) === prepared.texts.get(file)) return [];
  return [unlikeBefore(route, { before: prepared.texts.get(file) ?? '', after: stand.texts.get(file) ?? '' })];
}

/** The first line that would not come back as it is. */
function unlikeBefore(
  { files: { route } }: OpenRoute,
  texts: { readonly before: string; readonly after: string },
): Issue {
  const [before, after] = [texts.before.split('\n'), texts.after.split('\n')];
  const at = before.findIndex((line, place) => line !== after[place]);
  const [now, then] = [before[at] ?? '', after[at] ?? ''];
  return {
    file: route.file,
    line: at + 1,
    path: '',
    reason: 'NotRestorable',
    message: `${nameOf(route)}: the line reads ${JSON.stringify(now.trim())}, and after a delivery would read ${JSON.stringify(then.trim())}`,
    hint: 'Write the rule as plain YAML: each key on a line of its own, numbers in decimal, text on one line.',
  };
}

function step(
  { sides, index }: TrafficFacts,
  { provider, files }: OpenRoute,
  { stand, share, known }: { readonly stand: Stand; readonly share: Share; readonly known: KnownTexts },
): Stand | { readonly issues: readonly Issue[] } {
  const { object, file } = files.route;
  const now = (name: string, from: string) =>
    parseManifestFile(from, stand.texts.get(from) ?? '', [object.kind], known).documents.find(
      (one) => provider.isOf(one) && one.object.name === name && one.object.namespace === object.namespace,
    );
  const route = now(object.name, file) ?? files.route;
  const canary = now(`${object.name}-canary`, files.canary?.file ?? file);
  const made = provider.write({ route, canary, displaced: stand.displaced }, sides, share);
  if (made.kind === 'unwritable')
    return { issues: made.faults.map((fault) => trafficIssue(ofFault(files.route, fault), index.texts)) };
  const texts = tried(stand.texts, made.edits, known);
  return texts.kind === 'refused' ? { issues: [texts.issue] } : { texts: texts.texts, displaced: made.displaced };
}
