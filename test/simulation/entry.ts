/** What a bundle of the simulation offers to those who run it. */

export { runSchedule } from './schedule.ts';
export { filledSetupOf, largeSetupOf, setupOf } from './setup.ts';
export { shrink } from './shrink.ts';
export { runStory } from './story.ts';
