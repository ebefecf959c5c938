/** One rollout: snapshot, plan, and the diff that the plan makes. What goes wrong with it stays with it. */

import type { Issue } from '../api/issue.ts';
import { jsonEqual } from '../api/json.ts';
import type { CustomKind } from '../api/route-provider.ts';
import { type KnownTexts, newKnownTexts } from '../manifests/known-texts.ts';
import { isKustomizationFile, parseManifestFile } from '../manifests/parse-file.ts';
import type { FileWrite } from '../ports/git.ts';
import { explain } from '../ports/port-error.ts';
import type { ObjectChange } from '../rollout/edits/change.ts';
import { editsOf } from '../rollout/edits/change-edits.ts';
import { hold } from '../rollout/hold.ts';
import { nowBetween } from '../rollout/ladders/traffic-view.ts';
import { type Plan, plan, planHeld, planWaiting } from '../rollout/plan.ts';
import { unproven } from '../rollout/proposals/evidence.ts';
import { judge } from '../rollout/proposals/judge.ts';
import { asksOf } from '../rollout/proposals/requirements.ts';
import { notesOf, pausedForApproval, standing } from '../rollout/proposals/standing.ts';
import type { Snapshot } from '../rollout/snapshot.ts';
import { analysesAsked } from './analysis/ask-analyses.ts';
import { approvalFound } from './history/approval-in-history.ts';
import { borneOut, drainProven } from './history/borne-out.ts';
import { withMarksWhole } from './history/marks-whole.ts';
import type { Observation } from './history/observation.ts';
import { promotionProven } from './history/promotion-in-history.ts';
import { besidePutBack } from './history/put-back.ts';
import { requestProven } from './history/request-in-history.ts';
import { restProven } from './history/rest-in-history.ts';
import { observe, withItsDocuments } from './observe/observe.ts';
import type { Reconciled } from './outcome.ts';
import { caseOf } from './proposals/case.ts';
import { NO_BUILDER } from './roots/no-builder.ts';
import type { TextsAt } from './texts-at.ts';
import { notAllowed } from './write/allowed.ts';
import { checkStep } from './write/check-step.ts';
import { render } from './write/render.ts';

/** `texts` are the files as earlier steps of this push leave them. Never throws. */
export async function reconcileOne(given: Observation, read: TextsAt): Promise<Reconciled> {
  const { entry, desired } = given;
  const nothing = { key: entry.key, diff: '', texts: {}, written: undefined, writes: [] };
  let snapshot: Snapshot | undefined;
  try {
    const once = await withMarksWhole(given.git, { entry, texts: read, known: desired.trials.known });
    const texts = once?.texts ?? read;
    const of =
      once === undefined
        ? given
        : {
            ...given,
            entry: once.entry,
            desired: { ...desired, texts: new Map([...desired.texts, [once.file, once.text]]) },
          };
    snapshot = await observe(of);
    let decided = decide(snapshot, texts, of.desired.trials.known);
    // A drain that was forged is over first: then the plan is one that goes by other marks. Its approval is named at last.
    for (const ask of [
      drainProven,
      analysesAsked,
      promotionProven,
      besidePutBack,
      restProven,
      borneOut,
      requestProven,
      approvalFound,
    ]) {
      const proven = await ask(of, snapshot, decided.plan);
      if (proven === undefined) continue;
      snapshot = await withItsDocuments(of, snapshot, proven);
      decided = decide(snapshot, texts, of.desired.trials.known);
    }
    const wrong = await builtOtherwise(of, decided, texts);
    if (wrong !== undefined) decided = { plan: refusedPlan(decided.plan, snapshot, wrong), diff: '', writes: [] };
    const diff = decided.writes.some(({ path }) => path === once?.file)
      ? `${once?.diff ?? ''}${decided.diff}`
      : decided.diff;
    return { ...nothing, snapshot, ...decided, diff, texts: textsOf(decided.plan, texts), error: undefined };
  } catch (error) {
    return { ...nothing, snapshot, plan: undefined, error: explain(error) };
  }
}

/** What kustomize would make of a commit that is not what it says; loaded where kustomize builds the workload alone. */
async function builtOtherwise(
  { entry, builder }: Observation,
  drawn: Drawn,
  before: TextsAt,
): Promise<Issue | undefined> {
  const { over } = entry;
  const { writes } = drawn;
  const { commit } = drawn.plan;
  if (over === undefined || commit === undefined || writes.length === 0) return undefined;
  const { checkBuilt } = await import('./write/check-built.ts');
  return checkBuilt(commit.changes, { over, before, writes, builder: builder ?? NO_BUILDER, way: commit.way });
}

