/** How large a cluster `tranche simulate` lets grow: every number has a name and a reason. */

/** More groups than anyone runs of one model; the model needs seconds for them, not minutes. */
export const GROUPS_MAX = 256;

/** Pods of all groups together. */
export const PODS_MAX = 4096;

/** Bytes of a scenario file. The largest recorded trace has a quarter of a megabyte. */
export const SCENARIO_BYTES_MAX = 16 * 1024 * 1024;

/** More replicas than these are refused by the CRD of LWS, so they never become pods. */
export const REPLICAS_MAX = 1_000_000;

/** Files of one delivery: a Rollout, its workload, its Service and its routes. */
export const FILES_MAX = 64;
