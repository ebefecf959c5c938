/** Title and body of a pull request: what merging it does, on what evidence, and how to say no. A function of its change. */

import { printApprove } from '../../api/intents.ts';
import type { ProposalForm } from '../../api/proposal-record.ts';
import type { MeasuredStep } from '../../api/record-metrics.ts';
import { shortRelease } from '../../api/release.ts';
import type { Instant } from '../../api/time.ts';
import type { PlannedCommit } from '../commits/planned-commit.ts';
import { wantsEvidence } from '../gates/evidence.ts';
import type { Snapshot } from '../snapshot.ts';
import { command } from '../texts/command-text.ts';
import { policySaying } from '../texts/sentences.ts';
import { block, code, plain } from './encode.ts';
import { FORMS, isFields } from './form.ts';
import { metricsTable } from './metrics-table.ts';
import type { Approval } from './promotion.ts';
import { groupsMoved, imagesBoth, type Released, releaseDiff, releaseTable } from './release-table.ts';
import { asksOf } from './requirements.ts';
import { wholeOf } from './rungs.ts';

/** Forges take more; what is left out is said. */
const BODY_MOST = 60_000;
const DIFF_MOST = 20_000;
const TITLE_MOST = 200;
const STAGES_MOST = 15_000;

/** What it is written from. */
export type Proposed = Released & {
  readonly approval: Approval;
  readonly form: ProposalForm;
  /** Of the commit that follows the merge, as it would be written now. */
  readonly diff: string;
  /** The stages that the model says the groups go through, as Markdown of ours; empty: it could not be played. */
  readonly stages: string;
  /** Whether its branch holds what others have pushed. */
  readonly isForeign: boolean;
  /** Where people look at it, as `tranche.yaml` has them. */
  readonly links: readonly { readonly label: string; readonly url: string }[];
  /** Where the status branch has the picture of the commits so far, as the forge finds it from a pull request; empty: there is none. */
  readonly picture: string;
  /** What metrics say in this pass of the step before; undefined: nothing. */
  readonly measured: MeasuredStep | undefined;
};

/** `llm/vllm 2/4: 2 → 4 of 8 groups on v0.10.1 (prod-eu)` */
export function titleOf({ snapshot, commit }: Proposed): string {
  const { cluster, namespace, name } = snapshot.key;
  const whole = wholeOf({ snapshot, commit });
  const label = whole?.label ?? commit.label.replace(/^step /, '');
  const groups = whole?.short ?? groupsText({ snapshot, commit });
  const tags = tagsOf(snapshot);
  const what = groups === '' ? '' : `: ${groups}${tags === '' ? '' : ` on ${tags}`}`;
  return plain(`${namespace}/${name} ${label}${what} (${cluster})`, TITLE_MOST);
}

/**
 * The body without what ticks and what its commit alone decides: where this is another text, the pull request is worth
 * writing again. `since`: when it was opened.
 */
export function lastingText(of: Proposed, since: Instant): string {
  const { snapshot, commit } = of;
  const at = { ...snapshot, now: since };
  const rest = { commit: { ...commit, message: '' }, diff: '', stages: '', brought: [], measured: undefined };
  return `${titleOf(of)}\n${bodyOf({ ...of, ...rest, snapshot: at })}`;
}

/** The body. Values of others stand in code; nothing of it is ever read back. */
export function bodyOf(of: Proposed): string {
  const parts = [
    foreign(of),
    noRollback(of),
    merging(of),
    adoption(of),
    approvals(of),
    releaseTable(of),
    of.measured === undefined ? '' : metricsTable(of.measured),
    links(of),
    releaseDiff(of.snapshot),
    picture(of),
    stages(of),
    diff(of),
    saysNo(of),
    formText(of),
  ];
  const text = parts.filter((part) => part !== '').join('\n');
  return text.length <= BODY_MOST ? text : `${text.slice(0, text.lastIndexOf('\n', BODY_MOST - 40))}\n\n… and more\n`;
}

/** First of all: the rest of the text says what we have made. */
function foreign({ isForeign }: Proposed): string {
  return isForeign
    ? '> [!CAUTION]\n> Someone has pushed to this branch. It no longer holds what is described below, and its status fails.\n'
    : '';
}

/** What nobody but people can take back is not merged by the way. */
function noRollback({ form, snapshot }: Proposed): string {
  return form === 'WithoutPush'
    ? `> [!CAUTION]\n> tranche cannot push to this branch, and ${code(policySaying(snapshot, 'withoutDirectPush'))} accepts that. If the release fails after the merge, tranche can neither lock the groups nor roll back. Only a pull request of your own can: ${code(command('plan', snapshot.key))} shows what it must contain.\n`
    : '';
}

