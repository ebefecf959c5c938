/** Where the demo's repository has its workload: in a plain manifest, or built by kustomize of an overlay, a base and a component. */

import type { FileWrite } from '../ports/git.ts';
import { IMAGE, LWS_FILE, NAMESPACE, OLD_TAG, SERVICE_FILE, SYNCED_FOLDER, startFiles } from './files.ts';

export type Layout = {
  /** What the agent applies. */
  readonly folder: string;
  /** That is the folder of a kustomization: the agent builds it. */
  readonly isBuilt: boolean;
  /** Where Ana writes a new tag. */
  readonly tagFile: string;
  /** The manifest that people wrote. */
  readonly manifest: string;
  /** What tranche writes into. */
  readonly ownFile: string;
  readonly files: (strategy: string) => readonly FileWrite[];
};

export const PLAIN: Layout = {
  folder: SYNCED_FOLDER,
  isBuilt: false,
  tagFile: LWS_FILE,
  manifest: LWS_FILE,
  ownFile: LWS_FILE,
  files: startFiles,
};

const ROOT = 'apps/vllm/prod';
export const OVERLAY_FILE = `${ROOT}/kustomization.yaml`;
const COMPONENT_FILE = 'components/images/kustomization.yaml';

const OVERLAY = `# What the agent applies. The namespace and the version come from here.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: ${NAMESPACE}
resources:
  - ../base
components:
  - ../../../components/images
`;

const COMPONENT = `# The version of the engine, for every overlay that lists this.
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
images:
  - name: ${IMAGE}
    newTag: ${OLD_TAG}
`;

const inBase = (file: string): string => file.replace('apps/vllm/', 'apps/vllm/base/');

/** In the shape of llm-d: the tag stands in a component that other overlays may list as well. */
export const KUSTOMIZE: Layout = {
  folder: ROOT,
  isBuilt: true,
  tagFile: COMPONENT_FILE,
  manifest: inBase(LWS_FILE),
  ownFile: `${ROOT}/tranche/llm-vllm.yaml`,
  files: (strategy) => [
    ...startFiles(strategy).map((file) => ({
      ...file,
      path: [LWS_FILE, SERVICE_FILE].includes(file.path) ? inBase(file.path) : file.path,
    })),
    { path: 'apps/vllm/base/kustomization.yaml', text: 'resources: [lws.yaml, service.yaml]\n' },
    { path: OVERLAY_FILE, text: OVERLAY },
    { path: COMPONENT_FILE, text: COMPONENT },
  ],
};
