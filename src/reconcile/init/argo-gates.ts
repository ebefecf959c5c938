/** Finds what makes a sync of Argo CD wait for the groups of a LeaderWorkerSet: no newer commit is applied meanwhile. */

import { isBelow } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { at } from '../../api/json.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import { agentIssue } from './agent-finding.ts';

const WAVE = 'argocd.argoproj.io/sync-wave';
const HOOK = 'argocd.argoproj.io/hook';

type Applied = {
  readonly workload: ManifestDocument;
  /** Of its file. */
  readonly text: string;
  /** Of the Applications that apply the workload. */
  readonly folders: readonly string[];
  readonly texts: ReadonlyMap<string, string>;
};

/** Later waves, and hooks after a sync, each wait until everything before them is healthy. */
export function argoGates({ workload, text, folders, texts }: Applied): readonly Issue[] {
  const around = [...texts].flatMap(([file, written]) =>
    isBelow(folders, file) && (written.includes(WAVE) || written.includes(HOOK))
      ? parseManifestFile(file, written, 'everything').documents
      : [],
  );
  const others = around.filter(({ object, file }) => object.name !== workload.object.name || file !== workload.file);
  const hooks = others.filter((document) =>
    annotation(document, HOOK)
      .split(',')
      .some((one) => one.trim() === 'PostSync'),
  );
  const last = Math.max(...others.map(waveOf).filter((wave) => Number.isSafeInteger(wave)), waveOf(workload));
  const path = ['metadata', 'annotations', WAVE];
  return [
    ...hooks.map((hook) =>
      agentIssue(
        hook,
        {
          path: ['metadata', 'annotations', HOOK],
          reason: 'HealthGate',
          message: `a PostSync hook waits until the groups of ${workload.object.name} are healthy, and Argo CD applies no newer commit meanwhile: a rollback would wait for what it is to remove`,
          hint: 'Make it a Sync hook, or apply it by another Application.',
        },
        texts.get(hook.file) ?? '',
      ),
    ),
    ...(last > waveOf(workload)
      ? [
          agentIssue(
            workload,
            {
              path,
              reason: 'HealthGate',
              message: `it is in wave ${waveOf(workload)} and others are in wave ${last}: they wait until its groups are healthy, and Argo CD applies no newer commit meanwhile`,
              hint: 'Put it into the last wave.',
              mend: [{ kind: 'set', path, value: String(last) }],
            },
            text,
          ),
        ]
      : []),
  ];
}

function annotation({ value }: ManifestDocument, key: string): string {
  const said = at(value, ['metadata', 'annotations', key]);
  return typeof said === 'string' ? said : '';
}

function waveOf(document: ManifestDocument): number {
  return Number(annotation(document, WAVE));
}
