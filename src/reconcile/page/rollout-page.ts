/** The page of one Rollout: where it stands, what it waits for, its commits, and what became of the releases before. */

import { printInstant } from '../../api/time.ts';
import { command } from '../../rollout/texts/command-text.ts';
import { deliveriesOf } from './deliveries-part.ts';
import { html, linked, type Markup } from './html.ts';
import { instantOf } from './json-parts.ts';
import { metricsOf } from './metrics-part.ts';
import { brakesOf, cellsOf, commitOf, durationOf, imagesOf, legendOf, pageOf, stateOf, timeOf } from './parts.ts';
import type { HoldLine, RolloutShown } from './published.ts';
import type { DeliveryShown } from './published-history.ts';

type RolloutPage = {
  readonly rollout: RolloutShown;
  /** Newest first. */
  readonly deliveries: readonly DeliveryShown[];
  /** From this page to the folder of all. */
  readonly up: string;
  readonly asOf: string;
};

/** Of one. */
export function rolloutPage({ rollout, deliveries, up, asOf }: RolloutPage): string {
  const called = `${rollout.namespace}/${rollout.name}`;
  return pageOf({
    title: `${called}: ${rollout.stateText}`,
    up,
    asOf,
    body: html`<h1>${called}</h1>
<p>${stateOf(rollout)} ${rollout.message}</p>
${brakesOf(rollout.brakes)}
${factsOf(rollout, asOf)}
<h2>Waits for</h2>
${rollout.holds.length === 0 ? html`<p class="quiet">Nothing.</p>` : rollout.holds.map(holdOf)}
${notSeenOf(rollout)}
<h2>Commands</h2>
${commandsOf(rollout)}
<h2>Groups</h2>
${legendOf(rollout.groups)}
${rollout.unseen === undefined ? '' : html`<p><strong>Older than the rest</strong>: since ${timeOf(rollout.unseen.since)} they are ${rollout.unseen.why === 'absent' ? 'not there' : 'not readable'}.</p>`}
${cellsOf(rollout.groups, called)}
${secondOf(rollout)}
${metricsOf(rollout.metrics)}
${deliveriesOf(deliveries, asOf)}`,
  });
}

function factsOf(rollout: RolloutShown, asOf: string): Markup {
  const { cluster, release, images, changedFields, stableCommit, step, pull } = rollout;
  const rows: readonly (readonly [string, Markup | undefined])[] = [
    ['Cluster', html`${cluster}`],
    ['Release', release === '' ? undefined : html`<code>${release}</code>`],
    ['Images', images.to.length === 0 ? undefined : imagesOf(images)],
    [
      'Also changes',
      changedFields.length === 0 ? undefined : html`${changedFields.map((one) => html`<code>${one}</code> `)}`,
    ],
    ['Stable version', stableCommit === '' ? undefined : html`commit ${commitOf(stableCommit)}`],
    ['Step', step === undefined ? undefined : stepOf(step)],
    ['Estimated end', endOf(rollout, asOf)],
    [
      'Pull request',
      pull === undefined
        ? undefined
        : html`${linked(pull.url, pull.number === undefined ? 'not opened yet' : `#${pull.number}`)}, ${pull.state}`,
    ],
  ];
  return html`<dl>
${rows.map(([label, value]) => (value === undefined ? html`` : html`<dt>${label}<dd>${value}\n`))}</dl>`;
}

function stepOf({ text, groups, ofGroups, writtenAt, doneSince }: NonNullable<RolloutShown['step']>): Markup {
  const covers = groups === undefined || ofGroups === undefined ? '' : `, ${groups} of ${ofGroups} groups`;
  const written = writtenAt === '' ? '' : html`, written ${timeOf(writtenAt)}`;
  return html`${text}${covers}${written}${doneSince === '' ? '' : html`, done since ${timeOf(doneSince)}`}`;
}

/** Without pauses that wait for someone: nobody knows how long they take. */
function endOf({ leftSeconds, manualPauses, step }: RolloutShown, asOf: string): Markup | undefined {
  if (step === undefined) return undefined;
  const at = instantOf(asOf);
  if (leftSeconds === undefined || at === undefined) return html`not known: no group has been seen loading yet`;
  const pauses =
    manualPauses === 0 ? '' : `, and ${manualPauses} ${manualPauses === 1 ? 'pause waits' : 'pauses wait'} for someone`;
  return html`${timeOf(printInstant(at + leftSeconds))} at the earliest, in ${durationOf(leftSeconds)}${pauses}`;
}

function holdOf({ reason, message, lines, until }: HoldLine): Markup {
  const ends = instantOf(until) === undefined ? '' : html`<p>Until ${timeOf(until)}</p>`;
  const below = lines.length === 0 ? '' : html`<ul>${lines.map((line) => html`<li>${line}`)}</ul>`;
  return html`<div class="hold"><p><strong>${reason}</strong>: ${message}</p>${below}${ends}</div>\n`;
}

function notSeenOf({ orderedNotSeen, changedNotSeen }: RolloutShown): Markup {
  const lines = [
    ...orderedNotSeen.map((one) => html`<li>ordered, not seen by a pass yet: ${one}`),
    ...changedNotSeen.map((one) => html`<li>changed on main since: <code>${one}</code>`),
  ];
  return lines.length === 0 ? html`` : html`<ul>${lines}</ul>`;
}

/** What may be ordered where it stands, by its state alone; what a hold asks for is in its message. */
function commandsOf({ namespace, name, state, brakes }: RolloutShown): Markup {
  const called = { name, called: `${namespace}/${name}` };
  const isMoving = state === 'step' || state === 'promotion' || state === 'requested';
  const paused = brakes.some(({ kind }) => kind === 'pause');
  const rows: readonly (readonly [string, string])[] = [
    ['Look again', command('status', called)],
    ...(state === 'step' ? [['End the pause of a step that is done', command('approve', called)] as const] : []),
    ...(isMoving ? [['Go back to the stable version', command('abort', called)] as const] : []),
    ...(state === 'settled' ? [['Go back to the release before', command('undo', called)] as const] : []),
    paused ? ['Go on', command('resume', called)] : ['No step forward for now', command('pause', called)],
  ];
  return html`<dl>
${rows.map(([why, words]) => html`<dt>${why}<dd><code class="command">${words}</code>\n`)}</dl>`;
}

function secondOf({ second }: RolloutShown): Markup {
  if (second === undefined) return html``;
  const { rungs, rung, sides, share } = second;
  const commits = rungs.map((one) =>
    one === rung ? html`<li aria-current="step">${one} (Git stands here)` : html`<li>${one}`,
  );
  return html`<h2>Both versions</h2>
<div class="wide" tabindex="0"><table><caption>What Git asks for, and what is there</caption>
<thead><tr><th>Side<th>LeaderWorkerSet<th>Groups asked for<th>Ready<th>Serving</thead>
<tbody>${sides.map(({ side, name, groups, ready, serving }) => html`<tr><th scope="row">${side === 'canary' ? 'new' : 'stable'}<td>${name}<td>${groups}<td>${ready ?? 'not read'}<td>${serving ?? 'not read'}`)}</tbody></table></div>
${share === undefined ? '' : html`<p>Share of the new version: <strong>${share.wanted}</strong> in Git, ${share.live === '' ? 'not read' : share.live} in the cluster, ${share.accepted ? 'accepted' : 'not accepted yet'}.</p>`}
${rungs.length === 0 ? '' : html`<h3>Commits of this step, in order</h3><ol class="rungs">${commits}</ol>`}`;
}
