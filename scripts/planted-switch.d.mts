/** The bug of this number, of those that the bundle was written with, is in from now on; 0: none. */
export function plant(bug: number): void;
export function plantedBug(): number;
/** Whether calls cannot tell the bug apart: it needs a bundle of its own. */
export function needsItsOwnBundle(bug: number): boolean;
/** What a file exports, each function that of the bug that is in. `bugs`: the exports of the same file with each bug, by its number. */
export function switched<T extends object>(sound: T, bugs: ReadonlyMap<number, T>): T;