/** The pure part: the same for a pass, for `plan`, and for a replay of a saved snapshot. */
export function decide(snapshot: Snapshot, texts: TextsAt, known = newKnownTexts()): Drawn {
  return draw(approved(plan(snapshot), snapshot), snapshot, { texts, known });
}

/** A commit that main has an order for is one like any other; without it, it waits, as the record knows. */
function approved(planned: Plan, snapshot: Snapshot): Plan {
  const { commit } = planned;
  if (commit?.delivery !== 'proposal') return planned;
  const drafted = caseOf(snapshot, planned);
  const { isGiven } = drafted;
  const missing = isGiven ? unproven(snapshot, commit.label) : undefined;
  if (missing !== undefined) return planWaiting(planned, snapshot, missing);
  if (isGiven) return { ...planned, commit: { ...commit, delivery: 'commit' } };
  const proposal = snapshot.record?.proposal;
  const unheard = {
    view: { kind: 'unknown' },
    isGateRequired: false,
    isUnguarded: false,
    hasConflict: false,
  } as const;
  const unasked = { ...drafted, ...unheard, known: proposal, now: snapshot.now, ...nowBetween(snapshot) };
  const of = {
    label: commit.label,
    key: snapshot.key,
    proposal,
    waits: '',
    asks: asksOf(snapshot),
    notes: notesOf(snapshot),
  };
  const reason = standing(judge(unasked), of) ?? pausedForApproval(of);
  return planWaiting(planned, snapshot, reason);
}

/** A plan, and what it writes on the texts at hand. */
type Drawn = { readonly plan: Plan; readonly diff: string; readonly writes: readonly FileWrite[] };

type On = { readonly texts: TextsAt; readonly known: KnownTexts };

/** What a plan writes on these texts; where that cannot be, the plan holds. */
export function draw(planned: Plan, snapshot: Snapshot, { texts, known }: On): Drawn {
  if (planned.commit === undefined) return { plan: planned, diff: '', writes: [] };
  const refused = (issue: Issue): Drawn => ({ plan: refusedPlan(planned, snapshot, issue), diff: '', writes: [] });
  const { way } = planned.commit;
  const changes = planned.commit.changes.filter((change) => !isListed(change, { texts, known }));
  // No spelling of somebody's keeps a brake or a rollback waiting.
  const rendered = render(editsOf(changes), texts, { known, aliases: way === 'forward' ? 'refuse' : 'writeOut' });
  if (rendered.kind === 'refused') return refused(rendered.issue);
  const { writes } = rendered;
  const issue =
    checkStep(changes, { before: texts, writes, known }) ??
    notAllowed(writes, { before: texts, customs: customsOf(snapshot), known });
  return issue === undefined ? { plan: planned, diff: rendered.diff, writes: rendered.writes } : refused(issue);
}

/** The entry of a kustomization that applies our patches: of two workloads of one folder the first has brought it. */
function isListed(change: ObjectChange, { texts, known }: On): boolean {
  if (change.kind !== 'exact' || !isKustomizationFile(change.file)) return false;
  const { documents } = parseManifestFile(change.file, texts.get(change.file) ?? '', [change.object.kind], known);
  return documents.some(({ value }) => jsonEqual(value, change.to));
}

/** The kinds of its routes that RouteProviders describe. */
function customsOf({ ladder }: Snapshot): readonly CustomKind[] {
  return (ladder?.routes ?? []).flatMap(({ ref }) => ref.custom ?? []);
}

/** What a replay needs in addition to the snapshot. */
function textsOf({ commit }: Plan, texts: TextsAt): Readonly<Record<string, string>> {
  const files = commit?.changes.map((change) => change.file) ?? [];
  return Object.fromEntries(files.map((file) => [file, texts.get(file) ?? '']));
}

function refusedPlan(planned: Plan, snapshot: Snapshot, issue: Issue): Plan {
  const place = issue.line > 0 ? `${issue.file}:${issue.line}` : issue.file;
  return planHeld(
    planned,
    { ...snapshot, issues: [...snapshot.issues, issue] },
    hold('Stalled', { seen: `${place}: ${issue.message}`, action: issue.hint }),
  );
}
