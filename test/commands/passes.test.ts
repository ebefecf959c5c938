/** The verbs that look and step: reconcile, plan, lint, status, replay, against real Git and a real API over HTTP. */

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

const servers: GitServer[] = [];
afterEach(async () => {
  await stopSites();
  for (const server of servers.splice(0)) await server.stop();
});

const TWO = {
  ...VLLM_FILES,
  'apps/chat/lws.yaml': LWS_TEXT.replace('name: vllm', 'name: chat'),
  'rollouts/chat.yaml': ROLLOUT_TEXT.replaceAll('vllm', 'chat'),
};

/** Adopted, with a new image requested and live. */
async function requested(site: Site): Promise<void> {
  await site.run('reconcile');
  await site.edit(LWS_FILE, OLD, NEW);
  await site.settle();
}

/** The changed lines of a diff. */
const changes = (diff: string): readonly string[] => diff.split('\n').filter((line) => /^[-+]/.test(line));

/** Without the first word of the second line: what was written, and what would be. */
const afterOid = (text: string): string => text.replace(/ {2}(would commit|commit [0-9a-f]{12}) /, '  … ');

describe('a delivery', () => {
  test('over smart HTTP, from adoption to settled: plan says what reconcile then writes, word for word', async () => {
    const server = await startGitServer();
    servers.push(server);
    const repository = await server.createRepository('team/repo.git');
    const site = await startSite({
      repository,
      files: { ...VLLM_FILES, [ROLLOUT_FILE]: ROLLOUT_TEXT.replace(': 0}', ': 60}') },
      signed: true,
    });
    const env = { TRANCHE_REPO: repository.url };
    const subjects: string[] = [];
    for (let pass = 0; pass < 16; pass += 1) {
      const planned = await site.run('plan --output json', env);
      const head = await site.head();
      const done = await site.run('reconcile --output json', env);
      expect([planned.code, done.code, done.err]).toEqual([0, 0, '']);
      const [before] = JSON.parse(planned.out).rollouts;
      const [after = before] = JSON.parse(done.out).rollouts;
      expect([after.diff, after.message, after.decision]).toEqual([before.diff, before.message, before.decision]);
      if ((await site.head()) !== head) {
        subjects.push(await site.subject());
        expect(after.commit).toBe(await site.head());
        expect(await repository.git('log', '-1', '--format=%B', 'main')).toBe(before.message.trimEnd());
        const shown = await repository.git('show', '--format=', '--no-color', 'main');
        expect(changes(before.diff), 'what git itself shows').toEqual(changes(shown));
      }
      if (pass === 0) await site.edit(LWS_FILE, OLD, NEW);
      await site.settle();
      if (after.holds.some((hold: { reason: string }) => hold.reason === 'PausedForApproval'))
        expect(await site.run('approve vllm', env)).toMatchObject({ code: 0 });
    }
    expect(subjects).toEqual([
      'rollout(llm/vllm): adopt, partition 0 → 1000000',
      'rollout(llm/vllm): step 1/3, partition 1000000 → 3',
      'rollout(llm/vllm): step 2/3, partition 3 → 2',
      'rollout(llm/vllm): step 3/3, partition 2 → 0',
      'rollout(llm/vllm): step 3/3, locked, partition 0 → 1000000',
      'rollout(llm/vllm): settled',
    ]);
    expect(await site.run('reconcile', env)).toEqual({ code: 0, out: 'nothing has moved, all settled\n', err: '' });
  });

  test('in a folder that is a repository, named in whatever way, or not at all', async () => {
    const site = await startSite();
    await site.repository.git('clone', '-q', '.', join(site.folder, 'work'));
    const work = join(site.folder, 'work');
    for (const repo of [work, 'work', './work', `file://${work}`, site.repository.path]) {
      const called = await site.run(`plan --repo ${repo}`);
      expect(called.out, repo).toContain('would commit  rollout(llm/vllm): adopt');
      expect(called.code, repo).toBe(0);
    }
    expect(await site.run('plan', { TRANCHE_REPO: '' }), 'this folder is none').toEqual({
      code: 2,
      out: '',
      err: expect.stringContaining('not a Git repository'),
    });
  });

  test('the text of plan is that of reconcile, with message and diff below', async () => {
    const site = await startSite();
    await requested(site);
    const planned = await site.run('plan');
    const again = await site.run('plan');
    expect(again, 'nothing was written').toEqual(planned);
    const done = await site.run('reconcile');
    const belowHead = (text: string): string => afterOid(text).slice(text.indexOf('\n'));
    expect(belowHead(planned.out).startsWith(belowHead(done.out))).toBe(true);
    expect(planned.out, 'where it stands, not where the commit would lead').toMatch(/^llm\/vllm {2}requested {2}● /);
    expect(planned.out).toContain('\n    Rollout-Step: 1/3\n');
    expect(planned.out).toContain('\n-      partition: 1000000\n+      partition: 3\n');
    expect(done.out).toMatch(/^llm\/vllm {2}step 1\/3, [A-Za-z]+ {2}○ ○ ○ ○\n {2}commit [0-9a-f]{12} {2}rollout/);
  });
});

