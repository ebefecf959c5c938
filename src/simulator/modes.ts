/** The versions that the one model covers: which LWS controller, and which StatefulSet controller. */

/**
 * `0.6`: no partition, size fixed at creation. `0.8` stands for 0.7 and 0.8, `0.10` for 0.9 and 0.10: the rollouts of
 * each pair are the same.
 */
export type LwsVersion = '0.6' | '0.8' | '0.10';

/**
 * The feature gate MaxUnavailableStatefulSet. `on` is what 1.35 and 1.36 do when it is on; `on-1.37` has the fix of
 * kubernetes#137666, known from its description only.
 */
export type Gate = 'off' | 'on' | 'on-1.37';

export type Modes = { readonly lws: LwsVersion; readonly gate: Gate };

/** 0.9 changed what rollouts do: surge, order of scaling, observedGeneration, what makes a group ready. */
export function isSince09(lws: LwsVersion): boolean {
  return lws === '0.10';
}
