/** The table for the on-call, played: what status says, what is typed, word for word as REFERENCE.md has it, and what follows. */

import { afterAll, afterEach, expect, test } from 'vitest';
import { section } from '../support/documents.ts';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

afterEach(stopSites);

const kept: Record<string, Promise<Site>> = {};
afterAll(async () => {
  for (const site of Object.values(kept)) await (await site).stop();
});

/** A site in a state that several rows start from: it is made once. */
async function from(name: string, make: () => Promise<Site>): Promise<Site> {
  kept[name] ??= make().then((site) => site.keep());
  return (await kept[name]).copy();
}

const pass = async (site: Site): Promise<void> => {
  await site.settle();
  await site.run('reconcile');
};
const passes = async (site: Site, times: number): Promise<Site> => {
  for (let time = 0; time < times; time += 1) await pass(site);
  return site;
};

/** Adopted; every step waits for somebody. */
const settled = () =>
  from('settled', async () => {
    const manual = ROLLOUT_TEXT.replace('{duration: 0}', '{}');
    return passes(await startSite({ files: { ...VLLM_FILES, [ROLLOUT_FILE]: manual } }), 2);
  });
/** The first step is written, and its group is not live yet. */
const started = () =>
  from('started', async () => {
    const site = await settled();
    await site.edit(LWS_FILE, OLD, NEW);
    return passes(site, 1);
  });
/** The first step is done. */
const stepped = () => from('stepped', async () => passes(await started(), 1));
/** One step for all, and no pause: delivered, and settled. */
const delivered = () =>
  from('delivered', async () => {
    const quick = ROLLOUT_TEXT.replace('pause: {}', 'pause: {duration: 0}').replace('replicas: 25%', 'replicas: 50%');
    const once = quick.replace(/ {8}- replicas: 50%\n {10}pause: \{duration: 0\}\n(?= {8}- replicas: 50%)/, '');
    const site = await passes(await startSite({ files: { ...VLLM_FILES, [ROLLOUT_FILE]: once } }), 2);
    await site.edit(LWS_FILE, OLD, NEW);
    return passes(site, 7);
  });

type Scene = { readonly stands: () => Promise<Site>; readonly ends: RegExp };

const GROUP_3 = { namespace: 'llm', name: 'vllm', group: 3, pods: 'leader' } as const;

const SCENES: Readonly<Record<string, Scene>> = {
  'a step is done, and looks good': { stands: stepped, ends: /step 2\/3, partition 3 → 2/ },
  'a pause runs, and nobody needs it': {
    stands: async () => {
      const site = await settled();
      await site.edit(ROLLOUT_FILE, '{}', '{duration: 3600}');
      await site.edit(LWS_FILE, OLD, NEW);
      return passes(site, 2);
    },
    ends: /step 2\/3, partition 3 → 2/,
  },
  'the new version crashes': {
    stands: async () => {
      const site = await started();
      await site.sync();
      for (let restarts = 0; restarts <= 3; restarts += 1) {
        if (restarts > 0) site.model.kill(GROUP_3);
        site.model.tick(30);
        await site.run('reconcile');
      }
      return site;
    },
    ends: /rollback|rolled back/,
  },
  'a group of the new version does not become ready': {
    stands: async () => {
      const site = await started();
      await site.sync();
      site.model.setPods(GROUP_3, { kind: 'unready' });
      await site.run('reconcile');
      return site;
    },
    ends: /rollback|rolled back/,
  },
  'a release that has settled is bad': { stands: delivered, ends: /rollback, partition 1000000 → 0/ },
  'nothing may be delivered for two hours': { stands: stepped, ends: /^rollouts: stop, no step starts until/ },
  'it may again': {
    stands: async () => {
      const site = await stepped();
      await site.run('stop --why incident');
      await site.run('reconcile');
      return site;
    },
    ends: /^rollouts: go/,
  },
  'one Rollout is to stand still': { stands: stepped, ends: /pause/ },
  'it is to go on': {
    stands: async () => {
      const site = await stepped();
      await site.run('pause vllm');
      await site.run('reconcile');
      return site;
    },
    ends: /resume/,
  },
  'somebody has changed the partition by hand, and it may stand': {
    stands: async () => {
      const site = await stepped();
      await site.edit(LWS_FILE, 'partition: 3', 'partition: 2');
      return passes(site, 2);
    },
    ends: /accept PartitionEdited/,
  },
  'annotations are gone': {
    stands: async () => {
      const site = await stepped();
      const text = await site.text(LWS_FILE);
      const line = /^ *tranche\.dev\/step: .*\n/m.exec(text)?.[0] ?? 'none';
      await site.edit(LWS_FILE, line, '');
      return passes(site, 1);
    },
    ends: /repair/,
  },
  'a release was aborted, and is wanted after all': {
    stands: async () => {
      const site = await started();
      await site.run('abort vllm');
      await passes(site, 3);
      await site.edit(LWS_FILE, OLD, NEW);
      return passes(site, 1);
    },
    ends: /step 1\/3/,
  },
  'main was rewritten, and is as it should be': {
    stands: async () => {
      const site = await stepped();
      const by = ['-c', 'user.name=Eve', '-c', 'user.email=eve@example.com'];
      const { git } = site.repository;
      const commit = await git(...by, 'commit-tree', 'main^{tree}', '-p', 'main~2', '-m', 'the same files');
      await git('update-ref', 'refs/heads/main', commit);
      await site.run('reconcile');
      return site;
    },
    ends: /acknowledge/,
  },
  'a file is wrong': {
    stands: async () => {
      const site = await settled();
      await site.edit(ROLLOUT_FILE, 'steps:', 'stepz:');
      await site.run('reconcile');
      return site;
    },
    ends: /edit/,
  },
};

type Row = { readonly happened: string; readonly says: string; readonly typed: string; readonly commands: number };

const table = /\n\n\|[^\n]*\n\|[^\n]*\n([^]*?)\n\n/.exec(section('On call'))?.[1] ?? '';
const rows: readonly Row[] = table.split('\n').map((row) => {
  const [, happened = '', says = '', typed = '', commands = ''] = row.split('|').map((cell) => cell.trim());
  return {
    happened,
    says: says.replaceAll('`', ''),
    typed: /`tranche ([^`]+)`/.exec(typed)?.[1] ?? '',
    commands: Number(commands),
  };
});

test('each row has a scene, and each scene a row', () => {
  expect(rows.map(({ happened }) => happened).sort()).toEqual(Object.keys(SCENES).sort());
});

test.each(rows)('$happened: tranche $typed', async ({ happened, says, typed, commands }) => {
  const scene = SCENES[happened]!;
  const site = await scene.stands();
  const shown = await site.run('status vllm');
  expect(shown.out).toContain(says);
  const before = await site.head();
  const called = await site.run(typed);
  const isLint = typed === 'lint';
  expect([called.code, called.err]).toEqual([isLint ? 1 : 0, isLint ? called.err : '']);
  if (isLint) expect(called.out + called.err).toContain('rollouts/vllm.yaml:');
  const reached = async (): Promise<boolean> => scene.ends.test(await site.subject());
  // One command, and what a pass makes of it: nobody types a second one.
  for (let time = 0; time < 3 && !(await reached()); time += 1) await pass(site);
  expect(await site.subject()).toMatch(scene.ends);
  if (!isLint) expect(await site.head()).not.toBe(before);
  expect(commands).toBe(1);
});
