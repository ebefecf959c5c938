/** The name of a release: the digest of its content and a serial that is never used twice for one workload. */

export type Release = {
  /** First 8 hex digits of the content's sha256. */
  readonly digest: string;
  readonly serial: number;
};

const RELEASE = /^([0-9a-f]{8})\.([1-9][0-9]{0,8})$/;

/** Reads `9c41d2e0.7`; undefined for anything else. */
export function parseRelease(text: string): Release | undefined {
  const match = RELEASE.exec(text);
  return match?.[1] === undefined ? undefined : { digest: match[1], serial: Number(match[2]) };
}

/** `9c41d2e0.7`, as `parseRelease` reads it. */
export function printRelease(release: Release): string {
  return `${release.digest}.${release.serial}`;
}

/** Whether both are there and the same release: digest and serial. */
export function sameRelease(left: Release | undefined, right: Release | undefined): boolean {
  return left !== undefined && right !== undefined && left.digest === right.digest && left.serial === right.serial;
}
