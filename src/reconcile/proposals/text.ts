/** Title and body of the pull request of one rollout, with what is read for them alone. */

import type { ProposalForm } from '../../api/proposal-record.ts';
import { printRelease, type Release, sameRelease } from '../../api/release.ts';
import type { Instant } from '../../api/time.ts';
import { bodyOf, lastingText, type Proposed, titleOf } from '../../rollout/proposals/body.ts';
import type { Brought } from '../../rollout/proposals/release-table.ts';
import { measuredNow } from '../../rollout/record/measured.ts';
import type { Snapshot } from '../../rollout/snapshot.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import { factsDigest } from '../documents/digests.ts';
import { urlPath } from '../status/markdown-code.ts';
import { timelineSvg } from '../status/timeline-svg.ts';
import { caseOf } from './case.ts';
import type { Judged, ProposalRound } from './proposal-pass.ts';

/** More commits than this are not reported one by one. */
const BROUGHT_MOST = 5;
const EARLIER_MOST = 20;

/** What a text is written of: the pass, and which form it has. */
type Wanted = { readonly round: ProposalRound; readonly form: ProposalForm };

/** Throws PortError where Git fails. */
export async function textOf(of: Judged, wanted: Wanted): Promise<{ readonly title: string; readonly body: string }> {
  const known = knownOf(of, wanted);
  if (known === undefined) return { title: '', body: '' };
  // The model is loaded only where a pull request shows what it says.
  const { stagesOf } = await import('./stages.ts');
  const stages = stagesOf(known.snapshot, of.one.writes);
  const proposed = { ...known, stages, brought: await broughtOf(of, wanted.round) };
  return { title: titleOf(proposed), body: bodyOf(proposed) };
}

/** Of its text without what ticks; undefined: this pass does not know what it would say. */
export function lastingDigest(of: Judged, wanted: Wanted, since: Instant): string | undefined {
  const known = knownOf(of, wanted);
  return known === undefined ? undefined : factsDigest({ text: lastingText(known, since) });
}

/** All that needs no reading. */
function knownOf(of: Judged, { round, form }: Wanted): Proposed | undefined {
  const { snapshot, plan, diff } = of.one;
  const { wanted } = caseOf(snapshot, plan);
  if (snapshot === undefined || plan?.commit === undefined || wanted === undefined) return undefined;
  return {
    snapshot,
    commit: plan.commit,
    approval: wanted,
    form,
    diff,
    stages: '',
    brought: [],
    isForeign: of.verdict.kind === 'foreign',
    earlier: earlierOf(of, wanted.release),
    links: linksOf(of, round, wanted.release),
    picture: pictureOf(snapshot, round, wanted.release),
    measured: measuredNow(snapshot.analyses, plan.record.measured?.of),
  };
}

/**
 * By the form that GitHub's documentation has for images in pull requests of the same repository: of a private one as well
 * they are shown to those who are signed in, as those of raw.githubusercontent.com are not.
 */
function pictureOf({ record }: Snapshot, { reading }: ProposalRound, release: Release): string {
  const isOfRelease = record?.course !== undefined && sameRelease(record.course.release, release);
  if (!isOfRelease || timelineSvg(record) === undefined) return '';
  const { statusBranch } = reading.desired.config;
  return `../blob/${urlPath(statusBranch)}/timelines/${urlPath(printKey(record))}.svg?raw=true`;
}

/** The numbers of the pull requests that were merged for this release, the newest last. */
export function earlierOf({ proposal }: Judged, release: Release): readonly number[] {
  if (proposal === undefined || !sameRelease(proposal.release, release)) return [];
  const last = proposal.state === 'merged' && proposal.number !== undefined ? [proposal.number] : [];
  return [...(proposal.earlier ?? []), ...last].slice(-EARLIER_MOST);
}

/** The commits that made the text; where they cannot be known, nobody is. */
async function broughtOf({ one }: Judged, { ports, reading, commits }: ProposalRound): Promise<readonly Brought[]> {
  const { snapshot } = one;
  const entry = reading.desired.rollouts.find(({ key }) => printKey(key) === printKey(one.key));
  const to = snapshot?.workload?.digest;
  if (entry === undefined || to === undefined || snapshot?.stable.kind !== 'known') return [];
  const found = await commits.brought(entry, { from: snapshot.stable.value.release.digest, to });
  if (found.kind !== 'known') return [];
  const brought: Brought[] = [];
  for (const oid of found.value.slice(0, BROUGHT_MOST)) {
    const [header] = await ports.git.history(oid, undefined, 1);
    if (header === undefined) continue;
    brought.push({ oid, subject: header.message.split('\n')[0] ?? '', author: header.author.name });
  }
  return brought;
}

function linksOf({ one }: Judged, { reading }: ProposalRound, release: Release) {
  const { cluster, namespace, name } = one.key;
  const values: Readonly<Record<string, string>> = { cluster, namespace, name, release: printRelease(release) };
  return Object.entries(reading.desired.config.links).map(([label, address]) => ({
    label,
    url: address.replace(/\{([a-z]+)\}/g, (whole, key: string) => encodeURIComponent(values[key] ?? whole)),
  }));
}
