/** A memory of what a pure function has answered: bounded, and the older half goes first. A planted bug knows no other's answers. */

import { plantedBug } from '../../../scripts/planted-switch.mjs';

export class Remembered<T> {
  private readonly most: number;
  private recent = new Map<string, T>();
  private older: ReadonlyMap<string, T> = new Map();
  private under = 0;

  constructor(most: number) {
    this.most = most;
  }

  of(key: string, make: () => T): T {
    if (this.under !== plantedBug()) this.forget();
    const found = this.recent.get(key) ?? this.older.get(key);
    const value = found ?? make();
    if (found === undefined || !this.recent.has(key)) this.keep(key, value);
    return value;
  }

  private forget(): void {
    this.under = plantedBug();
    this.recent = new Map();
    this.older = new Map();
  }

  private keep(key: string, value: T): void {
    if (this.recent.size >= this.most / 2) {
      this.older = this.recent;
      this.recent = new Map();
    }
    this.recent.set(key, value);
  }
}
