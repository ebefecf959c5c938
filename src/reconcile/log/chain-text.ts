/** What `tranche verify-history` prints: as text, and as `schemas/verify-history.schema.json` describes it. */

import { printInstant } from '../../api/time.ts';
import type { Chain, Signed } from './verify-history.ts';

/** Signatures that the text names one by one; `--output json` has them all. */
const SIGNATURES_SHOWN = 100;

/** What is not known is not there; times are RFC 3339 in UTC. */
export function chainJson({ faults, signatures, ...chain }: Chain): object {
  return {
    ...chain,
    faults: faults.map((fault) => ({ ...fault, at: printInstant(fault.at) })),
    signatures: signatures.map((one) => ({ ...one, at: printInstant(one.at) })),
  };
}

/** A line for each fault and each signature, and the verdict last. */
export function chainLines({ faults, signatures, steps, read, main }: Chain): readonly string[] {
  const found = faults.map(
    ({ reason, rollout, commit, at, by, message }) =>
      `${reason}  ${rollout}  ${commit.slice(0, 12)}  ${printInstant(at)}  by ${by}: ${message}`,
  );
  const signed = signatures.filter(({ kind }) => kind !== 'none');
  const more = signed.length - SIGNATURES_SHOWN;
  const verdict = faults.length === 0 ? 'The chain is whole' : `${faults.length} not as the commits say`;
  const cut = read.end === 'cut' ? '; what was before is not in this clone, or beyond what is read' : '';
  return [
    ...found,
    ...signed.slice(0, SIGNATURES_SHOWN).map(signedLine),
    ...(more > 0 ? [`and ${more} more that are signed: --output json has them`] : []),
    `Signed: ${signed.length} of ${signatures.length} steps and orders.`,
    `${verdict}: ${steps} steps in ${read.commits} commits of main at ${main.slice(0, 12)}${cut}.`,
  ];
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
