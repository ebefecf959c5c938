/**
 * Argo CD or Flux as far as one Application or Kustomization: polls or is told, may lag, be suspended, fail on an
 * object, and says in its own object what it has done. Git is the caller's: `offer` says what the branch holds.
 */

import type { JsonObject } from '../../api/json.ts';
import {
  type AgentOptions,
  type CommitManifests,
  isInSync,
  newObject,
  syncCommit,
  trackedManifests,
} from '../../simulator/agent/agent.ts';
import type { Cluster } from '../../simulator/cluster-model.ts';
import {
  annotationsOf,
  type KubeObject,
  objects,
  part,
  specOf,
  statusOf,
  text,
} from '../../simulator/objects/objects.ts';
import { APPLICATIONS, GIT_REPOSITORIES, KUSTOMIZATIONS } from '../../simulator/objects/resource-table.ts';
import type { ObjectKey } from '../../simulator/objects/shelves.ts';
import { applicationStatus, gitRepositoryStatus, kustomizationStatus, type Round } from './agent-report.ts';

export type GitOpsOptions = AgentOptions & {
  readonly flavour: 'argo' | 'flux';
  /** Of the Application or Kustomization; the GitRepository has the same name. */
  readonly object: { readonly namespace: string; readonly name: string };
  readonly branch: string;
  /** The folder of the repository that it applies. */
  readonly path: string;
  /** Between two looks at the branch by itself; undefined: it must be told. */
  readonly pollSeconds: number | undefined;
  /** From seeing a commit to applying it. */
  readonly lagSeconds: number;
  readonly prune: boolean;
  /** Argo CD's `selfHeal`; Flux always puts drift right. */
  readonly selfHeal: boolean;
  readonly choose?: (manifests: readonly JsonObject[]) => readonly JsonObject[];
};

type Source = { readonly revision: string; readonly commit: CommitManifests };
type Model = Pick<Cluster, 'store' | 'settle' | 'nowSeconds'>;

/** `idle`: nothing was due; `suspended`, `manual`: its object says that people decide; the others are outcomes. */
type RoundOutcome = 'idle' | 'suspended' | 'manual' | 'in sync' | 'applied' | 'failed';

const REFRESH = 'argocd.argoproj.io/refresh';
const REQUESTED = 'reconcile.fluxcd.io/requestedAt';

export class GitOpsAgent {
  private readonly model: Model;
  private readonly options: GitOpsOptions;
  private offered: Source | undefined;
  private seen: (Source & { readonly atSeconds: number }) | undefined;
  private polledAt = Number.NEGATIVE_INFINITY;
  /** The revision that failed: Argo CD does not try it again. */
  private failed = '';

  /** Makes its own object, as an operator of the cluster would. */
  constructor(model: Model, options: GitOpsOptions) {
    this.model = model;
    this.options = options;
    for (const [resource, object] of ownObjects(options)) {
      const made = newObject(object, options.object.namespace);
      if (made !== undefined) model.store.create(resource, made, 'operator');
    }
  }

  /** What the branch holds from now on; the agent learns it when it polls or is told. */
  offer(revision: string, commit: CommitManifests): void {
    this.offered = { revision, commit };
  }

  /** The webhook of the forge: look now. */
  tell(): void {
    this.polledAt = Number.NEGATIVE_INFINITY;
    this.look();
  }

  /** Does what is due at the model's present time. */
  tick(): RoundOutcome {
    const { pollSeconds } = this.options;
    const own = this.own();
    const asked = own !== undefined && isAskedFor(own, this.options.flavour);
    const looks = asked || (pollSeconds !== undefined && this.model.nowSeconds >= this.polledAt + pollSeconds);
    if (looks) this.look();
    const { seen } = this;
    if (own === undefined || seen === undefined || this.model.nowSeconds < seen.atSeconds + this.options.lagSeconds) {
      return 'idle';
    }
    return this.round(own, seen, looks);
  }

  /** What its object says of the last round: the message of the condition, or of the operation. */
  message(): string {
    const own = this.own();
    const status = own === undefined ? {} : statusOf(own);
    return text(objects(status['conditions'])[0]?.['message'] ?? part(status, 'operationState')['message']);
  }

  private look(): void {
    this.polledAt = this.model.nowSeconds;
    const { offered, seen } = this;
    if (offered === undefined || offered.revision === seen?.revision) return;
    this.seen = { ...offered, atSeconds: this.model.nowSeconds };
    this.writeSource(offered.revision);
  }

