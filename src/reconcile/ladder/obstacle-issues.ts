/** Says of what stands in the way of a ladder where it is in the user's files. */

import type { Issue } from '../../api/issue.ts';
import { fieldIssue } from '../documents/read-rollout.ts';
import type { Obstacle } from './climb.ts';
import { type DeliveryParts, finder, type Texts } from './delivery-parts.ts';

/** Where the user's files cannot take a commit, by their own lines. */
export function obstacleIssues(before: Texts, obstacle: Obstacle): readonly Issue[] {
  if (obstacle.kind === 'unwritable') {
    const { route, faults } = obstacle;
    const isInside: DeliveryParts['isInside'] = ({ object }) => object.namespace === route.object.namespace;
    const document = finder({ texts: before, kinds: [route.object.kind], isInside })(route);
    return document === undefined ? [] : faults.map((fault) => fieldIssue(document, fault));
  }
  const { issue, texts } = obstacle;
  return [{ ...issue, line: lineBefore(issue, { before, texts }) }];
}

/** Lines of ours may stand above by now: the line of the user's file is the one with the same text, counted from the top. */
function lineBefore(
  { file, line }: Issue,
  { before, texts }: { readonly before: Texts; readonly texts: Texts },
): number {
  const now = (texts.get(file) ?? '').split('\n').slice(0, line);
  const text = now.at(-1);
  const count = now.filter((one) => one === text).length;
  const places = (before.get(file) ?? '').split('\n').flatMap((one, at) => (one === text ? [at + 1] : []));
  return places[count - 1] ?? places.at(-1) ?? line;
}
