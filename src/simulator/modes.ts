/** The versions that the one model covers: which LWS controller, and which StatefulSet controller. */

/** `0.8` stands for 0.7 and 0.8; `0.10` for 0.9 and 0.10, whose rollouts are the same. */
export type LwsVersion = '0.8' | '0.10';

/** The feature gate MaxUnavailableStatefulSet. `on` is what 1.35 and 1.36 do; 1.37's fix has no recording yet. */
export type Gate = 'off' | 'on';

export type Modes = { readonly lws: LwsVersion; readonly gate: Gate };
