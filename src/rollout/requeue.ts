/** When to look again where nothing says when that could help. */

export const ORDINARY_REQUEUE_SECONDS = 30;
