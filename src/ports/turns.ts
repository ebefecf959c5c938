/** How many of several things go on at a time. */

/** Lets no more than `most` go on at a time; the others wait in the order in which they came. Rejects as what it runs does. */
export function turns(most: number): <T>(run: () => Promise<T>) => Promise<T> {
  let open = most;
  const waiting: (() => void)[] = [];
  return async (run) => {
    if (open === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else open -= 1;
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) open += 1;
      else next();
    }
  };
}
