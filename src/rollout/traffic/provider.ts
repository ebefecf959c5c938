/** What a kind of route must be able to do: say what it sends to the new version, send a share of it, and go to stable. */

import type { FieldFault } from '../../api/field-reader.ts';
import type { JsonObject } from '../../api/json.ts';
import type { RouteRef } from '../../api/rollout-traffic.ts';
import type { RouteWord } from '../../api/route-status.ts';
import type { HeaderModifier, StepMatch } from '../../api/step-traffic.ts';
import type { Edit, EditPath, ObjectRef } from '../edits/edit.ts';

/** Both sides, as routes name them. */
export type Sides = {
  /** The name of the Rollout: rules of ours start with it. */
  readonly owner: string;
  readonly backend: 'Service' | 'InferencePool';
  readonly stable: string;
  /** The same name where subsets of one Service tell the versions apart. */
  readonly canary: string;
  readonly workloads: { readonly stable: string; readonly canary: string };
  /** Of all of these, for routes whose document leaves it out; not there: nobody has said it. */
  readonly namespace?: string;
};

/** What a route sends to the new version: a share of all requests, those that match, or none (it is restored). */
export type Share =
  | { readonly kind: 'weight'; readonly percent: number }
  | {
      readonly kind: 'matches';
      readonly matches: readonly StepMatch[];
      readonly modifier: HeaderModifier | undefined;
    }
  | { readonly kind: 'none' };

/** A document of the user's files. */
export type RouteDocument = { readonly file: string; readonly object: ObjectRef; readonly value: JsonObject };

/** A field as it was before our first edit; undefined: absent. */
export type Displaced = {
  readonly object: ObjectRef;
  readonly path: EditPath;
  readonly was: number | string | undefined;
  readonly set: number | string;
};

/** A route, the document that was made of it where its kind needs one, and what was put aside of both. */
export type RouteFiles = {
  readonly route: RouteDocument;
  readonly canary: RouteDocument | undefined;
  readonly displaced: readonly Displaced[];
};

export type RouteReading = {
  /** The largest share of a rule that the new version gets, in per cent of what the rule takes. */
  readonly percent: number;
  /** Rules that send to the new version alone. */
  readonly ours: readonly EditPath[];
  /** Every other field that names the new version's Service, such as a mirror. */
  readonly mirrors: readonly EditPath[];
  /** The subsets that others may send to, for a kind that itself sends nothing. */
  readonly subsets?: string;
  /** Some requests go to the stable version. */
  readonly stable: boolean;
};

/** New fields, and what they displaced: all of it, what was put aside before included. */
export type Written = {
  readonly kind: 'ok';
  readonly edits: readonly RouteEdits[];
  readonly displaced: readonly Displaced[];
};

export type RouteEdits = {
  readonly file: string;
  readonly object: ObjectRef;
  readonly edits: readonly Edit[];
  /** The document is made first, as a copy of that of this object. */
  readonly copyOf?: ObjectRef;
};

export type Unwritable = { readonly kind: 'unwritable'; readonly faults: readonly FieldFault[] };

/** How long a request may take, in seconds: `unset` where nothing says so, 0 where it has no end. */
export type Timeout = { readonly at: readonly string[]; readonly seconds: number | 'unset' | 'unreadable' };

/** Where a rule of the route sends requests of the stable Service, for those who look for what would harm. */
export type StableRule = {
  /** Keys of the place that names the port of the Service, or would name it. */
  readonly portAt: readonly string[];
  /** The port of the Service that is meant: its number or its name; undefined: the route names none. */
  readonly port: number | string | undefined;
  /** It stands inside of a text, so that a patch cannot set it alone. */
  readonly portInText: boolean;
  /** A route may leave the port out where the Service has one only. */
  readonly portOptional: boolean;
  /** How long a request may take; undefined: routes of this kind cannot say it. */
  readonly timeout: Timeout | undefined;
};

/** What is wrong, and edits of the route that mend it, where the file says what they are. */
export type RouteFault = FieldFault & { readonly mend?: readonly Edit[] };

export type RouteSurvey = {
  /** Rules with the stable Service as a backend. */
  readonly rules: readonly StableRule[];
  /** What keeps a share from being what it says, whatever the share. */
  readonly faults: readonly RouteFault[];
};

export type TrafficProvider = {
  readonly kind: string;
  /** Whether a document is of this kind, by its API group too. */
  readonly isOf: (document: { readonly object: ObjectRef }) => boolean;
  /** Whether the Rollout means this provider when it names a route. */
  readonly isNamed: (ref: RouteRef) => boolean;
  /** The share stands in a document of its own, which is a copy. */
  readonly copies: boolean;
  /** Its numbers need not make 100: only its reading says what a share is. Not there: they do. */
  readonly ownScale?: true;
  /** What a share needs of its gateway, and no file shows: reported, nothing waits for it. */
  readonly caution?: RouteFault;
  /** How the rules look that send requests to the stable Service. */
  readonly survey: (files: RouteFiles, sides: Sides) => RouteSurvey;
  /** What it sends to the new version, no matter who wrote it. */
  readonly read: (files: RouteFiles, sides: Sides) => RouteReading;
  /** What controllers say of it in the cluster, of the object as it is there: nothing for kinds that have no status. */
  readonly words: (live: JsonObject) => readonly RouteWord[];
  /** What must be there before the first share, and stays: nothing for kinds that need nothing. */
  readonly prepare: (files: RouteFiles, sides: Sides) => readonly RouteEdits[];
  /** The edits after which it sends this share, and no other. None where it does already. */
  readonly write: (files: RouteFiles, sides: Sides, share: Share) => Written | Unwritable;
};

/** Controllers of this kind write no word into its status. */
export const wordless: Pick<TrafficProvider, 'words'> = { words: () => [] };

/** Tells documents and names of a kind by its API group. */
export function ofGroup(group: string, kind: string): Pick<TrafficProvider, 'kind' | 'isOf' | 'isNamed'> {
  return {
    kind,
    isOf: ({ object }) => object.kind === kind && object.apiVersion.startsWith(`${group}/`),
    isNamed: (ref) => ref.kind === kind && ref.group === group,
  };
}
