/** All pages of a look, from the published JSON of `status` and `history` alone: no Git, no cluster, no credentials. */

import { indexPage } from './index-page.ts';
import { type RolloutShown, statusOf } from './published.ts';
import { historyOf } from './published-history.ts';
import { rolloutPage } from './rollout-page.ts';
import { STYLE } from './style.ts';

export type PageFile = { readonly path: string; readonly text: string };

/** Either the files, the page of all last, so that a browser that finds it finds the others; or what is wrong with the JSON. */
type Pages =
  | {
      readonly files: readonly PageFile[];
      /** Rollouts that have a page, and those that no pass has looked at. */
      readonly count: { readonly looked: number; readonly notLooked: number };
    }
  | { readonly fault: string };

/** `history` undefined: none is shown. */
export function pagesOf(statusJson: unknown, historyJson: unknown): Pages {
  const status = statusOf(statusJson);
  if (status === undefined)
    return { fault: 'the status is none of version 1, wanted what tranche status --output json prints' };
  const history = historyJson === undefined ? new Map<string, never>() : historyOf(historyJson);
  if (history === undefined)
    return { fault: 'the history is none of version 1, wanted what tranche history --output json prints' };
  const places = placesOf(status.rollouts);
  const asOf = status.asOf?.at ?? '';
  const pages = status.rollouts.map((rollout): PageFile => {
    const path = places.get(rollout) ?? '';
    const deliveries = history.get(`${rollout.cluster}/${rollout.namespace}/${rollout.name}`) ?? [];
    const up = '../'.repeat(path.split('/').length - 1);
    return { path, text: rolloutPage({ rollout, deliveries, up, asOf }) };
  });
  const all = indexPage(status, (rollout) => places.get(rollout) ?? '');
  const count = { looked: pages.length, notLooked: status.notLookedAt.length };
  return { files: [{ path: 'style.css', text: STYLE }, ...pages, { path: 'index.html', text: all }], count };
}

/** As Kubernetes names things: no separator, no dot at the start, and short enough for a name of a file with its ending. */
const NAME = /^[a-z0-9]([a-z0-9.-]{0,238}[a-z0-9])?$/;

/**
 * Where the page of each lies. A name is a folder only where it can be one and nothing else, and only for the first that has
 * it; any other gets a number: the JSON may come from anywhere, and no page is written but below the folder of all.
 */
function placesOf(rollouts: readonly RolloutShown[]): ReadonlyMap<RolloutShown, string> {
  const places = new Map<RolloutShown, string>();
  const taken = new Set<string>();
  for (const [index, rollout] of rollouts.entries()) {
    const parts = [rollout.cluster, rollout.namespace, rollout.name];
    const named = `rollouts/${parts.join('/')}.html`;
    const isPlain = parts.every((part) => NAME.test(part) && !part.includes('..')) && !taken.has(named);
    places.set(rollout, isPlain ? named : `others/${index}.html`);
    taken.add(named);
  }
  return places;
}
