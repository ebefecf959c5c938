/** A world whose agent applies what kustomize builds of one folder, with passes that build as well. */

import { eject, intent, type OrderWish } from '../../src/commands/order.ts';
import { asApplied } from '../../src/manifests/as-applied.ts';
import { isFluxText } from '../../src/manifests/flux-merge.ts';
import type { Memory, Ports } from '../../src/reconcile/pass.ts';
import { readClosures } from '../../src/reconcile/roots/read-closures.ts';
import type { EjectWish } from '../../src/rollout/orders/eject-scene.ts';
import { syncCommit } from '../../src/simulator/agent/agent.ts';
import { COMMON_OPTIONS } from './common-options.ts';
import { lwsOf } from './kustomize-trees.ts';
import { recordedBuilder } from './recorded-builder.ts';
import { AGENT, World, type WorldOptions } from './world.ts';
import { yamlValues } from './yaml-values.ts';

export const ROOT = 'apps/vllm/prod';
export const PATCH = `${ROOT}/tranche/llm-prod-vllm.yaml`;
export const APPLY = `${ROOT}/tranche/apply.yaml`;
export const OVERLAY = `${ROOT}/kustomization.yaml`;
export const COMPONENT = 'components/images/kustomization.yaml';
export const OLD_TAG = 'v0.10.0';
export const NEW_TAG = 'v0.10.1';

/** In the shape of llm-d: the tag stands in a component that others may list as well. */
export const BUILT_FILES: Readonly<Record<string, string>> = {
  [OVERLAY]: `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
# Of team search.
namespace: llm
namePrefix: prod-
resources:
  - ../base
components:
  - ../../../components/images
`,
  'apps/vllm/base/kustomization.yaml': 'resources: [lws.yaml, service.yaml]\n',
  'apps/vllm/base/lws.yaml': lwsOf('vllm', 'REPLACE_MODEL_SERVER_IMAGE'),
  'apps/vllm/base/service.yaml': 'apiVersion: v1\nkind: Service\nmetadata: {name: vllm}\nspec: {ports: [{port: 80}]}\n',
  [COMPONENT]: `apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
images:
  - name: REPLACE_MODEL_SERVER_IMAGE
    newName: vllm/vllm-openai
    newTag: ${OLD_TAG}
`,
  'rollouts/vllm.yaml': `apiVersion: rollouts.kruise.io/v1beta1
kind: Rollout
metadata:
  name: vllm
  namespace: llm
spec:
  workloadRef:
    apiVersion: leaderworkerset.x-k8s.io/v1
    kind: LeaderWorkerSet
    name: prod-vllm
  strategy:
    canary:
      steps:
        - replicas: 25%
          pause: {duration: 0}
        - replicas: 50%
          pause: {duration: 0}
        - replicas: 100%
`,
};

const ORDER = { ...COMMON_OPTIONS, by: 'ana' } as const;

/** Groups of a delivery by half. */
export const HALF = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.1+ 3:v0.10.1+';

/** Taken over, and at rest. */
export async function adopted(options: Partial<WorldOptions> = {}): Promise<BuiltWorld> {
  const world = new BuiltWorld(options);
  await world.apply();
  world.tick(120);
  await world.play();
  return world;
}

/** Two of four groups are on the new tag. */
export async function halfDelivered(options: Partial<WorldOptions> = {}): Promise<BuiltWorld> {
  const world = await adopted(options);
  world.edit(COMPONENT, OLD_TAG, NEW_TAG);
  await world.apply();
  for (let step = 0; step < 4; step += 1) await world.step();
  const groups = world.groups('prod-vllm');
  if (groups !== HALF) throw new Error(`not delivered by half: ${groups}`);
  return world;
}

export class BuiltWorld extends World {
  readonly builder = recordedBuilder();
  readonly builds: Memory['builds'] = new Map();
  /** The folder that the agent applies. */
  root = ROOT;
  /** What the agent gets of a file, which fetches what we do not. */
  fetched: (path: string, text: string) => string = (_, text) => text;

  constructor(options: Partial<WorldOptions> = {}) {
    super({ files: BUILT_FILES, ...options });
  }

  override ports(replaced: Partial<Ports> = {}): Ports {
    return super.ports({ builder: this.builder, ...replaced });
  }

  /** What has been built is not built again. */
  override memory(): Memory {
    return { ...super.memory(), builds: this.builds };
  }

  /** The agent builds the folder and applies it; what does not build is not applied. */
  async apply(at = 'main'): Promise<void> {
    const git = this.repository.open();
    const flux = Object.entries(this.repository.files(at)).flatMap(([path, text]) => (isFluxText(text) ? [path] : []));
    const [commit] = await git.heads([at]);
    const closure = (await readClosures(this.asFetched(git), commit ?? at, [this.root], () => flux)).get(this.root);
    if (closure?.kind !== 'whole') return;
    const build = await this.builder.build(asApplied(closure));
    if (build.kind === 'refused') return;
    const objects = new Map([[this.root, yamlValues(build.text)]]);
    syncCommit(this.cluster.store, objects, { manager: AGENT, namespace: 'llm', prune: true });
    this.cluster.settle();
  }

  private asFetched(git: ReturnType<World['repository']['open']>): Parameters<typeof readClosures>[0] {
    return {
      readAt: async (commit, request) => {
        const tree = await git.readAt(commit, request);
        const files = tree.files.map((file) =>
          file.content.kind === 'text'
            ? { ...file, content: { ...file.content, text: this.fetched(file.path, file.content.text) } }
            : file,
        );
        return { ...tree, files };
      },
    };
  }

  /** Someone orders, as on the command line. Where the Rollout is gone, the workload is named. */
  async order(wish: OrderWish | EjectWish, name = 'vllm'): Promise<string> {
    let said = '';
    const note = (text: string): void => void (said += text);
    const io = { env: {}, folder: '', out: note, err: note, isTerminal: false, signal: new AbortController().signal };
    const options = { ...ORDER, target: { namespace: 'llm', name } };
    if ('kind' in wish) await intent(wish, options, this.ports(), io);
    else await eject(wish, options, this.ports(), io);
    return said;
  }

  /** All that main says but for the Rollout. */
  files(): Readonly<Record<string, string>> {
    return this.repository.files('main');
  }

  /** Steps until one says nothing: what each has written and said, and which groups it found. */
  async play(most = 20): Promise<readonly string[]> {
    const told: string[] = [];
    for (let step = 0; step < most; step += 1) {
      const groups = this.groups('prod-vllm');
      const said = await this.step();
      if (said === '') return told;
      told.push(`${groups.replaceAll('v0.10.', '')} ${said}`);
    }
    throw new Error(`no rest after ${most} steps:\n${told.join('\n')}`);
  }

  /** A pass, the agent, and this many seconds. */
  async step(seconds = 60): Promise<string> {
    const result = await this.pass();
    const [one] = result.outcomes;
    const said = one?.error ?? one?.plan?.holds.map(({ reason, message }) => `${reason}: ${message}`).join('\n') ?? '';
    const written = one?.written === undefined ? '' : this.subject();
    await this.apply();
    this.tick(seconds);
    return [written, said].filter((text) => text !== '').join('\n');
  }
}
