/** How a step comes to the desired branch: at once, or when someone has merged a pull request. */

export type Promotion = 'pullRequest' | 'commit';

/** The one that asks for more stands first. */
export const PROMOTIONS: readonly Promotion[] = ['pullRequest', 'commit'];
