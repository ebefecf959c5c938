/** Planted bugs that only show where somebody pushes to the status branch, or writes a folder of main. */

import type { Mutant } from './mutants.ts';

/** Schedules within which a law must be broken. */
const ALLOWANCE = 40;
/** The same of what shows in one strategy, with or without a key, and only at some moments. */
const LONG = 200;

function mutant(name: string, file: string, from: string, to: string, allowance = ALLOWANCE): Mutant {
  return { name: `hostile: ${name}`, file: `src/${file}`, from, to, allowance, world: 'hostile' };
}

export const hostileMutants: readonly Mutant[] = [
  mutant(
    'a step goes while nobody can read tranche.yaml',
    'reconcile/observe/read-main.ts',
    'faults.length === 0',
    'faults.length >= 0',
  ),
  mutant(
    'a tranche.yaml that is wrong ends every pass',
    'reconcile/observe/read-settings.ts',
    'if (!(error instanceof ConfigError)) throw error;',
    'throw error;',
  ),
  mutant(
    'a file of others keeps an order waiting',
    'reconcile/history/first-claims.ts',
    'return claimants[0]?.origin;',
    'return undefined;',
  ),
  mutant(
    'the key stands in what it signs',
    'adapters/system/ed25519.ts',
    "sign: (text) => sign(null, Buffer.from(text), key).toString('base64'),",
    "sign: (text) => `${sign(null, Buffer.from(text), key).toString('base64')}${body}`,",
  ),
  mutant(
    'what a server of Git says is not looked through for the token',
    'adapters/git/git-error.ts',
    'return withoutSecrets(line, secrets);',
    'return line;',
    LONG,
  ),
  mutant(
    'the token of Git is said back in the form that Git sends',
    'adapters/git/secret-forms.ts',
    'filter(({ length }) => length >= PIECE_LEAST);',
    'filter(({ length }) => length < PIECE_LEAST);',
    LONG,
  ),
  mutant(
    'what a webhook has put into a live pod stands in a hold',
    'api/live-pod.ts',
    "waitingOn: ready ? '' : tellingReason(reasons, phase),",
    "waitingOn: ready ? '' : fields.text(['metadata', 'annotations', 'vault.example/token'], ''),",
  ),
  mutant(
    'an unsigned record is believed',
    'reconcile/history/unsigned.ts',
    "return stored?.kind === 'read' && proof === 'unproven';",
    "return stored?.kind === 'untrusted' && proof === 'unproven';",
    LONG,
  ),
  mutant(
    'a record whose signature does not fit is believed',
    'reconcile/status/proven.ts',
    '    if (fault !== undefined) {',
    "    if (fault !== undefined && stored.kind === 'untrusted') {",
    LONG,
  ),
  mutant(
    'a rollback begun by a forged record',
    'rollout/gates/failure.ts',
    'if (failure === undefined || situation.snapshot.unsigned === undefined) return failure;',
    'if (failure === undefined || situation.snapshot.now > 0) return failure;',
    LONG,
  ),
  mutant(
    'a message that only a record holds is sent',
    'rollout/record/notices.ts',
    'const before = unsigned === undefined ? recorded : [];',
    'const before = recorded;',
    LONG,
  ),
  mutant(
    'a policy of others names whom to notify',
    'reconcile/policies/read-policy.ts',
    "composition === 'choice' || composition === 'observer' || composition",
    "composition === 'choice' || composition",
    LONG,
  ),
];
