/** The version of LeaderWorkerSet as `tranche.yaml` declares it, and the differences between versions that decide a delivery. */

export type LwsVersion = { readonly major: number; readonly minor: number };

const VERSION = /^v?(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})(\.(0|[1-9][0-9]{0,5}))?$/;

/** Reads `0.10`, `0.10.0` or `v0.10.0`; undefined for anything else. Patch releases decide nothing here. */
export function parseLwsVersion(text: string): LwsVersion | undefined {
  const match = VERSION.exec(text);
  return match === null ? undefined : { major: Number(match[1]), minor: Number(match[2]) };
}

/**
 * Whether a group that has to be made again comes back with the number of workers of its own template. Up to 0.10 it
 * gets the newest number with its old template (trace 17; reference: lws#963). Not declared counts as up to 0.10.
 */
export function rebuildsGroupsWhole(version: LwsVersion | undefined): boolean {
  return version !== undefined && (version.major > 0 || version.minor > 10);
}

/** Whether it has the field that steps are made with (reference: lws#563, 0.7.0). */
export function hasPartition(version: LwsVersion): boolean {
  return version.major > 0 || version.minor >= 7;
}
