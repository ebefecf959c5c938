/** Whether two worlds are so much the same that they go on in the same way: all that they are made of, but for what nobody asks. */

import { ObjectStore } from '../../src/simulator/objects/object-store.ts';
import { FakeRepository } from '../support/fake-git.ts';
import { Process } from './process.ts';
import { Story } from './story.ts';
import { Universe } from './universe.ts';

type Class = abstract new (...args: never[]) => object;

/** What tells only of the past, and what the next pass sets first; a repository answers from what it keeps as it would without. */
const unasked: ReadonlyMap<Class, readonly string[]> = new Map<Class, readonly string[]>([
  [Story, ['calls', 'faults', 'requestedAt']],
  [Universe, ['timeline']],
  [Process, ['life', 'pass']],
  // What a watch would be told; passes list.
  [ObjectStore, ['log']],
  [FakeRepository, ['calls', 'trees', 'headers']],
]);

/**
 * Compares field by field, in their order. Functions and weak maps count as equal: what the ones know is in fields as well, and
 * the others keep what pure functions have answered.
 */
export function areSame(left: unknown, right: unknown): boolean {
  return new Comparison().same(left, right);
}

class Comparison {
  /** Pairs that have been met: a circle says nothing new. */
  private readonly met = new Map<object, Set<object>>();

  same(left: unknown, right: unknown): boolean {
    if (Object.is(left, right)) return true;
    if (typeof left === 'function' && typeof right === 'function') return true;
    if (!isObject(left) || !isObject(right)) return false;
    const met = this.met.get(left) ?? new Set();
    if (met.has(right)) return true;
    this.met.set(left, met.add(right));
    if (Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) return false;
    if (left instanceof WeakMap) return true;
    if (Buffer.isBuffer(left) && Buffer.isBuffer(right)) return left.equals(right);
    if (Array.isArray(left) && Array.isArray(right)) return this.each(left, right);
    if (left instanceof Map && right instanceof Map) return this.each([...left], [...right]);
    if (left instanceof Set && right instanceof Set) return this.each([...left], [...right]);
    return this.fields(left, right);
  }

  private fields(left: object, right: object): boolean {
    const out = unasked.get(left.constructor as Class) ?? [];
    const [own, others] = [left, right].map((one) => Object.entries(one).filter(([key]) => !out.includes(key)));
    return this.each(own ?? [], others ?? []);
  }

  /** Keys and values among them. */
  private each(left: readonly unknown[], right: readonly unknown[]): boolean {
    return left.length === right.length && left.every((one, i) => this.same(one, right[i]));
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