test('plan with a note about a file does not say that there is no Rollout', async () => {
  const site = await startSite({ files: { ...VLLM_FILES, 'tranche.yaml': 'paths: [apps, rollouts]\n' } });
  const { out } = await site.run('plan');
  expect(out).toContain('note: tranche.yaml:1: paths has no entry for policies/stop.yaml');
  expect(out).toMatch(/^llm\/vllm /);
  expect(out).not.toContain('no Rollout of a LeaderWorkerSet found');
});

describe('--only', () => {
  test('steps the named ones and leaves the rest, and their records, alone', async () => {
    const site = await startSite({ files: TWO });
    const first = await site.run('reconcile --only chat');
    expect(first.out).toContain('rollout(llm/chat): adopt');
    expect(first.out).not.toContain('vllm  ');
    await site.run('reconcile');
    expect((await site.run('status')).out).toMatch(/llm\/chat .*\n.*llm\/vllm /);
    await site.run('reconcile --only chat');
    expect((await site.run('status')).out).toMatch(/llm\/chat .*\n.*llm\/vllm /);
  });

  test('a name that is not there is an error, with those that are', async () => {
    const site = await startSite({ files: TWO });
    expect(await site.run('reconcile --only chat nope')).toMatchObject({
      code: 1,
      out: expect.stringContaining(
        '\nthere is no Rollout nope; there is: llm/chat, llm/vllm (NoSuchRollout). Check the spelling, and paths in tranche.yaml.\n',
      ),
    });
    expect(await site.subject()).toBe('rollout(llm/chat): adopt, partition 0 → 1000000');
  });
});

test('a status branch that was deleted in a delivery is rebuilt, and the pass says so', async () => {
  const site = await startSite();
  await requested(site);
  await site.run('reconcile');
  await site.repository.git('update-ref', '-d', 'refs/heads/tranche-status');
  const pass = await site.run('reconcile');
  expect(pass).toMatchObject({ code: 0, err: '' });
  expect(pass.out).toContain('  note   record rebuilt from the files: there was none\n');
  expect((await site.run('reconcile')).out).not.toContain('rebuilt');
});

