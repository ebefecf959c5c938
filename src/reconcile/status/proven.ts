/** What of the status branch is tranche's own word: by signatures of keys that main names, or by what this process remembers. */

import type { Config } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { isInForce, keysOf } from '../../api/status-keys.ts';
import { type Instant, printInstant } from '../../api/time.ts';
import { yamlWord } from '../../api/yaml-word.ts';
import type { Signatures } from '../../ports/signatures.ts';
import type { RecordProof } from '../../rollout/record/trust.ts';
import { isWhole } from './content.ts';
import { endingBefore } from './ending.ts';
import { forgedCounts } from './forged-counts.ts';
import { type Numbers, numbersFile, readNumbers } from './numbers.ts';
import { type Content, INDEX_FILE, type StatusBranch, type StoredRecord } from './record-store.ts';
import { type Known, rememberNumber } from './seen-numbers.ts';
import { type By, type Place, type Signing, signatureFault } from './signed.ts';

/** Who looks, with which keys. */
export type Judging = {
  readonly signatures: Signatures | undefined;
  readonly config: Pick<Config, 'cluster' | 'statusKeys' | 'statusBranch'>;
  readonly place: Place;
  readonly now: Instant;
  /** The time at which keys are judged (`keys-at.ts`). */
  readonly keysAt: Instant;
};

type Proven = {
  /** Without what main's keys do not bear out: an index like that is not there, and such records are not trusted. */
  readonly status: StatusBranch;
  /** What was found that nobody has signed who may. */
  readonly tampered: readonly Issue[];
};

/** Nobody can be asked whether something is signed: so nothing is. */
const NOBODY: Pick<Signatures, 'isSigned'> = { isSigned: () => false };

/** The branch as far as it is borne out. Remembers the numbers that it has seen. */
export function proven(status: StatusBranch, judging: Judging, known: Known): Proven {
  const { config, place, keysAt: now, signatures = NOBODY } = judging;
  const by: By = { place, keys: config.statusKeys, now };
  if (keysOf(config.statusKeys, place.cluster).length === 0) return { status: remembered(status, known), tampered: [] };
  const found: Issue[] = [];
  const say = (path: string, why: string): void => void found.push(tampered(config.statusBranch, path, why));
  if (status.head === undefined && known.numbers.size > 0) say('', 'it is gone, and with it all records');
  const before = indexOf(status, { by, signatures, known });
  if (before.fault !== undefined) say(INDEX_FILE, before.fault);
  const { index, isNewer } = before.status;
  const whole = index?.content !== undefined && isWhole(status.texts, index.content) ? index.content : undefined;
  const said = isNewer ? undefined : numbersSaid(status, { by, signatures, known, content: index?.content });
  if (said?.fault !== undefined) say(numbersFile(place.cluster), said.fault);
  const records = new Map<string, StoredRecord>();
  const proofs = new Map<string, RecordProof>();
  for (const [key, stored] of status.records) {
    const path = `rollouts/${key}.json`;
    const [cluster = ''] = key.split('/');
    const there: By = { ...by, place: { ...place, cluster } };
    const isNamed = keysOf(config.statusKeys, cluster).length > 0;
    const signed = stored.kind === 'untrusted' ? undefined : stored.signed;
    const fault =
      stored.kind === 'untrusted'
        ? stored.why
        : !isNamed
          ? undefined
          : ((whole?.numbers[path] !== undefined ? undefined : signatureFault(signatures, { path, signed }, there)) ??
            (cluster === place.cluster && stored.kind === 'read'
              ? unnumbered(path, said?.numbers, known)
              : undefined) ??
            numberFault(signed?.signature.number, [said?.numbers[path], known.numbers.get(path)]));
    if (fault !== undefined) {
      if (isNamed) say(path, fault);
      records.set(key, stored.kind === 'untrusted' ? stored : { kind: 'untrusted', why: fault });
      continue;
    }
    records.set(key, stored);
    if (stored.kind === 'read') proofs.set(key, isNamed ? 'signed' : 'unproven');
    if (signed !== undefined && isNamed) rememberNumber(known, path, signed.signature);
  }
  for (const path of Object.keys(said?.numbers ?? {})) {
    const [, key = ''] = RECORD_FILE.exec(path) ?? [];
    if (key.startsWith(`${place.cluster}/`) && !records.has(key)) say(path, 'it is gone, and what is signed names it');
  }
  const forged = isNewer ? undefined : forgedCounts(status, { by, signatures, say, numbers: whole?.numbers ?? {} });
  return {
    status: { ...status, index, isNewer, records, proofs, forged },
    tampered: fewOf(found, config.statusBranch),
  };
}

