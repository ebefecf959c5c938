/** The one source of chance: sfc32, seeded by words; every actor draws from a stream of its own. */

export type Weighted<T> = readonly (readonly [weight: number, value: T])[];

export class Chance {
  private readonly name: string;
  private readonly state: Uint32Array;

  constructor(name: string) {
    this.name = name;
    this.state = seedOf(name);
    for (let i = 0; i < 12; i++) this.next();
  }

  /** A stream that depends on this one's name and not on what has been drawn from it. */
  fork(name: string): Chance {
    return new Chance(`${this.name}/${name}`);
  }

  /** The same stream, from where this one is. */
  twin(): Chance {
    const twin = new Chance(this.name);
    twin.state.set(this.state);
    return twin;
  }

  /** At least 0, below 1. */
  next(): number {
    const s = this.state;
    const sum = (s[0]! + s[1]! + s[3]!) >>> 0;
    s[3] = s[3]! + 1;
    s[0] = s[1]! ^ (s[1]! >>> 9);
    s[1] = s[2]! + (s[2]! << 3);
    s[2] = ((s[2]! << 21) | (s[2]! >>> 11)) + sum;
    return sum / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  flip(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[Math.floor(this.next() * values.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  }

  /** Some of them, in their order. */
  some<T>(values: readonly T[], probability: number): readonly T[] {
    return values.filter(() => this.flip(probability));
  }

  weighted<T>(entries: Weighted<T>): T {
    const total = entries.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.next() * total;
    for (const [weight, value] of entries) {
      left -= weight;
      if (left < 0) return value;
    }
    throw new Error('all weights are 0');
  }
}

/** Four words of state from a text (FNV-1a with four offsets). */
function seedOf(text: string): Uint32Array {
  return Uint32Array.from([0x811c9dc5, 0x9e3779b9, 0x85ebca6b, 0xc2b2ae35], (offset) => hash(text, offset));
}

/** A number of 32 bits for a text. */
export function hash(text: string, offset = 0x811c9dc5): number {
  let value = offset;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
