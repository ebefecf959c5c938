/** Planted bugs that only show where somebody pushes to the status branch, or writes a folder of main. */

import type { Mutant } from './mutants.ts';

/** Schedules within which a law must be broken. */
const ALLOWANCE = 40;

function mutant(name: string, file: string, from: string, to: string): Mutant {
  return { name: `hostile: ${name}`, file: `src/${file}`, from, to, allowance: ALLOWANCE, world: 'hostile' };
}

export const hostileMutants: readonly Mutant[] = [
  mutant(
    'a file of others keeps an order waiting',
    'reconcile/desired/first-claims.ts',
    'if (left.length < 2) return left[0]?.origin;',
    'if (left.length < 2) return undefined;',
  ),
  mutant(
    'the key stands in what it signs',
    'adapters/system/ed25519.ts',
    "sign: (text) => sign(null, Buffer.from(text), key).toString('base64'),",
    "sign: (text) => `${sign(null, Buffer.from(text), key).toString('base64')}${body}`,",
  ),
];
