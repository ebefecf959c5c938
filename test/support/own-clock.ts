/** A verb on a site by the clock of its cluster alone: Node dates answers once in a second of the machine, and hours pass here within one. */

import { type CommonOptions, commonOptions, type Io } from '../../src/options.ts';
import type { Ports } from '../../src/reconcile/pass.ts';
import { openPorts } from '../../src/wiring.ts';
import type { Site } from './site.ts';

/** An Analysis of the site's engine, by a provider that `env` names. */
export const CHAT = `apiVersion: tranche.dev/v1alpha1
kind: Analysis
metadata: {name: chat}
spec:
  provider: prod
  metrics:
    - use: vllm/errors
`;

/** What it printed, and its exit code. */
export async function byOwnClock(
  site: Site,
  env: Readonly<Record<string, string>>,
  run: (common: CommonOptions, ports: Ports, io: Io) => Promise<number>,
) {
  let [out, err] = ['', ''];
  const io = {
    env: { TRANCHE_REPO: site.repository.path, KUBECONFIG: site.kubeconfig, ...env },
    folder: site.folder,
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    isTerminal: false,
    signal: new AbortController().signal,
  };
  const common = commonOptions({}, io);
  const clock = { now: () => site.model.nowSeconds, sleep: async () => undefined };
  const code = await run(common, { ...openPorts(common, io), clock }, io);
  return { code, out, err };
}
