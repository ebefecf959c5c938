/** What a policy of a simulated world says, as people write it: plain fields, so that laws need none of the parsers they judge. */

import type { Chance } from './chance.ts';
import type { Universe } from './universe.ts';

export const GATES_FILE = 'policies/gates.yaml';

export type Said = {
  readonly maxStepGroups?: number;
  readonly maxDeliveriesPerNamespace?: number;
  readonly soakSeconds?: number;
  /** Minutes from the full hour. */
  readonly allowMinutes?: number;
  /** This long groups may load; then the release goes back by itself. */
  readonly readyDeadlineSeconds?: number;
  readonly stopped?: true;
  readonly broken?: true;
};

/** The policy as people write it; what it says stands in its first line, for the laws. */
export function saidText(said: Said): string {
  const { maxStepGroups, maxDeliveriesPerNamespace, soakSeconds, allowMinutes, readyDeadlineSeconds } = said;
  const lines = [
    `# ${JSON.stringify(said)}`,
    'apiVersion: tranche.dev/v1alpha1',
    'kind: RolloutPolicy',
    'metadata: {name: gates}',
    'spec:',
    '  finalSoakSeconds: 1',
    ...(maxStepGroups === undefined ? [] : [`  maxStepGroups: ${maxStepGroups}`]),
    ...(maxDeliveriesPerNamespace === undefined ? [] : [`  maxDeliveriesPerNamespace: ${maxDeliveriesPerNamespace}`]),
    ...(soakSeconds === undefined ? [] : [`  soakSeconds: ${soakSeconds}`]),
    ...(readyDeadlineSeconds === undefined
      ? []
      : [`  readyDeadlineSeconds: ${readyDeadlineSeconds}`, '  onFailure: rollback']),
    ...(allowMinutes === undefined
      ? []
      : ['  allow:', `    - {cron: "0 * * * *", minutes: ${allowMinutes}, timeZone: UTC}`]),
    ...(said.stopped === true ? ['  deny:', '    - {from: "2020-01-01T00:00:00Z", to: "2040-01-01T00:00:00Z"}'] : []),
    ...(said.broken === true ? ['  surge: many'] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** What the policy of a commit says; of one that is not there nothing. */
export function saidIn(text: string | undefined): Said {
  return text === undefined ? {} : JSON.parse(text.split('\n')[0]?.slice(2) ?? '{}');
}

/** A policy that lets a delivery through in time. */
export function anySaid(chance: Chance): Said {
  return {
    ...(chance.flip(0.4) ? { maxStepGroups: chance.between(1, 3) } : {}),
    ...(chance.flip(0.6) ? { maxDeliveriesPerNamespace: 1 } : {}),
    ...(chance.flip(0.4) ? { soakSeconds: chance.pick([60, 300]) } : {}),
    ...(chance.flip(0.4) ? { allowMinutes: chance.pick([15, 40]) } : {}),
    ...(chance.flip(0.35) ? { readyDeadlineSeconds: chance.pick([60, 600]) } : {}),
  };
}

/** Somebody edits the policy, takes it away, breaks it, stops the line, or puts it right again. */
export function policyStep(universe: Universe, chance: Chance): void {
  const was = saidIn(universe.text('main', GATES_FILE));
  const isShut = was.broken === true || was.stopped === true;
  const said = chance.weighted<Said | undefined>([
    [4, anySaid(chance)],
    [1, undefined],
    [isShut ? 0 : 1, { ...was, broken: true }],
    [isShut ? 0 : 1, { ...was, stopped: true }],
    [isShut ? 6 : 0, {}],
  ]);
  const text = said === undefined ? undefined : saidText(said);
  universe.commit(GATES_FILE, text, `policy ${said === undefined ? 'gone' : JSON.stringify(said)}`);
}
