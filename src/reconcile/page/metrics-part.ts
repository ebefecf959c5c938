/** What metrics said of a step, as a table of the page of one Rollout. */

import { html, type Markup } from './html.ts';
import { timeOf } from './parts.ts';
import type { CountsShown, MetricsShown } from './published-metrics.ts';

const ANSWERS: Readonly<Record<string, string>> = {
  failed: 'failed',
  passed: 'passed',
  waiting: 'not decided yet',
  inconclusive: 'inconclusive',
  noRequests: 'no requests',
};

/** Nothing where nothing was judged. */
export function metricsOf(shown: MetricsShown | undefined): Markup {
  if (shown === undefined) return html``;
  const rows = shown.metrics.map(
    (one) =>
      html`<tr><th scope="row">${one.name}<td>${ANSWERS[one.answer] ?? one.answer}<td>${countsOf(one.new)}<td>${countsOf(one.stable)}<td>${one.line}<td>${timeOf(one.until)}`,
  );
  return html`<h2>Metrics</h2>
<div class="wide" tabindex="0"><table><caption>Bad of all requests, in step ${shown.step}</caption>
<thead><tr><th>Metric<th>Answer<th>New version<th>Stable version<th>New version over time<th>Counted to</thead>
<tbody>${rows}</tbody></table></div>`;
}

function countsOf({ requests, bad }: CountsShown): string {
  return requests === 0 ? 'no requests' : `${bad} of ${requests} (${((bad / requests) * 100).toFixed(2)} %)`;
}
