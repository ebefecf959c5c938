/** What several pages show in the same way: the frame with its policy, states, groups, brakes and commits. */

import { printDuration } from '../../api/time.ts';
import { html, type Markup } from './html.ts';
import { instantOf } from './json-parts.ts';
import type { BrakeLine, GroupCell, RolloutShown } from './published.ts';

/**
 * No script, no frame, no form, nothing from elsewhere: what came through as markup in spite of everything could still do
 * nothing. The style is a file next to the pages.
 */
const POLICY = html`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'">`;

type Frame = {
  readonly title: string;
  /** From this page to the folder of all, as `../../`. */
  readonly up: string;
  /** When the world was read; empty: no pass has written yet. */
  readonly asOf: string;
  readonly body: Markup;
};

/** A whole page. */
export function pageOf({ title, up, asOf, body }: Frame): string {
  const home =
    up === ''
      ? undefined
      : html`<header><nav aria-label="Pages"><a href="${up}index.html">All Rollouts</a></nav></header>\n`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${POLICY}
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="stylesheet" href="${up}style.css">
</head>
<body>
<a class="skip" href="#content">To the content</a>
${home}<main id="content">
${body}
</main>
<footer><p class="quiet">${asOf === '' ? 'No pass has written a status yet.' : html`As of ${timeOf(asOf)}. This page does not change by itself: it is as old as that.`}</p></footer>
</body>
</html>
`.text;
}

/** A time as HTML reads it, so that no attribute has to say it once more: 1,000 Rollouts have 40,000 of them. */
export function timeOf(written: string): Markup {
  if (instantOf(written) === undefined) return html`${written}`;
  return html`<time>${written.replace('T', ' ')}</time>`;
}

/** Of a commit: the part of its name that people read, and that git takes. */
export function commitOf(oid: string): Markup {
  return oid === '' ? html`` : html`<code>${oid.slice(0, 12)}</code>`;
}

/** The state in a few words, in the colour of its kind. */
export function stateOf({ state, stateText, stalled }: Pick<RolloutShown, 'state' | 'stateText' | 'stalled'>): Markup {
  const kind = stalled ? 'stalled' : (STATES[state] ?? 'unknown');
  return html`<span class="state ${kind}">${stateText}</span>`;
}

const STATES: Readonly<Record<string, string>> = {
  notAdopted: 'unknown',
  settled: 'settled',
  requested: 'requested',
  step: 'step',
  promotion: 'step',
  rollback: 'rollback',
};

const SIGNS: Readonly<Record<GroupCell['version'], string>> = { release: '●', stable: '○', other: '◇', absent: '–' };

const VERSIONS: Readonly<Record<GroupCell['version'], string>> = {
  release: 'on the version in Git',
  stable: 'on the stable version',
  other: 'on another version',
  absent: 'not there',
};

/** What the signs of these groups mean; all of them where `groups` is not there. */
export function legendOf(groups?: readonly GroupCell[]): Markup {
  const isThere = (is: (group: GroupCell) => boolean): boolean => groups?.some(is) ?? true;
  const meanings = [
    ...(['release', 'stable', 'other', 'absent'] as const)
      .filter((version) => isThere((group) => group.version === version))
      .map((version) => [SIGNS[version], VERSIONS[version]] as const),
    ...(isThere(({ ready, version }) => !ready && version !== 'absent') ? [['…', 'not ready'] as const] : []),
    ...(isThere(({ extra }) => extra) ? [['+', 'there only while others restart'] as const] : []),
  ];
  const words = meanings.map(
    ([sign, meaning], place) => html`${place === 0 ? '' : ', '}<span aria-hidden="true">${sign}</span> ${meaning}`,
  );
  return words.length === 0 ? html`` : html`<p class="quiet">Groups: ${words}.</p>`;
}

/** A cell for each group, in the order of their numbers. Who hears the page gets one sentence in place of the signs. */
export function cellsOf(groups: readonly GroupCell[], name: string): Markup {
  if (groups.length === 0) return html`<span class="quiet">none seen</span>`;
  const cells = groups.map(({ index, version, ready, since, extra }) => {
    const kind = ready || version === 'absent' ? version : `${version} unready`;
    const sign = `${SIGNS[version]}${ready || version === 'absent' ? '' : '…'}${extra ? '+' : ''}`;
    return html`<li${kind === 'release' ? '' : html` class="${kind}"`}${ready ? '' : html` title="since ${since}"`}>${index} ${sign}`;
  });
  return html`<ul class="cells" aria-hidden="true">${cells}</ul><span class="unseen">groups of ${name}: ${spokenGroups(groups)}</span>`;
}

/** `0 to 3 on the stable version, ready; 4 on the version in Git, not ready`: neighbours that are the same in one part. */
function spokenGroups(groups: readonly GroupCell[]): string {
  const runs: { readonly from: number; to: number; readonly words: string }[] = [];
  for (const { index, version, ready, extra } of groups) {
    const words = `${VERSIONS[version]}, ${ready ? 'ready' : 'not ready'}${extra ? ', extra' : ''}`;
    const last = runs.at(-1);
    if (last?.words === words && last.to === index - 1) last.to = index;
    else runs.push({ from: index, to: index, words });
  }
  return runs.map(({ from, to, words }) => `${from === to ? from : `${from} to ${to}`} ${words}`).join('; ');
}

/** What holds steps on purpose, with the command that ends it. */
export function brakesOf(brakes: readonly BrakeLine[]): Markup {
  const lines = brakes.map(({ kind, rollout, file, since, by, why, until, ends }) => {
    const what = kind === 'stop' ? 'All Rollouts are stopped' : html`Paused: ${rollout}`;
    const details = [
      ...(since === '' ? [] : [html` since ${timeOf(since)}`]),
      ...(by === '' ? [] : [html` by ${by}`]),
      ...(until === '' ? [html` until someone ends it`] : [html` until ${timeOf(until)}`]),
    ];
    return html`<div class="brake"><p><strong>${what}</strong>${details}${why === '' ? '' : `: ${why}`}</p>
<p>It stands in <code>${file}</code>. To end it: <code class="command">${ends}</code></p></div>\n`;
  });
  return html`${lines}`;
}

/** `12 min`; empty where it is not known. */
export function durationOf(seconds: number | undefined): string {
  return seconds === undefined ? '' : printDuration(seconds);
}

/** `old → new`, or the images that stand. */
export function imagesOf({ from, to }: RolloutShown['images']): Markup {
  const names = (images: readonly string[]) => images.map((image) => html`<code>${image}</code> `);
  const isReplaced = from.length > 0 && from.join(' ') !== to.join(' ');
  return isReplaced ? html`${names(from)}<span aria-label="becomes">→</span> ${names(to)}` : html`${names(to)}`;
}
