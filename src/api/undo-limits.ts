/** How far back `tranche undo` goes, and for how long, where no policy says otherwise. */

/** How many settled releases before the present one are looked for at most, and no policy grants more. */
export const UNDO_LIMIT = 10;

/** Without a policy: the release that settled directly before, and for a day. */
export const UNDO_DEFAULTS = { undo: 1, undoWithinSeconds: 86_400 } as const;

type UndoField = keyof typeof UNDO_DEFAULTS;
type UndoRules = { readonly [K in UndoField]?: number | undefined };

/** The fields of these rules that allow more than there is without a policy: they grant, and others only refuse. */
export function undoGrants(rules: UndoRules): readonly UndoField[] {
  const fields: readonly UndoField[] = ['undo', 'undoWithinSeconds'];
  return fields.filter((field) => (rules[field] ?? 0) > UNDO_DEFAULTS[field]);
}

/** What rules come to, with the defaults for what they do not state. */
export function undoRules(rules: UndoRules): { readonly [K in UndoField]: number } {
  const { undo, undoWithinSeconds } = UNDO_DEFAULTS;
  return { undo: rules.undo ?? undo, undoWithinSeconds: rules.undoWithinSeconds ?? undoWithinSeconds };
}
