/** What `tranche verify-history` prints: as text, and as `schemas/verify-history.schema.json` describes it. */

import { printInstant } from '../../api/time.ts';
import type { Chain, Signed } from './verify-history.ts';

/** Signatures that the text names one by one; `--output json` has them all. */
const SIGNATURES_SHOWN = 100;

/** What is not known is not there; times are RFC 3339 in UTC. */
export function chainJson({ faults, signatures, configFaults: _said, ...chain }: Chain): object {
  return {
    ...chain,
    faults: faults.map((fault) => ({ ...fault, at: printInstant(fault.at) })),
    signatures: signatures.map((one) => ({ ...one, at: printInstant(one.at) })),
  };
}

/** A line for each fault and each signature, and the verdict last. */
export function chainLines(chain: Chain): readonly string[] {
  const { faults, signatures, notLooked, read, main } = chain;
  const found = faults.map(
    ({ reason, rollout, commit, at, by, message }) =>
      `${reason}  ${rollout}  ${commit.slice(0, 12)}  ${printInstant(at)}  by ${by}: ${message}`,
  );
  const signed = signatures.filter(({ kind }) => kind !== 'none');
  const more = signed.length - SIGNATURES_SHOWN;
  const unseen = notLooked.map(
    ({ rollout, steps }) =>
      `not looked at  ${rollout}  ${steps} ${steps === 1 ? 'step' : 'steps'}: main has the workload no longer, or had it in another file, or it is too far back`,
  );
  const cut = read.end === 'cut' ? '; what was before is not in this clone, or beyond what is read' : '';
  return [
    ...found,
    ...signed.slice(0, SIGNATURES_SHOWN).map(signedLine),
    ...(more > 0 ? [`and ${more} more that are signed: --output json has them`] : []),
    ...unseen,
    `Signed: ${signed.length} of ${signatures.length} steps and orders.`,
    `${verdictOf(chain)} in ${read.commits} commits of main at ${main.slice(0, 12)}${cut}.`,
  ];
}

/** Whether commits say steps, and none of them could be looked at: that proves nothing. */
export function isUnseen({ steps, notLooked }: Chain): boolean {
  return steps === 0 && notLooked.length > 0;
}

function verdictOf(chain: Chain): string {
  const { faults, steps, notLooked } = chain;
  if (faults.length > 0) return `${faults.length} not as the commits say: ${steps} steps`;
  if (isUnseen(chain)) return 'No step was looked at';
  if (steps === 0) return 'There is no step to look at';
  return `${notLooked.length === 0 ? 'The chain is whole' : 'The chain is whole where it was looked at'}: ${steps} steps`;
}

const KINDS = {
  none: 'none',
  ssh: 'SSH',
  openpgp: 'OpenPGP',
  x509: 'X.509',
  other: 'a kind that is not known',
} as const;
const VERDICTS = {
  good: 'good',
  bad: 'the key has not made it',
  unknown: 'not among the allowed signers',
  unchecked: 'not verified',
} as const;

function signedLine({ rollout, commit, at, what, kind, key, verdict = 'unchecked', signer }: Signed): string {
  const by = signer === undefined ? '' : ` of ${signer}`;
  const of = key === undefined ? '' : ` ${key}`;
  return `signed  ${rollout === '' ? 'all' : rollout}  ${commit.slice(0, 12)}  ${printInstant(at)}  ${what}: ${KINDS[kind]}${of}, ${VERDICTS[verdict]}${by}`;
}