describe('saved passes', () => {
  test('a pass that is saved can be decided again without the world', async () => {
    const site = await startSite({ files: TWO });
    await requested(site);
    const saved = await site.run('reconcile --save-pass passes');
    expect(saved.code).toBe(0);
    const names = ['default_llm_chat.json', 'default_llm_vllm.json'];
    expect(readdirSync(join(site.folder, 'passes')).sort()).toEqual(names);
    await site.api.close();
    const replayed = await site.run('replay passes', { TRANCHE_REPO: '/nonexistent', KUBECONFIG: '/nonexistent' });
    expect(replayed).toMatchObject({ code: 0, err: '' });
    for (const name of names) expect(replayed.out).toContain(`${name}: the same decision as saved\n`);
    expect(replayed.out).toContain('rollout(llm/vllm): step 1/3, partition 1000000 → 3');
  });

  test('a saved pass is read by its owner alone, also where a file of before was open to all', async () => {
    const site = await startSite();
    const file = join(site.folder, 'passes/default_llm_vllm.json');
    for (const verb of ['reconcile', 'plan']) {
      await site.run(`${verb} --save-pass passes`);
      expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
      chmodSync(file, 0o644);
    }
    expect((statSync(join(site.folder, 'passes')).mode & 0o777).toString(8)).toBe('700');
  });

  test('a link that somebody has put in the folder is not written through', async () => {
    const site = await startSite();
    const passes = join(site.folder, 'passes');
    site.file('theirs', 'as it was');
    mkdirSync(passes);
    for (const name of ['default_llm_vllm.json', `default_llm_vllm.json.tranche-${process.pid}`])
      symlinkSync(join(site.folder, 'theirs'), join(passes, name));
    await site.run('plan --save-pass passes');
    expect(readFileSync(join(site.folder, 'theirs'), 'utf8')).toBe('as it was');
    expect(readdirSync(passes)).toEqual(['default_llm_vllm.json']);
    expect(lstatSync(join(passes, 'default_llm_vllm.json')).isFile()).toBe(true);
  });

  test('plan saves as well; a pass that was tampered with is distinguished', async () => {
    const site = await startSite();
    await requested(site);
    await site.run('plan --save-pass passes');
    const file = join(site.folder, 'passes/default_llm_vllm.json');
    const text = readFileSync(file, 'utf8');
    expect(await site.run('replay passes')).toMatchObject({ code: 0 });
    writeFileSync(file, text.replace('"partition": 1000000', '"partition": 2'));
    const replayed = await site.run('replay passes');
    expect(replayed.code).toBe(1);
    expect(replayed.out).toContain('default_llm_vllm.json: NOT the decision that was saved\n');
    const { snapshot: _, ...rest } = JSON.parse(text);
    for (const [other, said] of [
      [text.slice(0, 1000), 'is no JSON: it was cut short'],
      [JSON.stringify({ ...rest, snapshot: {} }), 'is not whole'],
      [JSON.stringify({ ...JSON.parse(text), texts: { a: 1 } }), 'is not whole'],
      [
        JSON.stringify({ ...rest, snapshot: { ...JSON.parse(text).snapshot, workload: 7 } }),
        'default_llm_vllm.json cannot be decided: TypeError: ',
      ],
    ] as const) {
      writeFileSync(file, other);
      expect(await site.run('replay passes')).toMatchObject({ code: 2, err: expect.stringContaining(said) });
    }
    rmSync(file);
    mkdirSync(file);
    const folder = await site.run('replay passes');
    expect(folder).toMatchObject({
      code: 2,
      err: expect.stringMatching(/default_llm_vllm\.json cannot be read: EISDIR/),
    });
  });

  test.each(['reconcile', 'plan'])(
    '%s says that the folder cannot be made before anything is written',
    async (verb) => {
      const site = await startSite();
      writeFileSync(join(site.folder, 'file'), '');
      const called = await site.run(`${verb} --save-pass file/passes`);
      expect(called).toMatchObject({ code: 2, out: '' });
      expect(called.err).toContain(
        `error: --save-pass: ${join(site.folder, 'file/passes')} cannot be written: ENOTDIR`,
      );
      expect(await site.subject()).toBe('first files');
    },
  );

  test.runIf(existsSync('/proc/self'))('a folder where none can be made is told, and not tried for ever', async () => {
    const site = await startSite();
    const called = await site.run('plan --save-pass /proc/none/passes');
    expect(called).toMatchObject({ code: 2, out: '' });
    expect(called.err).toContain('error: --save-pass: /proc/none/passes cannot be written: ENOENT');
  });

  test('a pass that could not be saved is a pass all the same', async () => {
    const site = await startSite();
    mkdirSync(join(site.folder, 'passes/default_llm_vllm.json'), { recursive: true });
    const called = await site.run('reconcile --save-pass passes');
    expect(called.code).toBe(0);
    expect(called.err).toContain('warning: --save-pass: this pass was not saved: EISDIR');
    expect(await site.subject()).toBe('rollout(llm/vllm): adopt, partition 0 → 1000000');
  });

  const bad: readonly (readonly [what: string, text: string, said: string])[] = [
    ['another version', '{"version":99}', 'error: bad.json is no pass of this version (wanted version 4)\n'],
    [
      'a decision of another version',
      '{"version":4,"snapshot":{},"texts":{},"plan":{"version":1}}',
      'error: bad.json holds a decision of another version (wanted version 2)\n',
    ],
    ['no object', '[]', 'error: bad.json is no pass of this version (wanted version 4)\n'],
    ['no JSON', '{"version":', 'error: bad.json is no JSON: it was cut short, or is no saved pass\n'],
  ];
  test.each(bad)('%s', async (_, text, said) => {
    const site = await startSite();
    site.file('passes/bad.json', text);
    expect(await site.run('replay passes')).toEqual({ code: 2, out: '', err: said });
  });

  test('an empty folder', async () => {
    const site = await startSite();
    const said = `error: ${join(site.folder, 'none')} holds no saved pass; tranche reconcile --save-pass ${join(site.folder, 'none')} writes some\n`;
    expect(await site.run('replay none')).toEqual({ code: 2, out: '', err: said });
  });
});

