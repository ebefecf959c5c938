/** Lists in groups, each element looked at once: a folder may have as many documents of one name as somebody likes. */

/** The elements by what `keyOf` says of each, groups and elements in the order they come in. */
export function groupedBy<T, K>(all: Iterable<T>, keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}