/** Files that are named one by one: anyone who can push there can put thousands. */
const NAMED_MOST = 20;
const RECORD_FILE = /^rollouts\/(.+)\.json$/;

function fewOf(found: readonly Issue[], branch: string): readonly Issue[] {
  const left = found.length - NAMED_MOST;
  if (left <= 1) return found;
  const others = { ...tampered(branch, '', ''), message: `${left} files more do not count` };
  return [...found.slice(0, NAMED_MOST), others];
}

function remembered(status: StatusBranch, { own }: Known): StatusBranch {
  const proofs = new Map<string, RecordProof>();
  for (const key of status.records.keys()) {
    const path = `rollouts/${key}.json`;
    const text = own.get(path);
    proofs.set(key, text !== undefined && text === status.texts.get(path) ? 'seen' : 'unproven');
  }
  return { ...status, proofs };
}

type IndexProven = { readonly status: Pick<StatusBranch, 'index' | 'isNewer'>; readonly fault: string | undefined };

/** On a branch that several clusters share, the index is that of the last one which wrote. */
function indexOf(
  { head, unreadable, index, isNewer, signed, texts, records }: StatusBranch,
  {
    by,
    signatures,
    known,
  }: { readonly by: By; readonly signatures: Pick<Signatures, 'isSigned'>; readonly known: Known },
): IndexProven {
  const nothing = { index: undefined, isNewer: false };
  if (!texts.has(INDEX_FILE)) {
    const isMissed = [...records.keys()].some((key) => key.startsWith(`${by.place.cluster}/`));
    const isSeen = head !== undefined && unreadable === undefined && known.numbers.has(INDEX_FILE);
    const fault = isMissed ? 'it is gone, and records are there' : isSeen ? 'it is gone, and was there' : undefined;
    return { status: nothing, fault };
  }
  const cluster = index?.cluster ?? '';
  if (cluster !== '' && cluster !== by.place.cluster) {
    const fault =
      keysOf(by.keys, cluster).length === 0
        ? undefined
        : signatureFault(signatures, { path: INDEX_FILE, signed }, { ...by, place: { ...by.place, cluster } });
    // Only of a hint: nothing in it is believed of this cluster.
    return fault === undefined && index !== undefined
      ? { status: { index: { ...index, content: undefined }, isNewer }, fault }
      : { status: nothing, fault };
  }
  const fault =
    signatureFault(signatures, { path: INDEX_FILE, signed }, by) ??
    numberFault(signed?.signature.number, [known.numbers.get(INDEX_FILE)]);
  if (fault !== undefined) return { status: nothing, fault };
  if (signed !== undefined) rememberNumber(known, INDEX_FILE, signed.signature);
  return { status: { index, isNewer }, fault };
}