const SLOW = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: slow}
spec: {soakSeconds: 600}
`;

describe('status', () => {
  test('a Rollout that is new on main is named, with no word that nothing has changed', async () => {
    const site = await startSite();
    await site.run('reconcile');
    const chat = Object.fromEntries(Object.entries(TWO).filter(([path]) => path.includes('chat')));
    await site.repository.commit('main', chat, 'add chat');
    const table = (await site.run('status')).out;
    expect(table).toContain('\nllm/chat is new on main, no pass has looked yet\n');
    expect(table).not.toContain('with no change of the files that count here');
    const fresh = 'llm/chat is new on main, no pass has looked yet\n';
    expect(await site.run('status chat')).toEqual({ code: 1, out: '', err: fresh });
    expect((await site.run('status vllm')).out).toContain('with no change of the files that count here');
    await site.run('reconcile');
    expect((await site.run('status')).out).not.toContain('is new on main');
  });

  test.each([
    ['a policy that is new', { 'policies/slow.yaml': SLOW }, 'policies/slow.yaml'],
    ['the settings', { 'tranche.yaml': 'auditSeconds: 7200\n' }, 'tranche.yaml'],
    ['a file that counts for nobody', { 'notes.txt': 'x\n' }, undefined],
  ])('what changed on main since: %s', async (_, files, named) => {
    const site = await startSite();
    await site.run('reconcile');
    await site.repository.commit('main', files, 'a change');
    for (const line of ['status', 'status vllm']) {
      const { out } = await site.run(line);
      if (named === undefined) expect(out).toContain('with no change of the files that count here');
      else expect(out).not.toContain('with no change of the files that count here');
      if (named !== undefined) expect(out).toContain(`${named} changed on main, not seen yet: the next pass reads it`);
    }
  });

  test('before the first pass', async () => {
    const site = await startSite();
    expect((await site.run('plan')).out).toMatch(/^llm\/vllm {2}not adopted {2}● /);
    expect(await site.run('status')).toEqual({
      code: 0,
      out: 'no pass has written a status yet: tranche reconcile makes one, and tranche status --live looks without it\n',
      err: '',
    });
    expect(await site.run('status vllm')).toEqual({
      code: 1,
      out: '',
      err: 'no pass has written a status of vllm yet: tranche reconcile makes one, and the same with --live looks without it\n',
    });
    expect(await site.run('status llama')).toEqual({
      code: 1,
      out: '',
      err: 'main has no Rollout llama. There is: llm/vllm\n',
    });
    expect(JSON.parse((await site.run('status --output json')).out)).toMatchObject({ notLookedAt: ['llm/vllm'] });
    expect(await site.run('status --status-branch tranche-statsu')).toEqual({
      code: 1,
      out: '',
      err: 'the repository has no branch tranche-statsu, which --status-branch names: no pass has written a status there\n',
    });
    expect((await site.run('status vllm --live')).out).toMatch(
      /State: +not adopted\n[^]*Next commit:\n {2}rollout\(llm\/vllm\): adopt, partition 0 → 1000000\n/,
    );
  });

  test('the table, the tree and the JSON of a delivery that waits for someone', async () => {
    const site = await startSite({
      files: { ...VLLM_FILES, [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('{duration: 0}', '{}') },
    });
    await requested(site);
    await site.run('reconcile');
    await site.settle();
    await site.run('reconcile');
    site.model.tick(125);
    expect((await site.run('status')).out).toBe(
      [
        'ROLLOUT   STATE                 RELEASE     IMAGE                                      READY  FOR    MESSAGE',
        `llm/vllm  step 1/3, StepPaused  0e241605.2  vllm-openai:v0.10.0 → vllm-openai:v0.10.1  4/4    2 min  ${await heldBecause(site)}`,
        '',
        `As of ${isoTime(site.model.nowSeconds - 125)} (2 min ago, the last pass with news), main at ${(await site.head()).slice(0, 12)}`,
        '',
      ].join('\n'),
    );
    const tree = (await site.run('status vllm')).out;
    expect(tree).toContain('Step:      1 of 3: 1 of 4 groups, partition 3, done for 2 min\n');
    expect(tree).toContain('Waits for:\n  PausedForApproval: ');
    expect(tree).toContain('Groups: ○ ○ ○ ●\n├── group 0  ✔ ready      on the stable version, for ');
    expect(tree).toContain('└── group 3  ✔ ready      on the release, for 2 min\n');
    const { rollouts } = JSON.parse((await site.run('status vllm --output json')).out);
    expect(rollouts).toMatchObject([
      { name: 'vllm', phase: 'Progressing', step: { state: 'StepPaused' }, images: { from: [OLD], to: [NEW] } },
    ]);
  });

  test('--cluster shows the Rollouts of that cluster alone', async () => {
    const site = await startSite();
    for (const cluster of ['east', 'west']) await site.run(`reconcile --cluster ${cluster}`);
    const clustersOf = async (call: string): Promise<readonly string[]> => {
      const found = JSON.parse((await site.run(`${call} --output json`)).out) as {
        readonly rollouts: readonly { readonly cluster: string }[];
      };
      return found.rollouts.map(({ cluster }) => cluster);
    };
    expect(await clustersOf('status')).toEqual(['east', 'west']);
    expect(await clustersOf('status --cluster west')).toEqual(['west']);
    expect(await clustersOf('status vllm --cluster east')).toEqual(['east']);
    expect(await site.run('status vllm --cluster north')).toMatchObject({
      code: 1,
      err: 'no record of vllm in the cluster north. There is: east, west\n',
    });
  });

  test('--live reads the cluster as it is now, and writes nothing', async () => {
    const site = await startSite();
    await requested(site);
    await site.run('reconcile');
    await site.settle();
    const heads = [await site.head(), await site.head('tranche-status')];
    expect((await site.run('status vllm')).out).toContain('Groups: ○ ○ ○ ○');
    expect((await site.run('status vllm --live')).out).toContain('Groups: ○ ○ ○ ●');
    const dumb = (await site.run('status vllm --live', { TERM: 'dumb' })).out;
    expect(dumb).toMatch(/Groups: o o o #\n\|-- group 0  ok ready/);
    expect(dumb).toMatch(/^[ -~\n]*$/);
    expect((await site.run('status --live')).out).toMatch(/llm\/vllm +step 1\/3/);
    expect([await site.head(), await site.head('tranche-status')]).toEqual(heads);
  });

  test('--live looks at a settled workload too: what is gone or cannot be read is not drawn as ready', async () => {
    const site = await startSite();
    await site.run('reconcile');
    await site.settle();
    await site.run('reconcile');
    expect((await site.run('status vllm --live')).out).toContain('Groups: ● ● ● ●\n');
    site.model.deleteLws({ namespace: 'llm', name: 'vllm' });
    site.model.settle();
    const gone = await site.run('status vllm --live');
    expect(gone).toMatchObject({ code: 0, err: '' });
    expect(gone.out).toContain('WorkloadAbsent: LeaderWorkerSet vllm is not in the cluster.');
    expect(gone.out).toMatch(/\n\nGroups: none, the workload is not in the cluster \(seen so for 0 s\)\n$/);
    expect((await site.run('status --live')).out).toMatch(/llm\/vllm +settled +\S+ +\S+ +none /);
    const blind = await site.run('status vllm --live --kubeconfig /nonexistent/config');
    expect(blind.code).toBe(1);
    expect(blind.out).toMatch(/^As of: .* \(now; the cluster could not be read for it\), main at /m);
    const all = (await site.run('status --live --kubeconfig /nonexistent/config')).out;
    expect(all).toMatch(/^As of .* \(now; the cluster could not be read for llm\/vllm\), main at /m);
    expect(blind.out).toContain('ClusterUnreadable: Cluster: cannot read /nonexistent/config: ENOENT');
    expect(blind.out).toContain(
      'Groups: ? ? ? ?  not readable for 0 s; as they were before:\n├── group 0  ? was ready',
    );
    expect((await site.run('status vllm')).out).toContain('Groups: ● ● ● ●\n');
  });

  test('a step that the status branch does not have, because it is protected, is told', async () => {
    const site = await startSite();
    await requested(site);
    const before = await site.head('tranche-status');
    await site.run('reconcile');
    await site.repository.git('update-ref', 'refs/heads/tranche-status', before);
    expect(await site.subject()).toBe('rollout(llm/vllm): step 1/3, partition 1000000 → 3');
    const { out } = await site.run('status vllm');
    expect(out).toMatch(/main is 2 commits ahead of that:\n +\w{12} {2}rollout\(llm\/vllm\): step 1\/3, /);
    expect(out).toContain('apps/vllm/lws.yaml changed on main, not seen yet: the next pass reads it');
    const { asOf, rollouts } = JSON.parse((await site.run('status vllm --output json')).out);
    expect(asOf).toMatchObject({ kind: 'recorded', commitsAhead: 2 });
    expect(rollouts).toMatchObject([{ changedNotSeen: ['apps/vllm/lws.yaml'] }]);
  });

  test('an order that was carried out while the status branch was refused is not waited for', async () => {
    const site = await startSite();
    await requested(site);
    await site.run('reconcile');
    await site.run('abort vllm');
    expect((await site.run('status')).out).toContain('abort ordered, not seen yet');
    const before = await site.head('tranche-status');
    await site.run('reconcile');
    await site.repository.git('update-ref', 'refs/heads/tranche-status', before);
    const { out } = await site.run('status');
    expect(out).toMatch(/main is 2 commits ahead of that:\n.*rollback/);
    expect(out).not.toContain('abort ordered');
  });

  test.each(['', ' --live'])('a name that is not there%s', async (live) => {
    const site = await startSite({ files: TWO });
    await site.run('reconcile');
    for (const output of ['text', 'json'])
      expect(await site.run(`status nope${live} --output ${output}`)).toEqual({
        code: 1,
        out: '',
        err: 'no record of nope. There is: llm/chat, llm/vllm\n',
      });
  });

  test('a record that is no text is told, and rebuilt with a word about it', async () => {
    const site = await startSite();
    await requested(site);
    await site.run('reconcile');
    const path = 'rollouts/default/llm/vllm.json';
    await site.repository.commit('tranche-status', { [path]: Buffer.from([0xff, 0xfe, 0x0a]) });
    expect((await site.run('status')).err).toBe(
      `warning: ${path} on tranche-status is not trusted: it is not UTF-8; rebuilt by the next pass that reads it, at rest by the next audit (auditSeconds)\n`,
    );
    await site.run('reconcile');
    expect(await site.repository.git('log', '-1', '--format=%b', 'tranche-status')).toContain('it is not UTF-8');
  });

  test('a record that was edited by hand is not shown, and said so', async () => {
    const site = await startSite({ files: TWO });
    await site.run('reconcile');
    const path = 'rollouts/default/llm/vllm.json';
    const text = await site.text(path, 'tranche-status');
    await site.repository.commit('tranche-status', { [path]: text.replace('Healthy', 'Degraded') });
    const status = await site.run('status');
    expect(status.out).not.toContain('llm/vllm');
    expect(status.err).toBe(
      `warning: ${path} on tranche-status is not trusted: its checksum does not fit: it was edited by hand; rebuilt by the next pass that reads it, at rest by the next audit (auditSeconds)\n`,
    );
  });
});

const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000', '');

async function heldBecause(site: Site): Promise<string> {
  const { rollouts } = JSON.parse((await site.run('status --output json')).out);
  return rollouts[0].holds[0].message;
}

describe('lint', () => {
  test('good files: a count and exit code 0; the cluster is not asked', async () => {
    const site = await startSite({ files: TWO });
    await site.api.close();
    const read = `read: main at ${(await site.head()).slice(0, 12)}\n`;
    expect(await site.run('lint')).toEqual({ code: 0, out: `2 Rollouts, 0 problems\n${read}`, err: '' });
  });

  test('warnings are no failure, and JSON has all of them', async () => {
    const lws = LWS_TEXT.replace(
      'ports:',
      'env: [{name: A, valueFrom: {configMapKeyRef: {name: settings, key: a}}}]\n            ports:',
    );
    const rollout = ROLLOUT_TEXT.replace('leaderworkerset.x-k8s.io/v1', 'workload.kubernetes.io/v1alpha1');
    const site = await startSite({ files: { [LWS_FILE]: lws, [ROLLOUT_FILE]: rollout } });
    const text = await site.run('lint');
    expect(text.code).toBe(0);
    expect(text.out.trimEnd().split('\n')).toEqual([
      'warning: apps/vllm/lws.yaml:24: LeaderWorkerSet vllm: a container refers to ConfigMap settings by a fixed name: a change of it is not seen and not rolled back (FixedReference). Give it a new name with every change, as kustomize generators do. Where it never changes, as a token, say so in tranche.yaml: fixedReferences: [llm/ConfigMap/settings].',
      'warning: rollouts/vllm.yaml:8: Rollout vllm: workload.kubernetes.io/v1alpha1 is the group of a proposal; it is read as leaderworkerset.x-k8s.io/v1 (ApiVersionAlias). Write leaderworkerset.x-k8s.io/v1.',
      '1 Rollout, 0 problems',
      `read: main at ${(await site.head()).slice(0, 12)}`,
    ]);
    const json = JSON.parse((await site.run('lint --output json')).out);
    expect(json).toMatchObject({ issues: [], failures: [] });
    expect(json.warnings.map((warning: { reason: string }) => warning.reason)).toEqual([
      'FixedReference',
      'ApiVersionAlias',
    ]);
    const config = 'fixedReferences: [llm/ConfigMap/settings]\n';
    await site.repository.commit('main', { [LWS_FILE]: lws, 'tranche.yaml': config }, 'accept it');
    const accepted = JSON.parse((await site.run('lint --output json')).out);
    expect(accepted.warnings.map((warning: { reason: string }) => warning.reason)).toEqual(['ApiVersionAlias']);
    const other = 'fixedReferences: [eu/ConfigMap/settings, settings]\n';
    await site.repository.commit('main', { [LWS_FILE]: lws, 'tranche.yaml': other }, 'name another one');
    expect((await site.run('lint')).err).toContain('fixedReferences has "settings", wanted namespace/kind/name');
  });

  test('in a working tree the files as they lie there, from any folder of it; --ref and --branch what is committed', async () => {
    const site = await startSite();
    const clone = join(site.folder, 'clone');
    await site.repository.git('clone', '-q', site.repository.path, clone);
    writeFileSync(join(clone, ROLLOUT_FILE), ROLLOUT_TEXT.replace('50%', '20%'));
    writeFileSync(join(clone, 'rollouts/new.yaml'), ROLLOUT_TEXT.replaceAll('vllm', 'new'));
    const here = await site.run('lint', { TRANCHE_REPO: join(clone, 'apps/vllm') });
    expect(here).toMatchObject({ code: 1, err: '' });
    expect(here.out).toContain('(StepsNotIncreasing)');
    expect(here.out).toContain('(WorkloadMissing)');
    expect(here.out).toMatch(
      new RegExp(`2 Rollouts, 2 problems\nread: the files in ${clone} as they are, committed or not\n$`),
    );
    const main = (await site.head()).slice(0, 12);
    for (const [words, ref] of [
      ['--branch main', 'main'],
      ['--ref main', 'main'],
      ['--ref refs/remotes/origin/main', 'refs/remotes/origin/main'],
    ])
      expect(await site.run(`lint ${words}`, { TRANCHE_REPO: clone })).toEqual({
        code: 0,
        out: `1 Rollout, 0 problems\nread: ${ref} at ${main}\n`,
        err: '',
      });
    expect(await site.run('lint --ref refs/pull/1/merge', { TRANCHE_REPO: clone })).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('the repository has no refs/pull/1/merge'),
    });
    expect(await site.run('lint --ref refs/../x', { TRANCHE_REPO: clone })).toMatchObject({ code: 2, out: '' });
  });
});
