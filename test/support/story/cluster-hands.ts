/** Sentences about hands on live objects, of any kind: patched, edited, deleted, made. */

import { parse, stringify } from 'yaml';
import type { JsonObject } from '../../../src/api/json.ts';
import { type KubeObject, type NewObject, text as textOf } from '../../../src/simulator/objects/objects.ts';
import { resourceKinds, resourceName, resourceOf } from '../../../src/simulator/objects/resource-table.ts';
import type { ObjectKey } from '../../../src/simulator/objects/shelves.ts';
import type { Answer } from '../../../src/simulator/server/store.ts';
import { CHANGE, changed, fieldPath } from './git-hands.ts';
import { type Sentence, text, WHO } from './sentence.ts';
import { NAMESPACE, type Stage } from './stage.ts';

/** `LeaderWorkerSet` where a sentence names no kind. */
function keyOf(kind: string | undefined, name: string): ObjectKey {
  const entry = resourceKinds.find((one) => one.kind.toLowerCase() === (kind ?? 'LeaderWorkerSet').toLowerCase());
  if (entry === undefined) throw new Error(`the model has no ${kind}`);
  return { resource: resourceName(entry), namespace: NAMESPACE, name };
}

function live(stage: Stage, key: ObjectKey): KubeObject {
  const found = stage.cluster.objects.get(key);
  if (found === undefined) throw new Error(`the cluster has no ${key.resource} ${key.name}`);
  return found;
}

/** What the controllers make of it; where the API server refuses it, why. */
function after(stage: Stage, answer: Answer): string | undefined {
  stage.cluster.settle();
  return answer.ok ? undefined : `the API server refuses it: ${textOf(answer.status['message'])}`;
}

function patched(stage: Stage, key: ObjectKey, of: { readonly patch: JsonObject; readonly manager: string }) {
  live(stage, key);
  return after(stage, stage.cluster.store.patch(key, of.patch, of.manager));
}

/** A patch that sets one field; null removes it. */
function patchAt(path: readonly string[], value: JsonObject[string]): JsonObject {
  return path.toReversed().reduce<JsonObject[string]>((inner, key) => ({ [key]: inner }), value) as JsonObject;
}

function valueOf(told: string): JsonObject[string] {
  return /^(true|false|null|-?\d+|".*"|\{.*\}|\[.*\])$/s.test(told) ? JSON.parse(told) : told;
}

const OBJECT = '(?:the )?(?:([A-Za-z]+) )?(\\S+)';

/** All of them. */
export const clusterHands: readonly Sentence[] = [
  {
    pattern: new RegExp(`^${WHO} patches ${OBJECT} in the cluster: (\\{.+\\})\\.$`),
    act: ({ stage }, [, kind, name = '', patch = '']) =>
      patched(stage, keyOf(kind, name), { patch: JSON.parse(patch), manager: 'kubectl-patch' }),
  },
  {
    pattern: new RegExp(`^${WHO} sets (?:the )?(\\S+) of ${OBJECT} to (.+) in the cluster\\.$`),
    act: ({ stage }, [, field = '', kind, name = '', told = '']) =>
      patched(stage, keyOf(kind, name), { patch: patchAt(fieldPath(field), valueOf(told)), manager: 'kubectl-edit' }),
  },
  {
    pattern: new RegExp(`^${WHO} removes (?:the )?(\\S+) of ${OBJECT} in the cluster\\.$`),
    act: ({ stage }, [, field = '', kind, name = '']) =>
      patched(stage, keyOf(kind, name), { patch: patchAt(fieldPath(field), null), manager: 'kubectl-edit' }),
  },
  {
    // As `kubectl edit` shows it: YAML in block style.
    pattern: new RegExp(`^${WHO} changes ${CHANGE} in ${OBJECT} in the cluster\\.$`, 's'),
    act: ({ stage }, [, which, what, to, kind, name = '']) => {
      const object = live(stage, keyOf(kind, name));
      const edited = parse(changed(stringify(object), [which, what, to])) as NewObject;
      return after(stage, stage.cluster.store.update(resourceOf(object), edited, 'kubectl-edit'));
    },
  },
  {
    pattern: new RegExp(`^${WHO} scales ${OBJECT} to (\\d+)(?: in the cluster)?\\.$`),
    act: ({ stage }, [, , name = '', replicas = '']) => {
      stage.cluster.scale({ namespace: NAMESPACE, name }, Number(replicas));
    },
  },
  {
    pattern: new RegExp(`^${WHO} deletes (?:the )?(leader StatefulSet|[A-Za-z]+) (\\S+) in the cluster\\.$`),
    act: ({ stage }, [, kind = '', name = '']) => {
      const object = { namespace: NAMESPACE, name };
      if (kind === 'LeaderWorkerSet') return after(stage, stage.cluster.deleteLws(object));
      if (kind === 'leader StatefulSet') return after(stage, stage.cluster.deleteLeaderSet(object));
      const key = keyOf(kind, name);
      live(stage, key);
      return after(stage, stage.cluster.store.remove(key, { propagation: 'Background' }));
    },
  },
  {
    pattern: new RegExp(`^${WHO} (?:makes|creates|applies) in the cluster: "(.+)"\\.$`, 's'),
    act: ({ stage }, [, content]) => {
      const object = parse(text(content)) as NewObject;
      const options = { manager: 'kubectl', force: true };
      return after(stage, stage.cluster.store.apply(resourceOf(object), object, options));
    },
  },
];
