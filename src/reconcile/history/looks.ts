/** Looks at places of a line, several at once: what one look waits for, the next ones wait for with it. */

/** How many places are looked at first that a name points to. */
const NAMED_AT_ONCE = 8;
/** How many longer strides are looked at with the next one. */
const STRIDES_AT_ONCE = 4;
/** And how many halvings with the next one: of each, whichever half it turns out to be. */
const HALVINGS_AT_ONCE = 3;

/**
 * The last place of a run that starts with place 0, and the first after it, in a line of this length. Looked at first are
 * `named`, in ascending order, and the places after them: only where to look. From there on the strides get longer, then
 * what is between is halved. Looks that turn out not to be wanted change nothing, not even where they fail. undefined: it
 * does not hold in place 0.
 */
export async function runOf(
  length: number,
  holds: (place: number) => Promise<boolean>,
  named: readonly number[] = [],
): Promise<Edge | undefined> {
  const looks = new Map<number, Promise<boolean>>();
  const look = (place: number): Promise<boolean> => {
    const found = looks.get(place) ?? (place < length ? holds(place) : Promise.resolve(false));
    looks.set(place, found);
    // Reported to those who want it.
    found.catch(() => undefined);
    return found;
  };
  const first = placesFor(named.slice(0, NAMED_AT_ONCE));
  for (const place of first) void look(place);
  if (!(await look(0))) return undefined;
  let { inside, outside }: Edge = await edgeAt(first, length, look);
  const start = inside;
  for (let stride = 1; start + stride < outside; stride = longer(stride)) {
    if (!looks.has(start + stride)) for (const place of strides(start, stride, outside)) void look(place);
    if (await look(start + stride)) inside = start + stride;
    else outside = start + stride;
  }
  while (outside - inside > 1) {
    const probe = middle(inside, outside);
    if (!looks.has(probe)) for (const place of halvings(inside, outside, HALVINGS_AT_ONCE)) void look(place);
    if (await look(probe)) inside = probe;
    else outside = probe;
  }
  return { inside, outside };
}

/** Those that are named, what is after them, and all strides to there: no name leads past the end of a run that they find. */
function placesFor(named: readonly number[]): readonly number[] {
  const places = new Set(named.flatMap((place) => [place, place + 1]));
  const last = named.at(-1) ?? 0;
  for (let stride = 1; stride < last; stride = longer(stride)) places.add(stride);
  return [...places].sort((a, b) => a - b);
}

/** Between them a run ends: it holds inside, and no longer outside. */
type Edge = { readonly inside: number; readonly outside: number };

/** Where it ends, as far as these places, in ascending order, tell. */
async function edgeAt(
  places: readonly number[],
  length: number,
  look: (place: number) => Promise<boolean>,
): Promise<Edge> {
  let inside = 0;
  for (const place of places) {
    if (!(await look(place))) return { inside, outside: Math.min(place, length) };
    inside = place;
  }
  return { inside, outside: length };
}

function longer(stride: number): number {
  return 2 * stride + 1;
}

function middle(inside: number, outside: number): number {
  return Math.floor((inside + outside) / 2);
}

function strides(start: number, first: number, before: number): readonly number[] {
  const places: number[] = [];
  for (let stride = first; start + stride < before && places.length < STRIDES_AT_ONCE; stride = longer(stride))
    places.push(start + stride);
  return places;
}

function halvings(inside: number, outside: number, levels: number): readonly number[] {
  if (levels === 0 || outside - inside <= 1) return [];
  const at = middle(inside, outside);
  return [at, ...halvings(inside, at, levels - 1), ...halvings(at, outside, levels - 1)];
}
