/** The events of a cluster, the newest ones: texts for people, never signals. */

import type { ClusterEvent } from './world.ts';

const EVENTS_MAX = 1000;

export class EventList {
  private events: ClusterEvent[];

  constructor(from?: EventList) {
    this.events = [...(from?.events ?? [])];
  }

  /** Oldest first, at most a thousand. */
  list(): readonly ClusterEvent[] {
    return this.events.slice(-EVENTS_MAX);
  }

  /** Adds the newest; the oldest are forgotten. */
  add(event: ClusterEvent): void {
    if (this.events.length >= 2 * EVENTS_MAX) this.events = this.events.slice(-EVENTS_MAX);
    this.events.push(event);
  }
}
