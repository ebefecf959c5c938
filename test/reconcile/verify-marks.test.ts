/** Marks that a change brings: what main's own line never had of this object and release is forged, in whatever spelling. */

import { expect, test } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/api/config.ts';
import { desiredOf } from '../../src/reconcile/desired/desired.ts';
import { desiredRequest } from '../../src/reconcile/documents/desired-branch.ts';
import { marksSince } from '../../src/reconcile/verify-marks.ts';
import { FakeRepository } from '../support/fake-git.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT } from '../support/vllm.ts';

const [FIRST, SECOND] = [`${'1'.repeat(32)}.1`, `${'2'.repeat(32)}.2`];
const SERVICE_FILE = 'apps/vllm/service.yaml';
const SERVICE = 'apiVersion: v1\nkind: Service\nmetadata:\n  name: vllm-svc\nspec: {selector: {app: vllm}}\n';

const marked = (marks: readonly string[], text = LWS_TEXT): string => {
  const lines = marks.map((mark) => `    ${mark}\n`).join('');
  return text.replace('  name: vllm\n', `  name: vllm\n  annotations:\n${lines}`);
};
const release = (of: string): string => `tranche.dev/release: "${of}"`;
const PROMOTED = marked([release(FIRST), 'tranche.dev/step: "promote"', 'tranche.dev/rung: "primary"']);
const STEPPED = marked([release(SECOND), `tranche.dev/step: "1/2@${SECOND}"`, 'tranche.dev/rung: "traffic"']);

/** A release that went through its promotion, and a newer one on its first step. */
function repository(): FakeRepository {
  const made = FakeRepository.withFiles({
    [LWS_FILE]: LWS_TEXT,
    [ROLLOUT_FILE]: ROLLOUT_TEXT,
    [SERVICE_FILE]: SERVICE,
  });
  const ours = (step: string): string =>
    `rollout(llm/vllm): ${step}\n\nRollout: llm/vllm\nRollout-Step: ${step}\nRollout-Release: ${SECOND}\nRollout-Reason: StepReady\nPlanned-From: ${'a'.repeat(40)}`;
  for (const [text, step] of [
    [PROMOTED, 'promote'],
    [marked([release(FIRST)]), 'settled'],
    [STEPPED.replaceAll(OLD, NEW), '1/2'],
  ] as const)
    made.commit('main', { writes: [{ path: LWS_FILE, text }], message: ours(step) });
  return made;
}

type Change = Readonly<Record<string, string | undefined>>;

/** The marks that merging a change would bring, as `file key: reason`. */
async function judged(change: Change): Promise<readonly string[]> {
  const at = repository();
  at.setHead('theirs', at.head('main'));
  const writes = Object.entries(change).map(([path, text]) => ({ path, text }));
  const theirs = at.commit('theirs', { writes, message: 'a change' });
  const git = at.open();
  const desired = desiredOf(await git.readAt(theirs, desiredRequest(DEFAULT_CONFIG.paths)), DEFAULT_CONFIG, new Map());
  const found = await marksSince(git, at.head('main') ?? '', { desired, parsed: new Map() });
  return [...(found?.forged ?? []), ...(found?.returned ?? [])].map(
    ({ file, path, reason }) => `${file} ${path.replace('metadata.annotations.tranche.dev/', '')}: ${reason}`,
  );
}

const now = STEPPED.replaceAll(OLD, NEW);

test.each<readonly [what: string, change: Change, said: readonly string[]]>([
  ['nothing', { [LWS_FILE]: `${now}\n` }, []],
  [
    'promote, which an earlier release had',
    { [LWS_FILE]: now.replace(/tranche\.dev\/step: .*/, 'tranche.dev/step: "promote"') },
    [`${LWS_FILE} step: MarkForged`],
  ],
  [
    'the rung that an earlier release had',
    { [LWS_FILE]: now.replace('"traffic"', '"primary"') },
    [`${LWS_FILE} rung: MarkForged`],
  ],
  [
    'everything as it was with that release',
    { [LWS_FILE]: PROMOTED },
    [`${LWS_FILE} release: MarkReturns`, `${LWS_FILE} step: MarkReturns`, `${LWS_FILE} rung: MarkReturns`],
  ],
  [
    'a mark behind an alias',
    {
      [LWS_FILE]: now.replace('tranche.dev/rung: "traffic"', 'example.com/a: &a "primary"\n    tranche.dev/rung: *a'),
    },
    [`${LWS_FILE} rung: MarkForged`],
  ],
  [
    'a mark whose key is written with escapes',
    { [LWS_FILE]: now.replace('tranche.dev/rung: "traffic"', '"tranche.dev/\\x72ung": "all"') },
    [`${LWS_FILE} rung: MarkForged`],
  ],
  [
    'a mark whose key only looks like one',
    { [LWS_FILE]: now.replace('annotations:\n', 'annotations:\n    tr\u0430nche.dev/step: "promote"\n') },
    [],
  ],
  ['a file that got another name', { [LWS_FILE]: undefined, 'apps/vllm/model.yaml': now }, []],
  [
    'marks that another workload gets',
    { 'apps/other/lws.yaml': now.replace('  name: vllm\n', '  name: other\n') },
    ['release', 'step', 'rung'].map((key) => `apps/other/lws.yaml ${key}: MarkForged`),
  ],
  [
    'marks that a workload of the name gets in another namespace',
    { 'apps/other/lws.yaml': now.replace('namespace: llm', 'namespace: prod') },
    ['release', 'step', 'rung'].map((key) => `apps/other/lws.yaml ${key}: MarkForged`),
  ],
  [
    'a Service that tranche is to take for its own',
    {
      [SERVICE_FILE]: SERVICE.replace(
        '  name: vllm-svc\n',
        '  name: vllm-svc\n  annotations: {tranche.dev/made-for: vllm}\n',
      ),
    },
    [`${SERVICE_FILE} made-for: MarkForged`],
  ],
  [
    'a Rollout that is to bring a document back',
    {
      [ROLLOUT_FILE]: ROLLOUT_TEXT.replace(
        '  name: vllm\n',
        '  name: vllm\n  annotations: {tranche.dev/recreating: "{}"}\n',
      ),
    },
    [`${ROLLOUT_FILE} recreating: MarkForged`],
  ],
])('a change of %s', async (_, change, said) => {
  expect(await judged(change)).toEqual(said);
});
