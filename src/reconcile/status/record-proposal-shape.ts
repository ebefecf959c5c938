/** What a record says of a pull request, and the names that all parts of a record are made of. */

import { parseCommit } from '../../api/marks.ts';
import type { ProposalForm, ProposalRecord, ProposalState } from '../../api/proposal-record.ts';
import { parseRelease, type Release } from '../../api/release.ts';
import { count, is, list, object, optional, positive, type Shape, text, word } from './shape.ts';

/** Seconds since the epoch. */
export const instant = count;
/** 40 hex digits. */
export const commit = is((value) => parseCommit(value) !== undefined);
/** Of a release or of facts. */
const digest = is((value) => typeof value === 'string' && parseRelease(`${value}.1`) !== undefined);
/** A digest and a serial. */
export const release = object({ digest, serial: positive } satisfies Shape<Release>);

/** The last pull request of a Rollout. */
export const proposal = object({
  branch: text,
  head: commit,
  index: count,
  release,
  digest,
  form: optional(
    word<ProposalForm>({
      Guarded: true,
      WithoutPush: true,
      NotGroupsAlone: true,
      Autoscaled: true,
      EvidenceWanted: true,
      GateNotRequired: true,
      GateOpenToOthers: true,
      NotUpToDate: true,
      Queued: true,
      NoDirectPush: true,
      RulesUnread: true,
    }),
  ),
  number: optional(positive),
  url: optional(text),
  openedAt: instant,
  state: word<ProposalState>({ open: true, vetoed: true, closed: true, merged: true, withdrawn: true }),
  by: optional(text),
  gates: optional(word<'open' | 'shut'>({ open: true, shut: true })),
  check: optional(object({ text: digest, at: instant } satisfies Shape<NonNullable<ProposalRecord['check']>>)),
  checkRefused: optional(text),
  attached: optional(is((value) => value === true)),
  unasked: optional(list(text)),
  text: optional(digest),
  told: optional(text),
  earlier: optional(list(positive)),
  vetoes: list(digest),
} satisfies Shape<ProposalRecord>);