  private round(own: KubeObject, source: Source, looks: boolean): RoundOutcome {
    const { flavour } = this.options;
    if (flavour === 'flux' && specOf(own)['suspend'] === true) return 'suspended';
    const manifests = trackedManifests(source.commit, this.options.manager);
    const before = this.compared(manifests);
    const isNew = this.isNew(own, source.revision);
    const drifted = before.some(({ inSync }) => !inSync);
    // Argo CD watches what it has applied; Flux compares at its interval.
    if (!isNew && !isAskedFor(own, flavour) && !(drifted && (looks || flavour === 'argo'))) return 'idle';
    const manual = flavour === 'argo' && part(specOf(own), 'syncPolicy')['automated'] === undefined;
    const due = isNew ? this.failed !== source.revision : this.healing(own) && this.failed !== source.revision;
    const applied = manual || !due || !(drifted || flavour === 'flux') ? undefined : this.apply(source);
    this.model.settle();
    const compared = applied === undefined ? before : this.compared(manifests);
    this.report({ ...this.moment(source.revision), compared, applied });
    const isFailed = applied?.some(({ answer }) => !answer.ok) === true;
    if (applied !== undefined) this.failed = isFailed && flavour === 'argo' ? source.revision : '';
    if (isFailed) return 'failed';
    if (applied !== undefined) return 'applied';
    return manual && drifted ? 'manual' : 'in sync';
  }

  private apply(source: Source): ReturnType<typeof syncCommit> {
    return syncCommit(this.model.store, source.commit, this.options);
  }

  private compared(manifests: readonly JsonObject[]): Round['compared'] {
    return manifests.map((manifest) => ({ manifest, inSync: isInSync(this.model.store, manifest, this.options) }));
  }

  private healing(own: KubeObject): boolean {
    if (this.options.flavour === 'flux') return true;
    return part(part(specOf(own), 'syncPolicy'), 'automated')['selfHeal'] === true;
  }

  private isNew(own: KubeObject, revision: string): boolean {
    const status = statusOf(own);
    if (this.options.flavour === 'argo') return text(part(status, 'sync')['revision']) !== revision;
    return !text(status['lastAttemptedRevision']).endsWith(revision);
  }

  private moment(revision: string): Omit<Round, 'compared' | 'applied'> {
    return { revision, branch: this.options.branch, nowSeconds: this.model.nowSeconds };
  }

  private report(round: Round): void {
    const own = this.own();
    if (own === undefined) return;
    const { store } = this.model;
    const key = this.key();
    if (this.options.flavour === 'flux') {
      store.updateStatus(key, kustomizationStatus(own, round));
      return;
    }
    store.updateStatus(key, applicationStatus(own, round));
    if (annotationsOf(own)[REFRESH] === undefined) return;
    store.patch(key, { metadata: { annotations: { [REFRESH]: null } } }, this.options.manager);
  }

  private writeSource(revision: string): void {
    if (this.options.flavour !== 'flux') return;
    const key = { ...this.options.object, resource: GIT_REPOSITORIES };
    const repository = this.model.store.objects.get(key);
    if (repository === undefined) return;
    this.model.store.updateStatus(key, gitRepositoryStatus(repository, this.moment(revision)));
  }

  private own(): KubeObject | undefined {
    return this.model.store.objects.get(this.key());
  }

  private key(): ObjectKey {
    return { ...this.options.object, resource: this.options.flavour === 'argo' ? APPLICATIONS : KUSTOMIZATIONS };
  }
}

/** Somebody has annotated the object: look and report now. */
function isAskedFor(own: KubeObject, flavour: GitOpsOptions['flavour']): boolean {
  if (flavour === 'argo') return annotationsOf(own)[REFRESH] !== undefined;
  const requested = annotationsOf(own)[REQUESTED];
  return requested !== undefined && requested !== statusOf(own)['lastHandledReconcileAt'];
}

function ownObjects(options: GitOpsOptions): readonly (readonly [resource: string, object: JsonObject])[] {
  const { object, branch, path, prune, selfHeal, ignored = [] } = options;
  const url = 'https://git.example.com/fleet.git';
  if (options.flavour === 'flux') {
    const interval = `${options.pollSeconds ?? 600}s`;
    const sourceRef = { kind: 'GitRepository', name: object.name };
    const fields = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository', metadata: object };
    const spec = { interval, path, prune, sourceRef };
    const kustomization = {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: object,
      spec,
    };
    return [
      [GIT_REPOSITORIES, { ...fields, spec: { interval, url, ref: { branch } } }],
      [KUSTOMIZATIONS, kustomization],
    ];
  }
  const ignoreDifferences = ignored.map((place) => ({
    group: '*',
    kind: '*',
    jsonPointers: [`/${place.join('/')}`],
  }));
  const spec = {
    project: 'default',
    source: { repoURL: url, targetRevision: branch, path },
    destination: { server: 'https://kubernetes.default.svc', namespace: options.namespace },
    syncPolicy: { automated: { prune, selfHeal }, syncOptions: ['ServerSideApply=true'] },
    ...(ignoreDifferences.length === 0 ? {} : { ignoreDifferences }),
  };
  return [[APPLICATIONS, { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: object, spec }]];
}
