/** What became of releases: of the newest its picture and every commit, of those before a line each. */

import { html, type Markup } from './html.ts';
import { commitOf, durationOf, timeOf } from './parts.ts';
import type { DeliveryShown, OrderLine, StepLine } from './published-history.ts';
import { timelineOf } from './timeline.ts';

/** Deliveries before the newest one that a page has; `tranche history` has all. */
const BEFORE_MOST = 20;

/** `asOf`: when the world was read. Newest first. */
export function deliveriesOf(deliveries: readonly DeliveryShown[], asOf: string): Markup {
  const [newest, ...before] = deliveries;
  if (newest === undefined)
    return html`<h2>History</h2>\n<p class="quiet">No release was delivered, or no history was read.</p>`;
  return html`<h2>The newest release</h2>
${newestOf(newest, asOf)}
<h2>Releases before</h2>
${beforeOf(before)}`;
}

function newestOf(delivery: DeliveryShown, asOf: string): Markup {
  const { release, outcome, why, orders, steps, isBorneOut } = delivery;
  return html`<p><code>${release}</code>: <strong>${outcome}</strong>${why === '' ? '' : `: ${why}`}${requestOf(delivery)}.${isBorneOut === false ? html` <strong>The file of its first step does not have this release.</strong>` : ''}</p>
${timelineOf(delivery, asOf)}
<div class="wide" tabindex="0"><table><caption>Its commits on main, newest first</caption>
<thead><tr><th scope="col">Step</th><th scope="col">Why then</th><th scope="col">At</th><th scope="col">Until the next</th><th scope="col">Commit</th><th scope="col">Approved by</th></tr></thead>
<tbody>
${steps.map(stepRow)}</tbody></table></div>
${ordersOf(orders)}
${policiesOf(steps)}`;
}

function requestOf({ requested }: DeliveryShown): Markup {
  if (requested === undefined) return html``;
  return html`; asked for by ${requested.by} in commit ${commitOf(requested.commit)}, ${timeOf(requested.at)}`;
}

function stepRow({ step, reason, at, seconds, commit, approvedBy, groups }: StepLine): Markup {
  const isCommit = /^[0-9a-f]{40,64}$/.test(approvedBy);
  const approval = isCommit
    ? html`commit ${commitOf(approvedBy)}`
    : html`${approvedBy === '' ? '' : `pull request ${approvedBy}`}`;
  const released = groups === undefined ? '' : `, ${groups.updated} of ${groups.of} groups`;
  return html`<tr><th scope="row">${step}${released}</th><td>${reason}</td><td>${timeOf(at)}</td><td>${durationOf(seconds)}</td><td>${commitOf(commit)}</td><td>${approval}</td></tr>\n`;
}

function ordersOf(orders: readonly OrderLine[]): Markup {
  if (orders.length === 0) return html``;
  return html`<h3>Orders</h3>
<ul>${orders.map(({ what, at, by, commit }) => html`<li>${timeOf(at)}: ${what}${by === '' ? '' : `, by ${by}`}, commit ${commitOf(commit)}</li>`)}</ul>`;
}

/** Of its newest step: they may have been others before. */
function policiesOf(steps: readonly StepLine[]): Markup {
  const [newest] = steps;
  if (newest === undefined) return html``;
  const { policies, exceptions } = newest;
  return html`<h3>Policies in force at its newest commit</h3>
${policies.length === 0 ? html`<p class="quiet">None with limits, windows or soaks.</p>` : html`<ul>${policies.map((one) => html`<li><code>${one}</code></li>`)}</ul>`}
${exceptions.length === 0 ? '' : html`<p>Exceptions: ${exceptions.join('; ')}</p>`}`;
}

function beforeOf(deliveries: readonly DeliveryShown[]): Markup {
  if (deliveries.length === 0) return html`<p class="quiet">None.</p>`;
  const left = deliveries.length - BEFORE_MOST;
  return html`<div class="wide" tabindex="0"><table><caption>Newest first</caption>
<thead><tr><th scope="col">Release</th><th scope="col">Outcome</th><th scope="col">From</th><th scope="col">To</th><th scope="col">Images</th><th scope="col">Asked for by</th><th scope="col">Commits</th></tr></thead>
<tbody>
${deliveries.slice(0, BEFORE_MOST).map(beforeRow)}</tbody></table></div>${left > 0 ? html`\n<p class="quiet">and ${left} more: <code>tranche history</code> has all</p>` : ''}`;
}

function beforeRow({ release, outcome, why, begunAt, endedAt, images, requested, steps }: DeliveryShown): Markup {
  const commits = steps.map(({ step, commit, at }) => html`<li>${step}: ${commitOf(commit)}, ${timeOf(at)}</li>`);
  return html`<tr><th scope="row"><code title="${release}">${release.slice(0, 8)}</code></th><td>${outcome}${why === '' ? '' : `: ${why}`}</td><td>${timeOf(begunAt)}</td><td>${endedAt === '' ? '' : timeOf(endedAt)}</td><td>${images.map((image) => html`<code>${image}</code> `)}</td><td>${requested?.by ?? ''}</td><td><details><summary>${steps.length}</summary><ul>${commits}</ul></details></td></tr>\n`;
}
