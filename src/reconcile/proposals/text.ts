/** Title and body of the pull request of one rollout, with what is read for them alone. */

import type { ProposalForm } from '../../api/proposal-record.ts';
import { printRelease, type Release, sameRelease } from '../../api/release.ts';
import { printKey } from '../../rollout/key-text.ts';
import { bodyOf, titleOf } from '../../rollout/proposals/body.ts';
import type { Brought } from '../../rollout/proposals/release-table.ts';
import { caseOf } from './case.ts';
import type { Desk, Judged } from './propose.ts';

/** More commits than this are not told one by one. */
const BROUGHT_MOST = 5;
const EARLIER_MOST = 20;

/** Throws PortError where Git fails. */
export async function textOf(
  of: Judged,
  { desk, form }: { readonly desk: Desk; readonly form: ProposalForm },
): Promise<{ readonly title: string; readonly body: string }> {
  const { snapshot, plan, diff, writes } = of.one;
  const commit = plan?.commit;
  const { wanted } = caseOf(snapshot, plan);
  if (snapshot === undefined || commit === undefined || wanted === undefined) return { title: '', body: '' };
  // The model is loaded only where a pull request shows what it says.
  const { stagesOf } = await import('./stages.ts');
  const proposed = {
    snapshot,
    commit,
    approval: wanted,
    form,
    diff,
    stages: stagesOf(snapshot, writes),
    brought: await broughtOf(of, desk),
    earlier: earlierOf(of, wanted.release),
    links: linksOf(of, desk, wanted.release),
  };
  return { title: titleOf(proposed), body: bodyOf(proposed) };
}

/** The numbers of the pull requests that were merged for this release, the newest last. */
export function earlierOf({ proposal }: Judged, release: Release): readonly number[] {
  if (proposal === undefined || !sameRelease(proposal.release, release)) return [];
  const last = proposal.state === 'merged' && proposal.number !== undefined ? [proposal.number] : [];
  return [...(proposal.earlier ?? []), ...last].slice(-EARLIER_MOST);
}

/** The commits that made the text; where they cannot be told, nobody is. */
async function broughtOf({ one }: Judged, { ports, reading, commits }: Desk): Promise<readonly Brought[]> {
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

function linksOf({ one }: Judged, { reading }: Desk, release: Release) {
  const { cluster, namespace, name } = one.key;
  const values: Readonly<Record<string, string>> = { cluster, namespace, name, release: printRelease(release) };
  return Object.entries(reading.desired.config.links).map(([label, address]) => ({
    label,
    url: address.replace(/\{([a-z]+)\}/g, (whole, key: string) => encodeURIComponent(values[key] ?? whole)),
  }));
}
