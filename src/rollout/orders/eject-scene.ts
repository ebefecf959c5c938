/** What handing a workload back is planned on, and the edits that it is made of. */

import { INTENT } from '../../api/intents.ts';
import type { JsonObject } from '../../api/json.ts';
import { MADE_FOR, MARK, TEXT } from '../../api/marks.ts';
import type { Edit, EditPath, ObjectEdits } from '../edits/edit.ts';
import type { Snapshot } from '../snapshot.ts';

/** What someone wants of it. */
export type EjectWish = {
  /** Put the stable template back first. */
  readonly abort: boolean;
  /** undefined: 0, where nothing is in flight. */
  readonly partition: number | undefined;
  /** blueGreen: the second LeaderWorkerSet that serves stays the one that does. Not there: it does not. */
  readonly asIs?: boolean;
};

/** A document that we have made for a workload, or an item that we have made in a document of people's. */
export type MadeDocument = Pick<ObjectEdits, 'file' | 'object'> & {
  /** Not there: the whole document is ours. */
  readonly item?: { readonly path: EditPath; readonly called: string };
  /** Those that Git asks for; 0 where it is no LeaderWorkerSet. */
  readonly groups: number;
  /** What its groups restart for where it is changed, with the label `tranche.dev/version` of its leaders. Not there: it is no LeaderWorkerSet. */
  readonly template?: { readonly content: JsonObject; readonly version: string | undefined };
  /** Documents of people that name it, as `HTTPRoute chat`. */
  readonly namedBy: readonly string[];
};

/** The target without the cluster, and what we have made for it. */
export type EjectScene = { readonly snapshot: Snapshot; readonly made: readonly MadeDocument[] };

function gone(key: string): Edit {
  return { kind: 'remove', path: ['metadata', 'annotations', key] };
}

/**
 * The user's own workload without any annotation of ours, whichever it has: a reverted commit may have brought back some
 * that the last one had taken out. The version label stays: it is in the template, and without it groups would restart.
 */
export const UNMARKED: readonly Edit[] = [...Object.values(MARK), MADE_FOR, TEXT, INTENT.abort].map(gone);

/** A document that is nobody's copy any more. */
export const UNMADE: readonly Edit[] = [MADE_FOR, TEXT].map(gone);

/** What we have made goes out of its files. */
export function deleted(made: readonly MadeDocument[]): readonly ObjectEdits[] {
  return made.map(({ file, object, item }) =>
    item === undefined
      ? { file, object, edits: [], document: { kind: 'delete' } }
      : { file, object, edits: [{ kind: 'removeItem', path: item.path }] },
  );
}

/** The Rollout, where there still is one, asks for nothing any more, and no order stays on it. */
export function disabling({ rollout }: Snapshot): readonly ObjectEdits[] {
  if (rollout === undefined) return [];
  const { file, object } = rollout;
  const disabled: readonly Edit[] = rollout.rollout.disabled
    ? []
    : [{ kind: 'set', path: ['spec', 'disabled'], value: true }];
  return [{ file, object, edits: [...disabled, ...Object.values(INTENT).map(gone)] }];
}

/** What is left to people: a Rollout that is enabled again takes the workload over again; and which annotations did not count. */
export function afterwards({ rollout, warnings }: Snapshot): { readonly next?: string } {
  const forged = warnings
    .filter(({ reason }) => reason === 'MarkNotBorneOut')
    .map(({ file, line, message, hint }) => `${file}:${line}: ${message}. ${hint}`);
  const enabled =
    rollout === undefined
      ? []
      : [
          `No pass looks at it any more. Delete the Rollout in ${rollout.file}: it is disabled, and once somebody enables it the workload is taken over again`,
        ];
  const said = [...forged, ...enabled];
  return said.length === 0 ? {} : { next: said.join(' ') };
}

/** `, without vllm-canary and vllm-svc-canary`, for the commit. */
export function without(made: readonly MadeDocument[]): string {
  return made.length === 0
    ? ''
    : `, without ${made.map(({ object, item }) => (item === undefined ? object.name : itemName(object, item))).join(' and ')}`;
}

/** What stands in the way, as people find it: `Service vllm-svc-canary`, `the subset canary of DestinationRule chat`. */
export function madeName({ object, item }: MadeDocument): string {
  return item === undefined ? `${object.kind} ${object.name}` : itemName(object, item);
}

function itemName({ kind, name }: MadeDocument['object'], { called }: NonNullable<MadeDocument['item']>): string {
  return `${called} of ${kind} ${name}`;
}
