/** Which Rollouts a name means in the log of main, and what is said where it means none. */

import { namesText } from '../../api/names-text.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import type { Desired } from '../desired/desired-rollout.ts';
import type { LogRead } from './read-log.ts';

/** What is empty leaves it open. */
type Named = { readonly cluster: string; readonly namespace: string; readonly name: string };

/** Whether `cluster/namespace/name` is meant. */
export function isNamed(key: string, of: Named): boolean {
  const [cluster = '', namespace = '', name = ''] = key.split('/');
  return (
    (of.cluster === '' || of.cluster === cluster) &&
    (of.namespace === '' || of.namespace === namespace) &&
    (of.name === '' || of.name === name)
  );
}

type There = {
  /** As commits name Rollouts; empty: all of them are meant. */
  readonly said: Iterable<string>;
  readonly desired: Pick<Desired, 'rollouts'>;
  readonly read: LogRead;
};

/** Why neither main nor its log has what is asked for, and what they have: an answer would look like a proof. undefined: one has. */
export function unknownName(asked: Named, { said, desired, read }: There): string | undefined {
  const inLog = [...said].filter((key) => key !== '');
  const clusters = [...new Set(inLog.map((key) => key.split('/')[0] ?? ''))];
  // Which clusters there were before `--since` nobody has read.
  const isElsewhere = clusters.length > 0 && !clusters.includes(asked.cluster) && read.end !== 'since';
  if (asked.cluster !== '' && isElsewhere)
    return `no commit of main is about the cluster ${asked.cluster}. There is: ${namesText(clusters, asked.cluster)}`;
  const keys = [...inLog, ...desired.rollouts.map(({ key }) => printKey(key))];
  if ((asked.namespace === '' && asked.name === '') || keys.some((key) => isNamed(key, asked))) return undefined;
  const names = keys.map((key) => key.slice(key.indexOf('/') + 1));
  return `main has no Rollout ${nameText(asked)}. There is: ${namesText(names, nameText(asked))}`;
}

/** `namespace/name`, or what of it was asked for. */
export function nameText({ namespace, name }: Omit<Named, 'cluster'>): string {
  if (name === '') return `in the namespace ${namespace}`;
  return namespace === '' ? name : `${namespace}/${name}`;
}
