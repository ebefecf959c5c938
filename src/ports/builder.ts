/** The port to kustomize: files in, the objects that they build out. It reads nothing that it is not given. */

/** What is built: every file that it takes, and nothing else. */
export type BuildInput = {
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** The folder of the kustomization, from the root of the repository; empty for the root itself. */
  readonly root: string;
};

/**
 * `missing`: there is no kustomize that can be used. `fails`: it refuses these files; the same files fail again. `stopped`: it
 * took more time or printed more than it may: on a machine with more room the same files may build.
 */
type BuildFault = 'missing' | 'fails' | 'stopped';

export type Build =
  | { readonly kind: 'built'; readonly text: string }
  | { readonly kind: 'refused'; readonly cause: BuildFault; readonly seen: string; readonly hint: string };

/** What builds cost: how often the program ran, and the seconds from its start to its end, which may overlap. */
export type BuildsSpent = { readonly count: number; readonly seconds: number };

export interface Builder {
  /**
   * Somebody has named the program. Only then a folder that has no patch of ours gets one: what happens to be on PATH asks for
   * nothing.
   */
  readonly isNamed: boolean;
  /**
   * Builds a folder. Files of the repository alone decide the answer: no network, no credential, no setting of the machine.
   * Throws PortError where the machine itself fails, as a full disk.
   */
  build(input: BuildInput): Promise<Build>;
  /** Since the process started. Not there: nobody counts. */
  spent?(): BuildsSpent;
}
