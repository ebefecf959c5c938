/** Whether no edit leads back from the template that the groups run on: then only creating them again does. */

import type { Situation } from '../situation.ts';
import { differs, FIELDS } from './recreate-change.ts';

/**
 * Whether the groups run on a template from which no edit leads back to the stable one: judged by the revision that the
 * leader StatefulSet carries, because LWS takes an edit of claims that its StatefulSet then refuses.
 */
export function immutableBack({ observed, snapshot }: Pick<Situation, 'observed' | 'snapshot'>): boolean {
  const { stable, live } = snapshot;
  const key = observed?.leaderSet.revisionKey;
  // Flux renders it, and a document of it that could go for a while is nowhere.
  if (stable.kind !== 'known' || stable.value.rendered !== undefined || live.revisions.kind !== 'known') return false;
  const running = live.revisions.value.find((revision) => revision.key === key);
  return running !== undefined && FIELDS.some((field) => differs(field, stable.value.content, running.content));
}
