/** The move of a rung: its marks, its changes of objects, and what it says. */

import { samePath } from '../../api/field.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import type { Marks } from '../../api/marks.ts';
import { longestDrain, type Restore, withAside } from '../../api/restore.ts';
import { takesTurns } from '../../api/styles.ts';
import { REPLICAS_PATH } from '../../api/workload-paths.ts';
import type { ObjectEdits } from '../edits/edit.ts';
import { hold } from '../hold.ts';
import { type Decision, holding, type Move, type MoveReason, moving, wayOf } from '../move.ts';
import type { Stable } from '../snapshot.ts';
import { advice, lastLeft } from '../texts/advice.ts';
import { asidesOfRoutes, floorsLost, routesLost } from './asides.ts';
import { changesOf } from './changes.ts';
import type { Delivering } from './delivering-facts.ts';
import { canarySide, type Delivery, greenServes, routingOf } from './delivery.ts';
import { floorOf } from './floor.ts';
import type { NextCommit } from './next-commit.ts';
import { sameStage } from './position.ts';
import { rungLabel, rungWhy } from './rung-words.ts';

type RungMove = {
  readonly reason: MoveReason;
  /** Those of the delivery, whose step, rung and fields put aside the rung then says. */
  readonly marks: Marks;
  /** Said before why the rung is climbed. */
  readonly because?: string;
  /** Said behind it, with a space before. */
  readonly seen?: string;
  /** Said in the place of all. */
  readonly why?: string | undefined;
  /** The template that takes the place of the file's. */
  readonly text?: Stable | undefined;
  readonly label?: string | undefined;
};

/** The move that writes it; undefined: what it changes cannot be worked out. */
function moveOf(on: Delivering, next: NextCommit, to: RungMove): Move | undefined {
  const { situation, delivery } = on;
  const marks = marksOn(on, next, to);
  const { text } = to;
  const content = { digest: text?.release.digest ?? situation.digest, source: text?.text };
  const changes = changesOf(delivery, next.objects, { marks: { from: situation.workload.marks, to: marks }, content });
  if (changes === undefined) return undefined;
  return {
    reason: to.reason,
    way: wayOf(to.reason, changes),
    label: to.label ?? rungLabel(delivery, next),
    marks,
    changes,
    why:
      to.why ??
      `${[to.because, rungWhy(delivery, next)].filter((part) => part !== undefined).join(' ')}${to.seen ?? ''}`,
  };
}

/** The same as a whole decision. */
export function climbed(on: Delivering, next: NextCommit, to: RungMove & { readonly done?: boolean }): Decision {
  const move = moveOf(on, next, to);
  const state = next.at === 'settled' ? 'Completed' : next.at === 'traffic' ? 'StepTrafficRouting' : 'StepUpgrade';
  if (move === undefined) return holding([notClear(on, next.objects)], 'StepUpgrade');
  return moving(move, state, [], to.done ?? false);
}

/** A settled workload has no step, no rung and nothing put aside. */
function marksOn({ situation, delivery }: Delivering, next: NextCommit, to: RungMove): Marks {
  const { stage, at, displaced } = next;
  const { marks } = to;
  const { at: _, step: __, restore: ___, serves: ____, ...others } = marks;
  const serves = servesAfter(delivery, { stage, at }, marks);
  const rest = { ...others, ...(serves === undefined ? {} : { serves }) };
  if (at === 'settled') return { ...rest, step: undefined, restore: undefined };
  const plans = situation.snapshot.ladder?.plans ?? [];
  // A step in progress keeps the plan that its rungs were written by: an edit of it is answered by a commit of its own.
  const written = sameStage(marks.step, stage) && to.reason !== 'StepsEdited' ? marks.restore?.plan : undefined;
  const plan = stage.kind === 'step' ? (written ?? plans[stage.index - 1]) : (marks.restore?.plan ?? plans.at(-1));
  const kept = marks.restore?.objects ?? [];
  const lost = [...floorsLost(kept, delivery.scaler), ...routesLost(kept, delivery.routes)];
  const objects = [...asidesOfRoutes(displaced), ...lost];
  const groups = groupsIn(delivery, next) ?? marks.restore?.groups;
  const least = at === 'template' ? floorOf(delivery) : marks.restore?.least;
  const drain = longestDrain(marks.restore, situation.snapshot.policy);
  const { style } = delivery.plan;
  const now: Partial<Restore> = {
    style,
    routing: marks.restore?.routing ?? routingOf(delivery),
    plan,
    groups,
    least,
    objects: objects.length === 0 ? undefined : objects,
    ...drain,
  };
  const floor = stage.kind === 'promote' && at === 'primary' ? { floor: 0 } : {};
  return { ...rest, step: stage, at, restore: withAside(marks.restore, { ...now, ...floor }) };
}

/** The groups of the side that is filled, where this commit writes them. */
function groupsIn(delivery: Delivery, { objects }: NextCommit): number | undefined {
  const side = canarySide(delivery)?.object.name;
  const edits = objects
    .filter(({ object }) => object.kind === LWS_KIND && object.name === side)
    .flatMap((one) => one.edits);
  const found = edits.findLast((edit) => edit.kind === 'set' && samePath(edit.path, REPLICAS_PATH));
  return found?.kind === 'set' && typeof found.value === 'number' ? found.value : undefined;
}

/** blueGreen: the colour that was filled serves from the end of its promotion on, or of the rollback that filled it. */
function servesAfter(
  delivery: Delivery,
  { stage, at }: Pick<NextCommit, 'stage' | 'at'>,
  marks: Marks,
): Marks['serves'] {
  const isFilled = stage.kind === 'promote' || marks.restore?.undone !== undefined;
  const isOver = at === 'settled' && isFilled && takesTurns(delivery.plan.style);
  if (!isOver) return marks.serves;
  return greenServes(delivery) ? undefined : 'green';
}

/** What an object would be after a commit cannot be worked out, so that nobody could check it. */
export function notClear({ delivery }: Delivering, objects: readonly ObjectEdits[]) {
  const named = objects.map(({ object }) => `${object.kind} ${object.name}`);
  return hold('CanaryEdited', {
    seen: `what ${named.join(', ')} would be after the next rung of ${delivery.plan.name} cannot be known from the files`,
    action: advice`Put them back ${lastLeft(
      'as the last commit of tranche left them',
      objects.map(({ file }) => file),
    )}`,
  });
}

/** A route that cannot hold what a rung writes. Where an issue says so with its line, that is what is said. */
export function unwritable(
  { situation, delivery }: Delivering,
  {
    route,
    faults,
  }: {
    readonly route: { readonly file: string };
    readonly faults: readonly { readonly reason: string; readonly message: string; readonly hint: string }[];
  },
): Decision {
  const [fault] = faults;
  const issue = situation.snapshot.issues.find(({ reason, file }) => reason === fault?.reason && file === route.file);
  const held =
    issue === undefined
      ? hold('CanaryEdited', {
          seen: `${route.file}: ${fault?.message ?? `the route cannot hold the next share of ${delivery.plan.name}`}`,
          action: fault?.hint ?? advice`Put it back ${lastLeft('as the last commit of tranche left it', [route.file])}`,
        })
      : hold('Stalled', { seen: `${issue.file}:${issue.line}: ${issue.message}`, action: issue.hint });
  return holding([held], 'StepTrafficRouting');
}
