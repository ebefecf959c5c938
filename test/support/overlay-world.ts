/** A world whose agent builds a folder, takes the HelmRelease of it, and renders that: the values come from a base and an overlay. */

import type { JsonObject } from '../../src/api/json.ts';
import { asApplied } from '../../src/manifests/as-applied.ts';
import type { Memory, Ports } from '../../src/reconcile/pass.ts';
import { readClosures } from '../../src/reconcile/roots/read-closures.ts';
import { HelmWorld } from './helm-world.ts';
import { recordedBuilder } from './recorded-builder.ts';
import { ROLLOUT_FILE, ROLLOUT_TEXT } from './vllm.ts';
import type { WorldOptions } from './world.ts';
import { yamlValues } from './yaml-values.ts';

export const ROOT = 'apps/vllm/prod';
export const PATCH = `${ROOT}/tranche/HelmRelease_llm-prod-vllm.yaml`;
export const APPLY = `${ROOT}/tranche/apply.yaml`;
export const OVERLAY = `${ROOT}/kustomization.yaml`;
export const VALUES = `${ROOT}/values.yaml`;
export const BASE = 'apps/vllm/base/release.yaml';

/** In the shape of Flux's own example of a base and overlays that patch its HelmRelease. */
export const OVERLAY_FILES: Readonly<Record<string, string>> = {
  [OVERLAY]: `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
# Of team search.
namespace: llm
namePrefix: prod-
resources: [../base]
patches:
  - path: values.yaml
    target: {kind: HelmRelease}
`,
  [VALUES]: `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: vllm}
spec:
  values:
    multiNode: {workers: 2}
    telemetry: off
`,
  'apps/vllm/base/kustomization.yaml': 'resources: [release.yaml, repository.yaml]\n',
  'apps/vllm/base/repository.yaml':
    'apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: nim}\nspec: {url: "https://charts.example.org"}\n',
  [BASE]: `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: vllm
spec:
  interval: 5m
  releaseName: vllm
  chart:
    spec:
      chart: nim-llm
      version: 1.3.0
      sourceRef: {kind: HelmRepository, name: prod-nim}
  values:
    image: {tag: v0.10.0}
  postRenderers:
    - kustomize:
        patches:
          - target: {kind: LeaderWorkerSet}
            patch: |
              spec: {leaderWorkerTemplate: {leaderTemplate: {metadata: {labels: {team: search}}}}}
`,
  [ROLLOUT_FILE]: ROLLOUT_TEXT.replace(
    '  namespace: llm\n',
    '  namespace: llm\n  annotations:\n    tranche.dev/carrier: HelmRelease/llm/prod-vllm\n',
  ).replace('pause: {}', 'pause: {duration: 0}'),
};

export class OverlayWorld extends HelmWorld {
  readonly builder = recordedBuilder();
  readonly builds: Memory['builds'] = new Map();

  constructor(options: Partial<WorldOptions> = {}) {
    super({ files: OVERLAY_FILES, ...options });
  }

  override ports(replaced: Partial<Ports> = {}): Ports {
    return super.ports({ builder: this.builder, ...replaced });
  }

  /** What has been built is not built again. */
  override memory(): Memory {
    return { ...super.memory(), builds: this.builds };
  }

  /** Flux builds the folder; what does not build, or renders nothing, leaves the cluster as it is. */
  override async deploy(at = 'main'): Promise<void> {
    const release = await this.built(at);
    if (release !== undefined) this.upgrade(release);
  }

  /** The HelmRelease as Flux gets it. */
  async built(at = 'main', root = ROOT): Promise<JsonObject | undefined> {
    const git = this.repository.open();
    const [commit] = await git.heads([at]);
    const closure = (await readClosures(git, commit ?? at, [root], () => [])).get(root);
    if (closure?.kind !== 'whole') return undefined;
    const build = await this.builder.build(asApplied(closure));
    if (build.kind === 'refused') return undefined;
    return yamlValues(build.text).find(({ kind }) => kind === 'HelmRelease');
  }

  /** All that main says. */
  files(): Readonly<Record<string, string>> {
    return this.repository.files('main');
  }

  patch(): string {
    return this.repository.text('main', PATCH) ?? '';
  }

  /** Taken over and at rest. */
  static async taken(options: Partial<WorldOptions> = {}): Promise<OverlayWorld> {
    const world = new OverlayWorld(options);
    await world.deploy();
    world.tick(120);
    await world.play();
    return world;
  }

  /** Two of four groups are on a newer tag of the base. */
  static async half(options: Partial<WorldOptions> = {}): Promise<OverlayWorld> {
    const world = await OverlayWorld.taken(options);
    world.edit(BASE, 'v0.10.0', 'v0.10.1');
    await world.deploy();
    for (let step = 0; step < 5; step += 1) await world.step();
    return world;
  }
}
