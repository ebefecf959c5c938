/** What a bundle of the simulation offers to those who run it. */

export { runSchedule } from './schedule.ts';
