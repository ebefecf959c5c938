/** One source with one decision changed. */
export type Patch = {
  readonly name: string;
  readonly file: string;
  /** Syntax that must be there exactly once, whatever its spaces and comments; names that are gone stand for others. */
  readonly from: string;
  readonly to: string;
};

export function writeBundle(of: {
  readonly entry: string;
  readonly outfile: string;
  readonly patch?: Patch | undefined;
  /** All of them in one bundle, which exports `planted-switch.mjs` as well: number 1 is the first. */
  readonly patches?: readonly Patch[] | undefined;
  /** Files of src, each with the file of `remembered` that stands in for it. */
  readonly stands?: Readonly<Record<string, string>>;
}): Promise<void>;
