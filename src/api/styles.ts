/** What Kruise's three rolling styles differ in: a row a style, so that a fourth does not compile before it has an answer. */

/** Kruise's three rolling styles (reference: rollout_types.go, GetRollingStyle). */
export type RollingStyle = 'partition' | 'canary' | 'blueGreen';

type StyleRow = {
  /** The key below `spec.strategy`. */
  readonly key: 'canary' | 'blueGreen';
  /** What the name of the second workload ends with; undefined: both versions are groups of the user's own workload. */
  readonly second: 'canary' | 'green' | undefined;
  /**
   * What serves the new version after the last step: the groups that are updated already, the primary, which takes over
   * the release, or the other colour, which takes turns with the primary.
   */
  readonly successor: 'groups' | 'primary' | 'colour';
  /** The least share of a step, in percent (reference: rollout_create_update_handler.go:303-362). */
  readonly leastShare: 0 | 1;
  /** What a step without `pause` means: Kruise's blueGreen waits for someone, the others go on. */
  readonly pause: 'manual' | 'unset';
  /** Kruise wants a route always; where the Service can go from one workload to the other by its selector, none is needed. */
  readonly needsRoute: boolean;
};

export const STYLES = {
  partition: { key: 'canary', second: undefined, successor: 'groups', leastShare: 1, pause: 'unset', needsRoute: true },
  canary: { key: 'canary', second: 'canary', successor: 'primary', leastShare: 1, pause: 'unset', needsRoute: true },
  blueGreen: {
    key: 'blueGreen',
    second: 'green',
    successor: 'colour',
    leastShare: 0,
    pause: 'manual',
    needsRoute: false,
  },
} as const satisfies Record<RollingStyle, StyleRow>;

/** Their names, in the order in which they are listed to users. */
export const ROLLING_STYLES = ['partition', 'canary', 'blueGreen'] as const satisfies readonly RollingStyle[];

type Style = RollingStyle | undefined;

/** Whether both versions are groups of the user's own workload; false where no style is known. */
export function isOneWorkload(style: Style): boolean {
  return style !== undefined && STYLES[style].second === undefined;
}

/** Whether the primary takes over the release after the last step; false where no style is known. */
export function updatesPrimary(style: Style): boolean {
  return style !== undefined && STYLES[style].successor === 'primary';
}

/** Whether two colours take turns to serve; false where no style is known. */
export function takesTurns(style: Style): boolean {
  return style !== undefined && STYLES[style].successor === 'colour';
}

/** The name of the second workload; that of the user's own where a style has no second. */
export function secondNameOf(style: RollingStyle, own: string): string {
  const { second } = STYLES[style];
  return second === undefined ? own : `${own}-${second}`;
}
