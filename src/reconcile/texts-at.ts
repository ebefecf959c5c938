/** The texts of files as a commit finds them, by their paths. */

export type TextsAt = Pick<ReadonlyMap<string, string>, 'get'>;
