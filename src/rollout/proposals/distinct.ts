/** Whether people are enough for several requirements at once, where who counts for a distinct one counts for no other. */

export type Need = {
  readonly people: number;
  /** Who counts for it counts for nothing else. */
  readonly isDistinct: boolean;
  /** Those who count for it, each once. */
  readonly logins: readonly string[];
};

/** People who count for the same requirements: any of them is as good as another. */
type Alike = { readonly serves: readonly number[]; readonly left: number };

/** Ways that are tried: more people and requirements than anybody writes. Where none was found by then, they are not enough. */
const TRIES_MOST = 100_000;

/** Whether all can be met at once. Requirements that are not distinct share people among themselves. */
export function enoughPeople(needs: readonly Need[]): boolean {
  const slots = needs.flatMap(({ people, isDistinct }, at) =>
    isDistinct ? Array.from({ length: people }, () => at) : [],
  );
  let tries = 0;
  const place = (slot: number, from: number, kinds: readonly Alike[]): boolean => {
    tries += 1;
    if (tries > TRIES_MOST) return false;
    const need = slots[slot];
    if (need === undefined) return needs.every((one, at) => one.isDistinct || countOf(kinds, at) >= one.people);
    return kinds.some((kind, at) => {
      if (at < from || kind.left === 0 || !kind.serves.includes(need)) return false;
      const rest = kinds.with(at, { ...kind, left: kind.left - 1 });
      // Of one requirement the order of its people is nothing: each way once.
      return place(slot + 1, slots[slot + 1] === need ? at : 0, rest);
    });
  };
  return place(0, 0, kindsOf(needs));
}

function countOf(kinds: readonly Alike[], need: number): number {
  return kinds.reduce((sum, { serves, left }) => sum + (serves.includes(need) ? left : 0), 0);
}

function kindsOf(needs: readonly Need[]): readonly Alike[] {
  const kinds = new Map<string, Alike>();
  for (const login of new Set(needs.flatMap(({ logins }) => logins))) {
    const serves = needs.flatMap(({ logins }, at) => (logins.includes(login) ? [at] : []));
    kinds.set(serves.join(), { serves, left: (kinds.get(serves.join())?.left ?? 0) + 1 });
  }
  return [...kinds.values()];
}
