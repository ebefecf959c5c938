/** Settings of an agent that stand in the way of a delivery: as REFERENCE.md lists them under "Agents", with their lines. */

import { CARRIER, CARRIER_KIND } from '../../api/carrier.ts';
import type { Config } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { at, isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { mapsAt } from '../../api/weighted-routes.ts';
import { yamlWord } from '../../api/yaml-word.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { Edit, FieldPath } from '../../rollout/edits/edit.ts';
import { namespaceOf } from '../documents/manifest-index.ts';
import { agentIssue, type AgentFinding as Found } from './agent-finding.ts';
import { DRY_SOURCE, promoted } from './agent-hydrated.ts';

/** A rule of one kind of agent: what it finds, below the spec at `spec`. */
type Rule = (document: ManifestDocument, spec: FieldPath, config: Config) => readonly Found[];

/** Force and health gates of a Flux Kustomization are those of `lint`, which finds them by the workload. */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  Application: [ignoredFields, forceOption, manualSync, otherBranch, chartOrPatches, promoted],
  ApplicationSet: [ignoredFields, forceOption, manualSync, otherBranch, chartOrPatches, promoted],
  Kustomization: [suspended, changedByFlux],
  [CARRIER_KIND]: [renderedByFlux],
};

/** Where its spec is, what the repository is configured as, and the text of its file. */
type AgentPlace = { readonly spec: FieldPath; readonly config: Config; readonly text: string };

/** Every setting of this agent that has to change, or that says what is not supported. */
export function settingsToChange(document: ManifestDocument, { spec, config, text }: AgentPlace): readonly Issue[] {
  const rules = RULES[document.object.kind] ?? [];
  return rules.flatMap((rule) => rule(document, spec, config)).map((finding) => agentIssue(document, finding, text));
}

/** Fields that a step writes: an agent that ignores one never applies it. */
const STEPPED = /replicas|rolloutStrategy|partition|maxUnavailable|leaderWorkerTemplate|^\/?\.?spec\/?$/;

function ignoredFields({ value }: ManifestDocument, spec: FieldPath): readonly Found[] {
  return mapsAt(value, [...spec, 'ignoreDifferences']).flatMap((entry, place) => {
    const { kind } = entry;
    if (kind !== undefined && kind !== LWS_KIND && kind !== '*') return [];
    const fields = [...texts(entry['jsonPointers']), ...texts(entry['jqPathExpressions'])].filter((field) =>
      STEPPED.test(field),
    );
    const managers = texts(entry['managedFieldsManagers']);
    if (fields.length + managers.length === 0) return [];
    return [
      {
        path: [...spec, 'ignoreDifferences', String(place)],
        reason: 'IgnoredDifference',
        message: `differences are ignored in ${[...fields, ...managers.map((name) => `what ${name} manages`)].join(', ')}: a step that writes there is never applied`,
        hint: 'Take LeaderWorkerSets out of this entry. Where an autoscaler writes replicas, leave replicas out of the file instead.',
        // An entry of other kinds as well may be there for them.
        ...(kind === LWS_KIND ? { mend: withoutFields([...spec, 'ignoreDifferences', String(place)], entry) } : {}),
      },
    ];
  });
}

/** The entry without the fields that a step writes; none left: without the entry. */
function withoutFields(path: FieldPath, entry: JsonObject): readonly Edit[] {
  const kept = ['jsonPointers', 'jqPathExpressions'].flatMap((key) =>
    texts(entry[key]).filter((field) => !STEPPED.test(field)),
  );
  if (kept.length === 0) return [{ kind: 'removeItem', path }];
  const fields = ['jsonPointers', 'jqPathExpressions'].flatMap((key) =>
    texts(entry[key]).flatMap((field, place) => (STEPPED.test(field) ? [[...path, key, String(place)]] : [])),
  );
  return [
    // From the last on: the places of those before it stay.
    ...fields.reverse().map((item): Edit => ({ kind: 'removeItem', path: item })),
    { kind: 'remove', path: [...path, 'managedFieldsManagers'] },
  ];
}

function forceOption({ value }: ManifestDocument, spec: FieldPath): readonly Found[] {
  const path = [...spec, 'syncPolicy', 'syncOptions'];
  return texts(at(value, path)).flatMap((option, place) =>
    /^(Replace|Force)=true$/.test(option)
      ? [
          {
            path: [...path, String(place)],
            reason: 'ForcedApply',
            message: `${option} deletes and creates again what refuses a change: all groups go down at once, past every policy`,
            hint: 'Remove the option, or keep the LeaderWorkerSets in an Application without it.',
            mend: [{ kind: 'removeItem', path: [...path, String(place)] } as const],
          },
        ]
      : [],
  );
}

