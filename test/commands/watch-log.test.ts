/** The log of a watch: one line a change, a first line that says who looks at what, and the same as JSON. */

import { expect, test } from 'vitest';
import { textLog } from '../../src/adapters/system/text-log.ts';
import { type ReconcileOptions, reconcile } from '../../src/commands/reconcile.ts';
import { commonOptions, type Io, UsageError } from '../../src/options.ts';
import type { Git } from '../../src/ports/git.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const TWO_STEPS = ROLLOUT_TEXT.replace('duration: 0', 'duration: 90').replace('pause: {}', 'pause: {duration: 40}');

/** What a watch of `rounds` passes prints of a delivery, with a pause by hand in it and a file that is wrong for a while. */
async function logOf(given: Readonly<Record<string, unknown>>, rounds: number, failing = 0): Promise<string> {
  const world = new World({ files: { ...VLLM_FILES, [ROLLOUT_FILE]: TWO_STEPS } });
  world.sync();
  world.tick(60);
  const stop = new AbortController();
  let out = '';
  const io: Io = {
    env: {},
    folder: '/repo',
    out: (text) => void (out += text),
    err: () => undefined,
    isTerminal: false,
    signal: stop.signal,
  };
  let round = 0;
  const clock = {
    now: () => world.now,
    sleep: async (seconds: number) => {
      world.tick(seconds);
      round += 1;
      if (round === 2) world.edit(LWS_FILE, OLD, NEW);
      if (round === 9) world.edit(ROLLOUT_FILE, 'steps:', 'stepz:');
      if (round === 11) world.edit(ROLLOUT_FILE, 'stepz:', 'steps:');
      world.sync();
      if (round >= rounds) stop.abort();
    },
  };
  const watching = { ...given, repo: 'https://ops:secret@git.example/llm.git?x=1', watch: true };
  const options: ReconcileOptions = { ...commonOptions(watching, io), watch: true, savePass: undefined, only: [] };
  const real = world.ports({ clock });
  let asked = 0;
  const heads: Git['heads'] = async (branches) => {
    asked += 1;
    if (asked <= failing)
      throw new PortError('connection refused', { port: 'git', operation: 'heads', retryable: true, hint: '' });
    return real.git.heads(branches);
  };
  const log = textLog((line) => void (out += `${line}\n`), { form: options.log, now: () => world.now });
  expect(await reconcile(options, { ...real, log, git: { ...real.git, heads } }, io)).toBe(0);
  const named = out.replace(/process [0-9a-f]{8}/g, 'process ID').replace(/"process":"[0-9a-f]{8}"/, '"process":"ID"');
  return named.replace(/\b[0-9a-f]{12}(?=[0-9a-f]{28}\b| )/g, 'oid').replace(/oid[0-9a-f]{28}/g, 'oid');
}