function merging({ snapshot, commit, approval, form }: Proposed): string {
  const whole = wholeOf({ snapshot, commit });
  const step = `${code(commit.label)} of release ${code(shortRelease(approval.release))}`;
  return [
    isFields(form)
      ? `Merging this releases the groups of ${step} for update: they restart once the agent has applied the merge.`
      : commit.reason === 'Adopted'
        ? `Merging this lets tranche adopt the workload. Nothing restarts. After the merge tranche checks every gate again and commits the change below.`
        : `Merging this approves ${step}. After the merge tranche checks every gate again and commits the step.`,
    ...(whole === undefined || whole.long === '' ? [] : ['', whole.long]),
    '',
    `> ${code(why(commit), 2000)}`,
    '',
  ].join('\n');
}

/** Whose approval policies ask for: said before a merge that would not be enough. */
function approvals({ snapshot }: Proposed): string {
  const asks = asksOf(snapshot);
  if (asks.length === 0) return '';
  return `Policies ask for these approvals. A review of what is merged counts, and so does the merge itself:\n\n${asks.map((ask) => `- ${code(ask)}\n`).join('')}`;
}

/** The paragraph of the commit between its subject and its trailers. */
function why({ message }: PlannedCommit): string {
  return (message.split('\n\n')[1] ?? '').replaceAll('\n', ' ');
}

/** Their form is checked where they are read: neither ends a link. */
function links(of: Proposed): string {
  return of.links.length === 0 ? '' : `${of.links.map(({ label, url }) => `[${label}](${url})`).join(' · ')}\n`;
}

/** Who may read the repository sees it: the browser asks the forge, and no proxy does. */
function picture(of: Proposed): string {
  return of.picture === '' ? '' : `### Its commits so far\n\n![groups and share over time](${of.picture})\n`;
}

function stages(of: Proposed): string {
  if (of.stages === '') return '';
  const shown = of.stages.length <= STAGES_MOST ? of.stages : 'There are too many stages to show here.\n';
  return `### What LeaderWorkerSet will do\n\n${shown}`;
}

function diff(of: Proposed): string {
  return `### ${isFields(of.form) ? 'What is merged' : 'What tranche commits after the merge'}\n\n${block(of.diff, 'diff', DIFF_MOST)}`;
}

/** Until its partition is at the sentinel, LeaderWorkerSet takes any edit of the template to all groups at once. */
function adoption({ commit }: Proposed): string {
  return commit.reason === 'Adopted'
    ? '> [!WARNING]\n> Until this is merged, an edit of the template restarts all groups at once. Merge no new version before it.\n'
    : '';
}

function saysNo({ snapshot, commit, form }: Proposed): string {
  // Where the forge is to show who approved, an approval by commit counts for nothing; where no commit comes through, as well.
  const isShown = wantsEvidence(snapshot) || form === 'WithoutPush';
  const { key } = snapshot;
  const otherwise = isShown ? '' : ` ${code(command('approve', key))} approves the step without this pull request.`;
  return [
    '### Other answers',
    '',
    `- To reject: close this pull request. Reopening it withdraws the rejection.${otherwise}`,
    `- To wait: leave it open, or run ${code(command('pause', key))}.`,
    // What was taken over restarts nothing, and there is no release to abort.
    commit.reason === 'Adopted'
      ? `- To undo the adoption after the merge: run ${code(command('eject', key))}.`
      : form === 'WithoutPush'
        ? '- To roll back: put the earlier template back into the file, and leave the partition as it is. A revert of this pull request rolls no group back.'
        : `- To roll back: run ${code(command('abort', key))}. A revert of this pull request rolls no group back.`,
    '',
  ].join('\n');
}

function formText({ approval, form }: Proposed): string {
  const { because } = FORMS[form];
  return [
    '---',
    isFields(form)
      ? `This pull request contains the step itself, because ${because}.${form === 'WithoutPush' ? '' : ' If it is merged when a gate has closed again, tranche puts back what no group has followed yet, and waits for someone.'}`
      : `This pull request adds the approval ${code(printApprove(approval))} to the Rollout. It does not contain the step itself, because ${because}. If it is merged late, it approves only the commit above.`,
    '',
  ].join('\n');
}

/** `2 → 4 of 8 groups`; empty where the partition stays. */
function groupsText(of: Pick<Proposed, 'snapshot' | 'commit'>): string {
  const moved = groupsMoved(of);
  return moved === undefined ? '' : `${moved.before} → ${moved.after} of ${moved.of} groups`;
}

/** The tags of the images that are new. */
function tagsOf(snapshot: Snapshot): string {
  const [before, after] = imagesBoth(snapshot);
  const fresh = after.filter((image) => !before.includes(image));
  return fresh.map((image) => image.slice(image.lastIndexOf(':') + 1)).join(', ');
}
