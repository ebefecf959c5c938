/** Where a LeaderWorkerSet has the numbers that our commits write. */

const ROLLING_UPDATE = ['spec', 'rolloutStrategy', 'rollingUpdateConfiguration'] as const;

/** Where the numbers are that our commits write. */
export const REPLICAS_PATH: readonly string[] = ['spec', 'replicas'];

export const PARTITION_PATH: readonly string[] = [...ROLLING_UPDATE, 'partition'];

export const MAX_UNAVAILABLE_PATH: readonly string[] = [...ROLLING_UPDATE, 'maxUnavailable'];

export const MAX_SURGE_PATH: readonly string[] = [...ROLLING_UPDATE, 'maxSurge'];
