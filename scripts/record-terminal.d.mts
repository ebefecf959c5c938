/** What the clock says all the time, in milliseconds. */
export const AT: number;

/** Runs the lines one after the other by `run`, which gives what a line prints, and removes the folder of the demo. */
export function record(
  run: (line: string) => string | Promise<string>,
): Promise<{ readonly cast: string; readonly svg: string }>;
