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
  /** Files of src, each with the file of `remembered` that stands in for it. */
  readonly stands?: Readonly<Record<string, string>>;
}): Promise<void>;
