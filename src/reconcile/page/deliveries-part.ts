/**
 * What became of releases: of the newest its picture and every commit, of those before a line each. End tags that HTML lets
 * out are left out: there is a page for each Rollout.
 */

import { oneLine } from '../../api/printable.ts';
import { seen } from '../../api/seen.ts';
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
  const { release, outcome, why, orders, steps, isBorneOut, changes } = delivery;
  const columns: Columns = {
    share: steps.some(({ share }) => share !== undefined),
    approval: steps.some(({ approvedBy }) => approvedBy !== ''),
  };
  return html`<p><code>${release}</code>: <strong>${outcome}</strong>${why === '' ? '' : `: ${why}`}${requestOf(delivery)}.${isBorneOut === false ? html` <strong>The file of its first step does not have this release.</strong>` : ''}</p>
${timelineOf(delivery, asOf)}
<div class="wide" tabindex="0"><table><caption>Its commits on main, newest first</caption>
<thead><tr><th>Step${columns.share ? html`<th>Requests, new : stable` : ''}<th>Why then<th>At<th>Until the next<th>Commit${columns.approval ? html`<th>Approved by` : ''}</thead>
<tbody>
${steps.map((step) => stepRow(step, columns))}</tbody></table></div>
${changesOf(changes)}
${ordersOf(orders)}
${policiesOf(steps)}`;
}

function requestOf({ requested }: DeliveryShown): Markup {
  if (requested === undefined) return html``;
  return html`; asked for by ${requested.by} in commit ${commitOf(requested.commit)}, ${timeOf(requested.at)}`;
}

/** Columns that no row would fill are left out: most deliveries route nothing, or wait for no approval. */
type Columns = { readonly share: boolean; readonly approval: boolean };

function stepRow(line: StepLine, columns: Columns): Markup {
  const { step, reason, at, seconds, commit, approvedBy, groups, share } = line;
  const isCommit = /^[0-9a-f]{40,64}$/.test(approvedBy);
  const approval = isCommit
    ? html`commit ${commitOf(approvedBy)}`
    : html`${approvedBy === '' ? '' : `pull request ${approvedBy}`}`;
  const released = groups === undefined ? '' : `, ${groups.updated} of ${groups.of} groups`;
  return html`<tr><th scope="row">${step}${released}${columns.share ? html`<td>${sharesOf(share)}` : ''}<td>${reason}<td>${timeOf(at)}<td>${durationOf(seconds)}<td>${commitOf(commit)}${columns.approval ? html`<td>${approval}` : ''}\n`;
}

/** Of both versions. */
function sharesOf(share: StepLine['share']): string {
  if (share === undefined) return 'not known';
  const percent = (part: number): string => `${Number(part.toFixed(1))}%`;
  const matches = share.matches ? ', and what has its headers' : '';
  return `${percent(share.percent)} : ${percent(100 - share.percent)}${matches}`;
}

/** Lines that are left out are counted in the last one. Signs tell what colours do. */
function changesOf(changes: readonly string[] | undefined): Markup {
  if (changes === undefined) return html``;
  const lines = changes.map(
    (line) => html`<span class="${KINDS[line.charAt(0)] ?? ''}">${seen(oneLine(line))}</span>\n`,
  );
  return html`<h3>What it changes of the stable version</h3>
${lines.length === 0 ? html`<p class="quiet">Nothing.</p>` : html`<pre class="diff" tabindex="0">${lines}</pre>`}`;
}

const KINDS: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed' };

function ordersOf(orders: readonly OrderLine[]): Markup {
  if (orders.length === 0) return html``;
  return html`<h3>Orders</h3>
<ul>${orders.map(({ what, at, by, commit }) => html`<li>${timeOf(at)}: ${what}${by === '' ? '' : `, by ${by}`}, commit ${commitOf(commit)}`)}</ul>`;
}

/** Of its newest step: they may have been others before. */
function policiesOf(steps: readonly StepLine[]): Markup {
  const [newest] = steps;
  if (newest === undefined) return html``;
  const { policies, exceptions } = newest;
  return html`<h3>Policies in force at its newest commit</h3>
${policies.length === 0 ? html`<p class="quiet">None with limits, windows or soaks.</p>` : html`<ul>${policies.map((one) => html`<li><code>${one}</code>`)}</ul>`}
${exceptions.length === 0 ? '' : html`<p>Exceptions: ${exceptions.join('; ')}</p>`}`;
}

function beforeOf(deliveries: readonly DeliveryShown[]): Markup {
  if (deliveries.length === 0) return html`<p class="quiet">None.</p>`;
  const left = deliveries.length - BEFORE_MOST;
  return html`<div class="wide" tabindex="0"><table><caption>Newest first</caption>
<thead><tr><th>Release<th>Outcome<th>From<th>To<th>Images<th>Asked for by<th>Commits</thead>
<tbody>
${deliveries.slice(0, BEFORE_MOST).map(beforeRow)}</tbody></table></div>${left > 0 ? html`\n<p class="quiet">and ${left} more: <code>tranche history</code> has all</p>` : ''}`;
}

/** Commits are counted: there are many, and `tranche history` has each. */
function beforeRow({ release, outcome, why, begunAt, endedAt, images, requested, steps }: DeliveryShown): Markup {
  const [last] = steps;
  return html`<tr><th scope="row"><code>${release.slice(0, 8)}</code><td>${outcome}${why === '' ? '' : `: ${why}`}<td>${timeOf(begunAt)}<td>${endedAt === '' ? '' : timeOf(endedAt)}<td>${images.map((image) => html`<code>${image}</code> `)}<td>${requested?.by ?? ''}<td>${steps.length}${last === undefined ? '' : html`, the last ${commitOf(last.commit)}`}\n`;
}
