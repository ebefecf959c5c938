/** Measures what one folder with very many documents costs: as each of them, and not as each with each. */

import { DEFAULT_CONFIG } from '../src/api/config.ts';
import { desiredOf } from '../src/reconcile/desired/desired.ts';
import { LWS_TEXT, ROLLOUT_TEXT } from '../test/support/vllm.ts';
import { atMostTimes, type Row } from './rows.ts';

const [FEW, MANY] = [1000, 4000];
const STRETCHES = 3;

const named = (text: string, at: number): string => text.replaceAll('name: vllm\n', `name: vllm${at}\n`);

const policy = (at: number, rollouts: string): string => `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: p${at}}
spec:
  rollouts: ${rollouts}
  soakSeconds: 60
`;

/** Files of a folder by their places in it. */
const SHAPES: Readonly<Record<string, (at: number) => readonly [path: string, text: string]>> = {
  'Rollouts of one name': (at) => [`${at}.yaml`, ROLLOUT_TEXT],
  'Rollouts for one workload': (at) => [`${at}.yaml`, ROLLOUT_TEXT.replace('name: vllm\n', `name: vllm${at}\n`)],
  'Rollouts for workloads that are missing': (at) => [`${at}.yaml`, named(ROLLOUT_TEXT, at)],
  'workloads of one name': (at) => [`${at}.yaml`, LWS_TEXT],
  'policies that name Rollouts which are missing': (at) => [
    `${at}.yaml`,
    `${named(ROLLOUT_TEXT, at)}---\n${policy(at, `[llm/vlm${at}, lm/vllm${at}]`)}`,
  ],
  'kustomizations in a chain': (at) => [`${at}/kustomization.yaml`, `resources: [../${at + 1}]\n`],
};

/** The CPU of four times as many against that of as many, in the best of some stretches. */
export function crowdRows(): readonly Row[] {
  return Object.entries(SHAPES).map(([name, fileAt]) => {
    const times = (many: number): number =>
      Math.min(...Array.from({ length: STRETCHES }, () => cpuMilliseconds(many, fileAt)));
    const few = times(FEW);
    const row = { name: `${MANY} ${name}, CPU, against ${FEW}`, unit: 'ms', value: times(MANY) } as const;
    return atMostTimes(row, few, 6);
  });
}

function cpuMilliseconds(many: number, fileAt: (at: number) => readonly [path: string, text: string]): number {
  const files = [...Array(many).keys()].map((at) => {
    const [path, text] = fileAt(at);
    return { path: `apps/${path}`, oid: String(at), mode: '100644' as const, content: { kind: 'text' as const, text } };
  });
  const begin = process.cpuUsage();
  const { index } = desiredOf({ commit: 'c', folders: [], skipped: () => [], files }, DEFAULT_CONFIG, new Map());
  // What builds a workload is looked for once somebody asks.
  for (const workload of index.workloads.slice(0, 10)) index.layoutOf(workload);
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}
