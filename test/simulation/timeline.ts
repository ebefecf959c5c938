/** What happened in one schedule, in order: hashed to compare runs, printed by actor when a law is broken. */

import { hash } from './chance.ts';
import type { LawName } from './laws.ts';

export type Entry = {
  readonly turn: number;
  readonly atSeconds: number;
  readonly actor: string;
  readonly text: string;
};

export class Timeline {
  readonly entries: Entry[] = [];
  private digest = 0x811c9dc5;
  turn = 0;

  add(actor: string, text: string, atSeconds: number): void {
    this.entries.push({ turn: this.turn, atSeconds, actor, text });
    this.digest = hash(`${this.turn} ${atSeconds} ${actor} ${text}\n`, this.digest);
  }

  /** The same up to now, independent from now on. */
  twin(): Timeline {
    const twin = new Timeline();
    twin.entries.push(...this.entries);
    twin.digest = this.digest;
    twin.turn = this.turn;
    return twin;
  }

  /** Equal for equal runs. */
  hash(): string {
    return this.digest.toString(16).padStart(8, '0');
  }

  /** All entries from this turn on, one a line. */
  from(turn: number): string {
    const later = this.entries.filter((entry) => entry.turn >= turn);
    return later.map((entry) => `${entry.turn} ${entry.atSeconds} ${entry.actor} ${entry.text}`).join('\n');
  }

  /** One column an actor; reads of a pass are left out unless something went wrong with them. */
  print(): string {
    const shown = this.entries.filter((entry) => !entry.text.startsWith('· '));
    const actors = [...new Set(shown.map((entry) => entry.actor))];
    const start = this.entries[0]?.atSeconds ?? 0;
    return shown
      .map(({ turn, atSeconds, actor, text }) => {
        const column = actors.indexOf(actor);
        return `${String(turn).padStart(4)} +${String(atSeconds - start).padEnd(6)}${'        '.repeat(column)}${actor}: ${text}`;
      })
      .join('\n');
  }
}

/** A law does not hold: what is wrong, and everything that led there. */
export class LawBroken extends Error {
  readonly law: LawName;

  constructor(law: LawName, message: string) {
    super(`${law}: ${message}`);
    this.law = law;
  }
}