function manualSync({ value }: ManifestDocument, spec: FieldPath): readonly Found[] {
  const path = [...spec, 'syncPolicy', 'automated'];
  const automated = at(value, path);
  if (isJsonObject(automated) && automated['enabled'] !== false) return [];
  return [
    {
      path: [...spec, 'syncPolicy'],
      reason: 'NotAutomated',
      message: 'nothing is synced by itself: each step, and each rollback, waits for someone to sync',
      hint: 'Set syncPolicy.automated: {selfHeal: true}.',
      mend: isJsonObject(automated)
        ? [{ kind: 'remove', path: [...path, 'enabled'] }]
        : [{ kind: 'set', path: [...path, 'selfHeal'], value: true }],
    },
  ];
}

function otherBranch({ value }: ManifestDocument, spec: FieldPath, { branch }: Config): readonly Found[] {
  const source = sourceOf(value, spec);
  const path = [...source, 'targetRevision'];
  const revision = at(value, path);
  if (typeof revision !== 'string' || revision === 'HEAD' || revision === branch || at(value, [...source, 'chart']))
    return [];
  return [
    {
      path,
      reason: 'OtherBranch',
      message: `it applies ${revision}, and steps are written to ${branch}`,
      hint: `Set targetRevision: ${branch}, or write branches.desired: ${yamlWord(revision)} into tranche.yaml of both branches.`,
      mend: [{ kind: 'set', path, value: branch }],
    },
  ];
}

/** The one source; of what is hydrated the dry one. */
function sourceOf(value: JsonObject, spec: FieldPath): FieldPath {
  const dry = [...spec, ...DRY_SOURCE];
  return at(value, dry) === undefined ? [...spec, 'source'] : dry;
}

const CHANGING = ['images', 'patches', 'replicas', 'namePrefix', 'nameSuffix', 'components', 'commonLabels'];

const CHART_WAYS = 'docs/kustomize-and-helm.md#charts has the other ways.';

function chartOrPatches({ value }: ManifestDocument, spec: FieldPath): readonly Found[] {
  const source = sourceOf(value, spec);
  const chart = ['chart', 'helm'].find((key) => at(value, [...source, key]) !== undefined);
  if (chart !== undefined)
    return [
      {
        path: [...source, chart],
        reason: 'UnsupportedLayout',
        message:
          'it renders a chart, so no file of this repository is what the cluster gets: its LeaderWorkerSets cannot be delivered in steps',
        hint: `Commit the rendered manifest (helm template), and let the Application apply that folder. ${CHART_WAYS}`,
      },
    ];
  const changed = CHANGING.find((key) => at(value, [...source, 'kustomize', key]) !== undefined);
  return changed === undefined ? [] : [changedOnTheWay([...source, 'kustomize', changed])];
}

function changedByFlux({ value }: ManifestDocument, spec: FieldPath): readonly Found[] {
  const changed = [...CHANGING, 'postBuild'].find((key) => at(value, [...spec, key]) !== undefined);
  return changed === undefined ? [] : [changedOnTheWay([...spec, changed])];
}

function changedOnTheWay(path: FieldPath): Found {
  return {
    path,
    reason: 'UnsupportedLayout',
    message: `${path.at(-1)} changes the manifests on the way, so the files are not what the cluster gets`,
    hint: 'Write what it changes into the manifests of LeaderWorkerSets, or leave them out of what it reaches.',
  };
}

function suspended({ value }: ManifestDocument, spec: FieldPath): readonly Found[] {
  if (at(value, [...spec, 'suspend']) !== true) return [];
  return [
    {
      path: [...spec, 'suspend'],
      reason: 'NotAutomated',
      message: 'it is suspended: neither a step nor a rollback is applied',
      hint: 'Remove suspend, or run flux resume kustomization.',
      mend: [{ kind: 'remove', path: [...spec, 'suspend'] }],
    },
  ];
}

/** Of one that no Rollout names: nothing here knows whether its chart has a LeaderWorkerSet. A patch of people's for one names no chart. */
function renderedByFlux(document: ManifestDocument, spec: FieldPath, config: Config): readonly Found[] {
  const { value } = document;
  const namesChart = at(value, [...spec, 'chart', 'spec', 'chart']) ?? at(value, [...spec, 'chartRef']);
  if (namesChart === undefined) return [];
  const carrier = `${CARRIER}: ${CARRIER_KIND}/${namespaceOf(document, config) ?? '<namespace>'}/${document.object.name}`;
  return [
    {
      path: [...spec, 'chart'],
      reason: 'UnsupportedLayout',
      message: 'it renders a chart, and no Rollout names it: a LeaderWorkerSet of it is not delivered in steps',
      hint: `If there is one, add a Rollout of it with the annotation ${carrier} (docs/helm-releases.md).`,
    },
  ];
}

function texts(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item: Json) => typeof item === 'string') : [];
}
