/** The page of all Rollouts: those that move or are stuck first, those at rest below. */

import { html, type Markup } from './html.ts';
import { brakesOf, cellsOf, imagesOf, legendOf, pageOf, stateOf, timeOf } from './parts.ts';
import type { HoldLine, RolloutShown, StatusShown } from './published.ts';

/** Holds of one Rollout that its row has; its own page has all. */
const HOLDS_MOST = 3;
const GROUPS_MOST = 32;
/** Rollouts in one part of the page. */
const ROWS_OF_PART = 20;
const LINES_OF_PART = 50;

/** `placeOf`: where the page of a Rollout lies, from the folder of all. */
export function indexPage(status: StatusShown, placeOf: (rollout: RolloutShown) => string): string {
  const resting = status.rollouts.filter(isAtRest);
  const moving = status.rollouts.filter((rollout) => !isAtRest(rollout));
  const overdue = status.asOf?.overdueSince ?? '';
  return pageOf({
    title: 'Rollouts',
    up: '',
    asOf: status.asOf?.at ?? '',
    body: html`<h1>Rollouts</h1>
<p>${moving.length} in a delivery, waiting or stalled; ${resting.length} at rest.</p>
${overdue === '' ? '' : html`<div class="hold"><p><strong>No pass has looked since ${timeOf(overdue)}</strong>: is <code>tranche reconcile</code> still running?</p></div>`}
${brakesOf(status.brakes.filter(({ kind }) => kind === 'stop'))}
${troubleOf(status)}
${legendOf()}
<h2 id="moving">In a delivery, waiting or stalled</h2>
${tableOf(moving, placeOf)}
<h2 id="rest">At rest</h2>
${restOf(resting, placeOf)}`,
  });
}

/** Settled, whole, and nothing holds it. */
function isAtRest({ state, stalled, holds, brakes, orderedNotSeen, groups }: RolloutShown): boolean {
  const isQuiet = holds.length + brakes.length + orderedNotSeen.length === 0;
  return state === 'settled' && !stalled && isQuiet && groups.every(({ ready }) => ready);
}

function troubleOf({ failed, notLookedAt }: StatusShown): Markup {
  const lines = [
    ...failed.map(({ rollout, why }) => html`<li><strong>${rollout}</strong> could not be looked at: ${why}</li>\n`),
    ...notLookedAt.map((rollout) => html`<li><strong>${rollout}</strong>: no pass has looked at it yet</li>\n`),
  ];
  return lines.length === 0 ? html`` : html`<ul>\n${lines}</ul>`;
}

type PlaceOf = (rollout: RolloutShown) => string;

const NONE = html`<p class="quiet">None.</p>`;

function tableOf(rollouts: readonly RolloutShown[], placeOf: PlaceOf): Markup {
  if (rollouts.length === 0) return NONE;
  return partsOf(
    rollouts,
    ROWS_OF_PART,
    (part) => html`<div class="wide part"><table class="stacked" aria-labelledby="moving">
<thead><tr><th scope="col">Rollout</th><th scope="col">State</th><th scope="col">Images</th><th scope="col">Groups</th><th scope="col">New side</th><th scope="col">Waits for</th></tr></thead>
<tbody>
${part.map((rollout) => rowOf(rollout, placeOf(rollout)))}</tbody>
</table></div>`,
  );
}

/** One line each, without a layout of columns. */
function restOf(rollouts: readonly RolloutShown[], placeOf: PlaceOf): Markup {
  if (rollouts.length === 0) return NONE;
  const lineOf = (rollout: RolloutShown): Markup => {
    const { cluster, namespace, name, images, groups } = rollout;
    const count = `${groups.length} ${groups.length === 1 ? 'group' : 'groups'}`;
    return html`<li><a href="${placeOf(rollout)}">${namespace}/${name}</a> <span class="quiet">${cluster}</span> ${count} ${imagesOf({ from: [], to: images.to })}\n`;
  };
  return partsOf(
    rollouts,
    LINES_OF_PART,
    (part) => html`<ul class="rest part" aria-labelledby="rest">\n${part.map(lineOf)}</ul>`,
  );
}

/** A browser lays out the parts that are in sight, and no others: of thousands as well. */
function partsOf<T>(all: readonly T[], most: number, partOf: (part: readonly T[]) => Markup): Markup {
  const parts = Array.from({ length: Math.ceil(all.length / most) }, (_, at) => all.slice(at * most, (at + 1) * most));
  return html`${parts.map((part) => html`${partOf(part)}\n`)}`;
}

function rowOf(rollout: RolloutShown, place: string): Markup {
  const { cluster, namespace, name, images, groups, brakes } = rollout;
  const called = `${namespace}/${name}`;
  const shown = groups.slice(0, GROUPS_MOST);
  const more =
    groups.length > shown.length ? html`<span class="quiet">and ${groups.length - shown.length} more</span>` : '';
  return html`<tr><th scope="row"><a href="${place}">${called}</a> <span class="quiet">${cluster}</span></th><td>${stateOf(rollout)}</td><td>${imagesOf(images)}</td><td>${cellsOf(shown, called)}${more}</td><td>${sideOf(rollout)}</td><td>${brakes.map(({ ends }) => html`<strong>held</strong>, ends by <code class="command">${ends}</code> `)}${holdsOf(rollout.holds)}</td></tr>\n`;
}

function sideOf({ second }: RolloutShown): Markup {
  const side = second?.sides.find((one) => one.side === 'canary');
  if (side === undefined) return html``;
  const share = second?.share === undefined ? '' : `, ${second.share.wanted} of the requests`;
  return html`${side.name}: ${side.ready ?? '?'} of ${side.groups} ready${share}`;
}

function holdsOf(holds: readonly HoldLine[]): Markup {
  const more = holds.length > HOLDS_MOST ? html`<p class="quiet">and ${holds.length - HOLDS_MOST} more</p>` : '';
  return html`${holds.slice(0, HOLDS_MOST).map(({ reason, message }) => html`<p><strong>${reason}</strong>: ${message}</p>`)}${more}`;
}