test('as text', async () => {
  expect(await logOf({}, 40)).toMatchInlineSnapshot(`
    "2026-11-21T00:01:00Z start tranche 0.1.0: process ID, repository https://git.example/llm.git, cluster as tranche.yaml says, branch as tranche.yaml says, shard all, access ~/.kube/config
    2026-11-21T00:01:00Z config cluster default, branch main, status on tranche-status, files in the whole tree, a pass at least every 30 s
    2026-11-21T00:01:00Z llm/vllm commit oid rollout(llm/vllm): adopt, partition 0 → 1000000
    2026-11-21T00:01:00Z llm/vllm state settled  ● ● ● ●
    2026-11-21T00:02:00Z llm/vllm commit oid rollout(llm/vllm): step 1/3, partition 1000000 → 3
    2026-11-21T00:02:00Z llm/vllm state step 1/3, BeforeStepUpgrade  ○ ○ ○ ○
    2026-11-21T00:02:30Z llm/vllm state step 1/3, StepUpgrade  ○ ○ ○ ~
    2026-11-21T00:02:30Z llm/vllm waits GroupsNotReady: Group 3 is on the release and not ready yet (leader: Pending). If it stays so: tranche abort vllm
    2026-11-21T00:03:00Z llm/vllm state step 1/3, StepPaused  ○ ○ ○ ●
    2026-11-21T00:03:00Z llm/vllm waits PauseDuration: Step 1 is done; its pause lasts another 91 s
    2026-11-21T00:03:00Z llm/vllm no longer waits: GroupsNotReady
    2026-11-21T00:04:31Z llm/vllm commit oid rollout(llm/vllm): step 2/3, partition 3 → 2
    2026-11-21T00:04:31Z llm/vllm state step 2/3, BeforeStepUpgrade  ○ ○ ○ ●
    2026-11-21T00:04:31Z llm/vllm no longer waits: PauseDuration
    2026-11-21T00:05:01Z llm/vllm state stalled  ○ ○ ~ ●
    2026-11-21T00:05:01Z llm/vllm waits GroupsNotReady: Group 2 is on the release and not ready yet (leader: Pending). If it stays so: tranche abort vllm
    2026-11-21T00:05:01Z llm/vllm wrong rollouts/vllm.yaml:13: Rollout vllm: spec.strategy.canary.stepz is not a field of this object (UnknownField). Did you mean steps? Remove it, or use one of: steps, trafficRoutings, failureThreshold, trafficRoutingRef, disableGenerateCanaryService, patchPodTemplateMetadata, enableExtraWorkloadForCanary.
    2026-11-21T00:05:01Z llm/vllm wrong rollouts/vllm.yaml:12: Rollout vllm: spec.strategy.canary.steps is empty, wanted at least one step (NoSteps). Add a step, as replicas: 100%.
    2026-11-21T00:05:31Z llm/vllm state stalled  ○ ○ ● ●
    2026-11-21T00:05:31Z llm/vllm no longer waits: GroupsNotReady
    2026-11-21T00:06:01Z llm/vllm state step 2/3, StepPaused  ○ ○ ● ●
    2026-11-21T00:06:01Z llm/vllm waits PauseDuration: Step 2 is done; its pause lasts another 11 s
    2026-11-21T00:06:01Z llm/vllm no longer wrong: rollouts/vllm.yaml (UnknownField)
    2026-11-21T00:06:01Z llm/vllm no longer wrong: rollouts/vllm.yaml (NoSteps)
    2026-11-21T00:06:12Z llm/vllm commit oid rollout(llm/vllm): step 3/3, partition 2 → 0
    2026-11-21T00:06:12Z llm/vllm state step 3/3, BeforeStepUpgrade  ○ ○ ● ●
    2026-11-21T00:06:12Z llm/vllm no longer waits: PauseDuration
    2026-11-21T00:06:42Z llm/vllm state step 3/3, StepUpgrade  ○ ~ ● ●
    2026-11-21T00:06:42Z llm/vllm waits GroupsNotUpdated: Group 0 is not on the release yet; group 1 is on it and not ready (leader: Pending). If it stays so: tranche abort vllm
    2026-11-21T00:07:12Z llm/vllm state step 3/3, StepUpgrade  ~ ● ● ●
    2026-11-21T00:07:12Z llm/vllm waits StatefulSetNotFlipped: All 4 groups are on the release, but group 0 is not ready (leader: Pending). The workload is locked once the StatefulSet has taken all leaders over; if that takes long: tranche abort vllm
    2026-11-21T00:07:12Z llm/vllm no longer waits: GroupsNotUpdated
    2026-11-21T00:07:42Z llm/vllm commit oid rollout(llm/vllm): step 3/3, locked, partition 0 → 1000000
    2026-11-21T00:07:42Z llm/vllm state step 3/3, StepUpgrade  ● ● ● ●
    2026-11-21T00:07:42Z llm/vllm no longer waits: StatefulSetNotFlipped
    2026-11-21T00:08:12Z llm/vllm commit oid rollout(llm/vllm): settled
    2026-11-21T00:08:12Z llm/vllm state settled  ● ● ● ●
    2026-11-21T00:20:12Z stop as the process was asked to
    "
  `);
});

test('as JSON, one object a line: the same changes, with their fields', async () => {
  const lines = (await logOf({ log: 'json' }, 5, 1)).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchInlineSnapshot(`
    [
      {
        "access": "~/.kube/config",
        "branch": "as tranche.yaml says",
        "cluster": "as tranche.yaml says",
        "event": "start",
        "level": "info",
        "message": "tranche 0.1.0: process ID, repository https://git.example/llm.git, cluster as tranche.yaml says, branch as tranche.yaml says, shard all, access ~/.kube/config",
        "process": "ID",
        "repository": "https://git.example/llm.git",
        "shard": "all",
        "time": "2026-11-21T00:01:00Z",
        "version": "0.1.0",
      },
      {
        "event": "log",
        "level": "error",
        "message": "git: heads: connection refused; trying again in 1 s",
        "time": "2026-11-21T00:01:00Z",
      },
      {
        "event": "recovered",
        "level": "info",
        "message": "after 1 pass that failed",
        "time": "2026-11-21T00:01:01Z",
      },
      {
        "branch": "main",
        "cluster": "default",
        "event": "config",
        "intervalSeconds": 30,
        "level": "info",
        "message": "cluster default, branch main, status on tranche-status, files in the whole tree, a pass at least every 30 s",
        "paths": "the whole tree",
        "statusBranch": "tranche-status",
        "time": "2026-11-21T00:01:01Z",
      },
      {
        "commit": "oid",
        "event": "commit",
        "level": "info",
        "message": "oid rollout(llm/vllm): adopt, partition 0 → 1000000",
        "rollout": "llm/vllm",
        "subject": "rollout(llm/vllm): adopt, partition 0 → 1000000",
        "time": "2026-11-21T00:01:01Z",
      },
      {
        "event": "state",
        "groups": "● ● ● ●",
        "level": "info",
        "message": "settled  ● ● ● ●",
        "rollout": "llm/vllm",
        "state": "settled",
        "time": "2026-11-21T00:01:01Z",
      },
      {
        "commit": "oid",
        "event": "commit",
        "level": "info",
        "message": "oid rollout(llm/vllm): step 1/3, partition 1000000 → 3",
        "rollout": "llm/vllm",
        "subject": "rollout(llm/vllm): step 1/3, partition 1000000 → 3",
        "time": "2026-11-21T00:01:31Z",
      },
      {
        "event": "state",
        "groups": "○ ○ ○ ○",
        "level": "info",
        "message": "step 1/3, BeforeStepUpgrade  ○ ○ ○ ○",
        "rollout": "llm/vllm",
        "state": "step 1/3, BeforeStepUpgrade",
        "time": "2026-11-21T00:01:31Z",
      },
      {
        "event": "state",
        "groups": "○ ○ ○ ~",
        "level": "info",
        "message": "step 1/3, StepUpgrade  ○ ○ ○ ~",
        "rollout": "llm/vllm",
        "state": "step 1/3, StepUpgrade",
        "time": "2026-11-21T00:02:01Z",
      },
      {
        "event": "hold",
        "level": "info",
        "lines": [],
        "message": "Group 3 is on the release and not ready yet (leader: Pending). If it stays so: tranche abort vllm",
        "reason": "GroupsNotReady",
        "rollout": "llm/vllm",
        "time": "2026-11-21T00:02:01Z",
      },
      {
        "event": "state",
        "groups": "○ ○ ○ ●",
        "level": "info",
        "message": "step 1/3, StepPaused  ○ ○ ○ ●",
        "rollout": "llm/vllm",
        "state": "step 1/3, StepPaused",
        "time": "2026-11-21T00:02:31Z",
      },
      {
        "event": "hold",
        "level": "info",
        "lines": [],
        "message": "Step 1 is done; its pause lasts another 91 s",
        "reason": "PauseDuration",
        "rollout": "llm/vllm",
        "time": "2026-11-21T00:02:31Z",
      },
      {
        "event": "holdOver",
        "level": "info",
        "message": "GroupsNotReady",
        "reason": "GroupsNotReady",
        "rollout": "llm/vllm",
        "time": "2026-11-21T00:02:31Z",
      },
      {
        "event": "stop",
        "level": "info",
        "message": "as the process was asked to",
        "time": "2026-11-21T00:03:01Z",
      },
    ]
  `);
});

