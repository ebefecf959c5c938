/** One source with one decision changed. */
export type Patch = {
  readonly name: string;
  readonly file: string;
  /** Must be there exactly once. */
  readonly from: string;
  readonly to: string;
};

export function writeBundle(of: {
  readonly entry: string;
  readonly outfile: string;
  readonly patch?: Patch | undefined;
}): Promise<void>;