/** By the index, where it is of this cluster; else by the file that has nothing but the numbers. */
function numbersSaid(
  { texts }: StatusBranch,
  {
    by,
    signatures,
    known,
    content,
  }: {
    readonly by: By;
    readonly signatures: Pick<Signatures, 'isSigned'>;
    readonly known: Known;
    readonly content: Content | undefined;
  },
): { readonly numbers: Numbers; readonly fault: string | undefined } {
  if (content !== undefined) return { numbers: content.numbers, fault: undefined };
  const path = numbersFile(by.place.cluster);
  const text = texts.get(path);
  if (text === undefined) return { numbers: {}, fault: undefined };
  const { numbers = {}, signed } = readNumbers(text) ?? {};
  const fault =
    signatureFault(signatures, { path, signed }, by) ??
    numberFault(signed?.signature.number, [known.numbers.get(path)]);
  if (fault !== undefined) return { numbers: {}, fault };
  if (signed !== undefined) rememberNumber(known, path, signed.signature);
  return { numbers, fault };
}

/**
 * A signature is of any time: what says that no younger record was there is a number that cannot be taken away with the record.
 * `numbers` undefined: a newer tranche says them.
 */
function unnumbered(path: string, numbers: Numbers | undefined, known: Known): string | undefined {
  if (numbers === undefined || numbers[path] !== undefined || known.numbers.has(path)) return undefined;
  return 'nothing that is signed names its number';
}

function numberFault(number: number | undefined, seen: readonly (number | undefined)[]): string | undefined {
  const highest = Math.max(0, ...seen.filter((one) => one !== undefined));
  if (number === undefined || number >= highest) return undefined;
  return `an older one was put back: it has number ${number}, and ${highest} was there`;
}

function tampered(branch: string, path: string, why: string): Issue {
  return {
    file: path === '' ? branch : `${branch}:${path}`,
    line: 1,
    path: '',
    reason: 'StatusTampered',
    message: `${path === '' ? 'the status branch' : path} does not count: ${why}`,
    hint: 'It is rebuilt from main and the cluster; pauses start again. Look who can push to this branch (tranche preflight); after another key was put on main this is said once.',
  };
}

/** Why this process may not write to the status branch; undefined: it may, for main names no keys, or one that it has. */
export function keyMissing({ signatures, config, place, keysAt: now }: Judging): string | undefined {
  const keys = keysOf(config.statusKeys, place.cluster);
  if (keys.length === 0) return undefined;
  const own = signatures?.own;
  const named = keys.filter(({ key }) => key === own?.key);
  if (named.some((key) => isInForce(key, now))) return undefined;
  const [ended] = named.map(({ until }) => until ?? 0);
  const why =
    own === undefined
      ? `TRANCHE_STATUS_KEY ${signatures?.fault ?? 'is not set'}`
      : ended === undefined
        ? 'the one of this process is not among them'
        : `the one of this process has expired at ${printInstant(ended)}`;
  return `statusKeys in tranche.yaml names ${keys.length === 1 ? 'a key' : `${keys.length} keys`} for cluster ${place.cluster}, and ${why}`;
}

/** How this process signs; undefined: main names no key for this place that it has. */
export function signingOf(judging: Judging, { numbers }: Known): Signing | undefined {
  const { signatures, config, place, now, keysAt: at } = judging;
  const signer = signatures?.own;
  const named = keysOf(config.statusKeys, place.cluster);
  const own = named.find((one) => one.key === signer?.key && isInForce(one, at));
  if (signer === undefined || own === undefined) return undefined;
  return { signer, place, numbers, now, ending: endingBefore(own, named) };
}

/** A key that main does not name signs nothing. */
export function unnamedKey({ signatures, config, place }: Judging): readonly Issue[] {
  const own = signatures?.own;
  if (own === undefined || keysOf(config.statusKeys, place.cluster).length > 0) return [];
  return [
    {
      file: 'tranche.yaml',
      line: 1,
      path: 'statusKeys',
      reason: 'StatusKeyUnnamed',
      message: `TRANCHE_STATUS_KEY is set, and statusKeys names no key for cluster ${place.cluster}: the status branch is neither signed nor believed`,
      hint: `Add {cluster: ${yamlWord(place.cluster)}, key: ${own.key}} to statusKeys on main.`,
    },
  ];
}
