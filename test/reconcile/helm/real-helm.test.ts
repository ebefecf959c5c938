/**
 * What the real Helm makes of a chart, and the real kustomize of our entry over that, as Flux does: each entry of
 * spec.postRenderers is a run of kustomize of its own. With HELM and KUSTOMIZE=<paths of them>, as .ci/real has it; without them
 * the model of the other tests alone is held to what is asked of the real ones.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { INPUTS_MARK, renderersIn } from '../../../src/api/helm-release.ts';
import { at, type Json, type JsonObject } from '../../../src/api/json.ts';
import { PARTITION_PATH } from '../../../src/api/workload-paths.ts';
import { CHART, HelmWorld } from '../../support/helm-world.ts';
import { BASE, OVERLAY_FILES, OverlayWorld } from '../../support/overlay-world.ts';
import { yamlValues } from '../../support/yaml-values.ts';

const [helm, kustomize] = [process.env['HELM'] ?? '', process.env['KUSTOMIZE'] ?? ''];
const isReal = helm !== '' && kustomize !== '';

/** As charts for several nodes are: one switch between a LeaderWorkerSet and a Deployment. */
const TEMPLATE = `{{- if ne (toString .Values.multiNode.enabled) "false" }}
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: {{ .Release.Name }}
  {{- if .Values.namespaced }}
  namespace: {{ .Release.Namespace }}
  {{- end }}
spec:
  replicas: 4
  leaderWorkerTemplate:
    size: {{ .Values.multiNode.workers }}
    workerTemplate:
      spec:
        containers: [{name: worker, image: "vllm/vllm-openai:{{ .Values.image.tag }}"}]
{{- else }}
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
{{- end }}
`;

/** With an entry of people that the real kustomize takes. */
const OVERLAID = {
  ...OVERLAY_FILES,
  [BASE]: (OVERLAY_FILES[BASE] ?? '').replace(
    / {2}postRenderers:\n[^]*$/,
    '  postRenderers: [{kustomize: {images: [{name: vllm/vllm-openai, newName: mirror.example/vllm}]}}]\n',
  ),
};

let folder = '';
let document: JsonObject = {};
/** As the folder of an overlay builds it, in the middle of a delivery. */
let overlaid: JsonObject = {};
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-helm-'));
  const world = await HelmWorld.halfWay();
  document = yamlValues(world.release())[0] ?? {};
  overlaid = (await (await OverlayWorld.half({ files: OVERLAID })).built()) ?? {};
  mkdirSync(join(folder, 'chart/templates'), { recursive: true });
  writeFileSync(join(folder, 'chart/Chart.yaml'), 'apiVersion: v2\nname: nim-llm\nversion: 1.3.0\n');
  writeFileSync(join(folder, 'chart/templates/workload.yaml'), TEMPLATE);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const entries = (of = document): readonly Json[] => {
  const list = at(of, ['spec', 'postRenderers']);
  return Array.isArray(list) ? list : [];
};

type Rendered = { readonly status: number | null; readonly objects: readonly JsonObject[]; readonly err: string };

/** helm template with these values over those of the document, and each entry as a post-renderer. */
function rendered(more: JsonObject, renderers: readonly Json[] = entries(), of = document): Rendered {
  const run = mkdtempSync(join(folder, 'run-'));
  const values = at(of, ['spec', 'values']);
  writeFileSync(join(run, 'values.json'), JSON.stringify(values));
  writeFileSync(join(run, 'more.json'), JSON.stringify(more));
  const steps = renderers.map((one, place) => {
    mkdirSync(join(run, String(place)));
    const { kustomize: own } = one as { kustomize: JsonObject };
    writeFileSync(join(run, `${place}/kustomization.yaml`), JSON.stringify({ resources: ['all.yaml'], ...own }));
    return `cat > ${run}/${place}/all.yaml\n${kustomize} build ${run}/${place} > ${run}/${place}/out\nexec < ${run}/${place}/out\n`;
  });
  writeFileSync(join(run, 'post'), `#!/bin/sh\nset -e\n${steps.join('')}cat\n`, { mode: 0o755 });
  const files = ['values', 'more'].flatMap((name) => ['--values', join(run, `${name}.json`)]);
  const args = ['template', 'vllm', join(folder, 'chart'), '--namespace', 'llm', ...files];
  const { status, stdout, stderr } = spawnSync(helm, [...args, '--post-renderer', join(run, 'post')], {
    encoding: 'utf8',
  });
  return { status, objects: status === 0 ? yamlValues(stdout) : [], err: stderr };
}