test('a pass that fails is said each time, and once that one succeeded again', async () => {
  const text = await logOf({}, 3, 2);
  expect(text.split('\n').slice(1, 4)).toMatchInlineSnapshot(`
    [
      "2026-11-21T00:01:00Z error: git: heads: connection refused; trying again in 1 s",
      "2026-11-21T00:01:01Z error: git: heads: connection refused; trying again in 2 s",
      "2026-11-21T00:01:03Z recovered after 2 passes that failed",
    ]
  `);
});

test('ports with a new secret are used from the next pass on; a file that cannot be read is said once', async () => {
  const world = new World({ files: { ...VLLM_FILES, [ROLLOUT_FILE]: TWO_STEPS } });
  world.sync();
  world.tick(60);
  const stop = new AbortController();
  let [out, round] = ['', 0];
  const say = (text: string) => void (out += `${text.trimEnd()}\n`);
  const io: Io = { env: {}, folder: '/repo', out: say, err: say, isTerminal: false, signal: stop.signal };
  const clock = {
    now: () => world.now,
    sleep: async (seconds: number) => {
      round += 1;
      world.tick(seconds);
      if (round === 5) stop.abort();
    },
  };
  const refused: Git['heads'] = async () => {
    throw new PortError('the token is refused', { port: 'git', operation: 'heads', retryable: false, hint: '' });
  };
  const good = { ...world.ports({ clock }), log: textLog(say, { form: 'dated', now: () => world.now }) };
  const expired = { ...good, git: { ...good.git, heads: refused } };
  const renew = () => {
    if (round === 1 || round === 2) throw new UsageError('TRANCHE_GIT_TOKEN_FILE: /token cannot be read (ENOENT)');
    return round === 3 ? good : undefined;
  };
  const options = { ...commonOptions({ watch: true }, io), watch: true, savePass: undefined, only: [] };
  expect(await reconcile(options, expired, io, renew)).toBe(0);
  expect(out.split('\n').slice(1, 8)).toMatchInlineSnapshot(`
    [
      "2026-11-21T00:01:00Z error: git: heads: the token is refused; trying again in 1 s",
      "2026-11-21T00:01:01Z warning: TRANCHE_GIT_TOKEN_FILE: /token cannot be read (ENOENT); the secret before it is used",
      "2026-11-21T00:01:01Z error: git: heads: the token is refused; trying again in 2 s",
      "2026-11-21T00:01:03Z error: git: heads: the token is refused; trying again in 4 s",
      "2026-11-21T00:01:07Z renewed a secret in a file has changed, and counts from now on",
      "2026-11-21T00:01:07Z recovered after 3 passes that failed",
      "2026-11-21T00:01:07Z config cluster default, branch main, status on tranche-status, files in the whole tree, a pass at least every 30 s",
    ]
  `);
});

test('where standard output is for passes as JSON, nothing else is on it', async () => {
  const text = await logOf({ output: 'json' }, 2);
  expect(text.startsWith('{\n  "main": ')).toBe(true);
  expect(text).not.toContain('start tranche');
});
