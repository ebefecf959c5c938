/** The events of a cluster, the newest ones: texts for people, never signals. */

import type { ClusterEvent } from '../world.ts';

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

  /** What the newest warning about an object of this name says; empty where there is none. */
  newestWarning(name: string): string {
    const about = (event: ClusterEvent): boolean => event.type === 'Warning' && event.regarding.metadata.name === name;
    return this.events.findLast(about)?.note ?? '';
  }

  /** Adds the newest; the oldest are forgotten. */
  add(event: ClusterEvent): void {
    if (this.events.length >= 2 * EVENTS_MAX) this.events = this.events.slice(-EVENTS_MAX);
    this.events.push(event);
  }
}