const lwsIn = ({ objects }: Rendered): JsonObject | undefined => objects.find(({ kind }) => kind === 'LeaderWorkerSet');

test('the entry of the delivery is there, and the chart of the other tests has the same switch', () => {
  expect(renderersIn(document).entry).toMatchObject({ name: 'vllm', partition: 2 });
  expect([CHART({}, { name: 'vllm' })?.['kind'], CHART({ multiNode: { enabled: false } }, { name: 'vllm' })]).toEqual([
    'LeaderWorkerSet',
    undefined,
  ]);
});

describe.runIf(isReal)('the real ones', () => {
  test('the LeaderWorkerSet has the partition and the digest, and all else as the chart has it', () => {
    const [plain, ours] = [lwsIn(rendered({}, [])), lwsIn(rendered({}))];
    expect(at(ours, PARTITION_PATH)).toBe(2);
    expect(at(ours, ['metadata', 'annotations', INPUTS_MARK])).toBe(renderersIn(document).entry?.inputs);
    expect(at(ours, ['spec', 'leaderWorkerTemplate'])).toEqual(at(plain, ['spec', 'leaderWorkerTemplate']));
    expect(JSON.stringify(ours)).toContain('vllm/vllm-openai:v0.10.1');
    expect([at(plain, PARTITION_PATH), at(ours, ['spec', 'replicas'])]).toEqual([undefined, 4]);
  });

  test('behind an entry of people ours is applied to what theirs makes', () => {
    const theirs = { kustomize: { images: [{ name: 'vllm/vllm-openai', newName: 'mirror.example/vllm' }] } };
    const ours = lwsIn(rendered({}, [theirs, ...entries()]));
    expect(JSON.stringify(ours)).toContain('mirror.example/vllm:v0.10.1');
    expect(at(ours, PARTITION_PATH)).toBe(2);
  });

  test('as an overlay builds it: the entry of people, ours behind it, and the values of base and overlay', () => {
    const ours = lwsIn(rendered({}, entries(overlaid), overlaid));
    const { entry, others } = renderersIn(overlaid);
    expect([others.length, entry?.partition, at(ours, PARTITION_PATH)]).toEqual([1, 2, 2]);
    expect(at(ours, ['metadata', 'annotations', INPUTS_MARK])).toBe(entry?.inputs);
    expect(at(ours, ['spec', 'leaderWorkerTemplate', 'size'])).toBe(2);
    expect(JSON.stringify(ours)).toContain('mirror.example/vllm:v0.10.1');
  });

  test('a chart that renders no LeaderWorkerSet fails, so that Helm keeps the release before', () => {
    expect(rendered({ multiNode: { enabled: false } }, []).objects.map(({ kind }) => kind)).toEqual(['Deployment']);
    const { status, err } = rendered({ multiNode: { enabled: false } });
    expect(status).not.toBe(0);
    expect(err).toContain('no matches for Id LeaderWorkerSet');
  });

  test('a chart that writes the namespace fails until the patch names it', () => {
    const { status, err } = rendered({ namespaced: true });
    expect([status === 0, err.includes('no matches for Id LeaderWorkerSet')]).toEqual([false, true]);
    const named: Json = JSON.parse(
      JSON.stringify(entries()).replace('\\"name\\":\\"vllm\\",', '\\"name\\":\\"vllm\\",\\"namespace\\":\\"llm\\",'),
    );
    expect(at(lwsIn(rendered({ namespaced: true }, Array.isArray(named) ? named : [])), PARTITION_PATH)).toBe(2);
  });
});
