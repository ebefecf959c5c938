/** What Flux knows the Helm release by. With another it uninstalls the one that is there, with every group, and installs again. */

import type { Carrier } from '../../api/carrier.ts';
import type { Issue } from '../../api/issue.ts';
import { at, type JsonObject } from '../../api/json.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { FieldPath } from '../../rollout/edits/edit.ts';
import { nameOf } from '../documents/read-rollout.ts';

type Target = { readonly path: FieldPath; readonly value: string };

/** By its inputs and the object itself, as Flux fills in what is not written: no value that stays the same is a change. */
function targetsOf(inputs: JsonObject, { name, namespace }: Carrier): readonly Target[] {
  const said = (...path: readonly string[]): string | undefined => {
    const value = at(inputs, path);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const target = said('targetNamespace');
  const chart = said('chart', 'spec', 'chart') ?? '';
  return [
    { path: ['spec', 'targetNamespace'], value: target ?? namespace },
    { path: ['spec', 'storageNamespace'], value: said('storageNamespace') ?? namespace },
    {
      path: ['spec', 'releaseName'],
      value: said('releaseName') ?? (target === undefined ? name : `${target}-${name}`),
    },
    { path: ['spec', 'chart', 'spec', 'chart'], value: chart.slice(chart.lastIndexOf('/') + 1) },
  ];
}

/** At the first of these fields that is another one than before; none: Flux upgrades the release that is there. */
export function reinstalled(
  document: ManifestDocument,
  inputs: { readonly before: JsonObject; readonly after: JsonObject },
  of: Carrier,
): readonly Issue[] {
  const was = targetsOf(inputs.before, of);
  const [changed] = targetsOf(inputs.after, of).flatMap(({ path, value }, place) => {
    const before = was[place]?.value ?? '';
    return before === value ? [] : [{ path, value, before }];
  });
  if (changed === undefined) return [];
  const { path, value, before } = changed;
  const field = path.join('.');
  return [
    {
      file: document.file,
      line: document.lineOf(path),
      path: field,
      reason: 'Reinstalled',
      message: `${nameOf(document)}: ${field} is ${JSON.stringify(value)}, and was ${JSON.stringify(before)}: Flux uninstalls the release that is there, with every group of it, and installs it again. No step and no partition holds that`,
      hint: `Put ${JSON.stringify(before)} back. To move it, add a second HelmRelease with a Rollout of its own, and remove this one once nobody asks it any more.`,
    },
  ];
}
