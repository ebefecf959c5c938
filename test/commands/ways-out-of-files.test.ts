/** What is wrong with files that no Rollout is to blame for: each way out, followed to the letter, ends it, and the first commit comes. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { EXIT } from '../../src/options.ts';
import { render } from '../../src/reconcile/write/render.ts';
import { clone, lws, removeClones } from '../support/init-clone.ts';
import { linted } from '../support/linted.ts';
import { LWS_FILE, LWS_TEXT, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';
import { yamlValues } from '../support/yaml-values.ts';

afterAll(removeClones);

type Files = Readonly<Record<string, string>>;

const JSON_FILE = 'apps/vllm/all.json';
const [LWS] = yamlValues(LWS_TEXT);
const LARGE = ' '.repeat(1_100_000);
const POLICY =
  'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: small}\nspec: {maxStepGroups: 4}\n';
const LONG = 'n'.repeat(300);
/** In so many others that it is not gone into. */
const DEEP = `${'a/'.repeat(64)}x.json`;
const CONFIG = 'tranche.yaml';

/** `link`: one to the folder `shared`. */
type Tree = { readonly files: Files; readonly link?: string };

type Row = readonly [what: string, tree: Tree, said: RegExp, reason: string, code: number, after: Tree];

const rows: readonly Row[] = [
  [
    'data over the limit: what is to be read is named',
    { files: { ...VLLM_FILES, [JSON_FILE]: LARGE } },
    /all\.json: .*to have it not fetched either, name the folders and files with manifests and policies under paths/,
    'LargeJson',
    EXIT.ok,
    {
      files: {
        ...VLLM_FILES,
        [JSON_FILE]: LARGE,
        [CONFIG]: `paths: [${LWS_FILE}, rollouts]\nstopFile: rollouts/stop.yaml\n`,
      },
    },
  ],
  [
    'a manifest over the limit: it is put into a file within it',
    { files: { [ROLLOUT_FILE]: ROLLOUT_TEXT, [JSON_FILE]: `${JSON.stringify(LWS)}${LARGE}` } },
    /all\.json: .*If it holds manifests, put them into files within the limit: none of them counts/,
    'LargeJson',
    EXIT.failed,
    { files: { [ROLLOUT_FILE]: ROLLOUT_TEXT, [JSON_FILE]: JSON.stringify(LWS) } },
  ],
  [
    'a link to the folder of the workload: that is named in addition',
    {
      files: {
        [ROLLOUT_FILE]: ROLLOUT_TEXT,
        'shared/lws.yaml': LWS_TEXT,
        [CONFIG]: 'paths: [apps, rollouts]\nstopFile: rollouts/stop.yaml\n',
      },
      link: 'apps/team',
    },
    /apps\/team: .*LinkPassedOver.*Files of this repository count by their own path: name that under paths/,
    'WorkloadMissing',
    EXIT.failed,
    {
      files: {
        [ROLLOUT_FILE]: ROLLOUT_TEXT,
        'shared/lws.yaml': LWS_TEXT,
        [CONFIG]: 'paths: [apps, rollouts, shared]\nstopFile: rollouts/stop.yaml\n',
      },
      link: 'apps/team',
    },
  ],
  [
    'a link that paths names: what it leads to is named in its place',
    {
      files: {
        [ROLLOUT_FILE]: ROLLOUT_TEXT,
        'shared/lws.yaml': LWS_TEXT,
        [CONFIG]: 'paths: [apps/team, rollouts]\nstopFile: rollouts/stop.yaml\n',
      },
      link: 'apps/team',
    },
    /apps\/team: .*Name what it leads to in its place under paths/,
    'UnreadableFile',
    EXIT.failed,
    {
      files: {
        [ROLLOUT_FILE]: ROLLOUT_TEXT,
        'shared/lws.yaml': LWS_TEXT,
        [CONFIG]: 'paths: [shared, rollouts]\nstopFile: rollouts/stop.yaml\n',
      },
      link: 'apps/team',
    },
  ],
  [
    'a folder in too many others is no data, whatever it is called: it is moved nearer to the root',
    { files: { ...VLLM_FILES, [`${DEEP}/policy.yaml`]: POLICY } },
    /x\.json: folders are nested deeper than 64.*Take files out of this folder, or move it nearer to the root/,
    'UnreadableFile',
    EXIT.failed,
    { files: { ...VLLM_FILES, 'x.json/policy.yaml': POLICY } },
  ],
  [
    'a name that no file system takes: another one',
    { files: { ...VLLM_FILES, [`apps/${LONG}.yaml`]: 'kind: Rollout\n' } },
    /its name has more than 255 bytes.*Give it another name/,
    'UnreadableFile',
    EXIT.failed,
    { files: { ...VLLM_FILES, 'apps/n.yaml': 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: n}\n' } },
  ],
  [
    'tranche.yaml in two documents: one of both',
    { files: { ...VLLM_FILES, [CONFIG]: '---\ncluster: eu\n---\nintervalSeconds: 60\n' } },
    /tranche\.yaml:4: there are 2 documents.*Put it all into one, without ---/,
    'SeveralDocuments',
    EXIT.usage,
    { files: { ...VLLM_FILES, [CONFIG]: 'cluster: eu\nintervalSeconds: 60\n' } },
  ],
];

/** What lint says of it, also where the configuration itself is refused. */
async function said(world: World): Promise<{ readonly code: number; readonly out: string }> {
  return linted(world).catch((error: { readonly issues: readonly { readonly reason: string }[] } & Error) => ({
    code: EXIT.usage,
    out: `${error.message} (${error.issues[0]?.reason})`,
  }));
}

function worldOf({ files, link }: Tree): World {
  const world = new World({ files, synced: ['apps', 'shared'] });
  if (link !== undefined) world.repository.link('main', link, '../shared');
  world.sync();
  world.tick(60);
  return world;
}

test.each(rows)('%s', async (_what, tree, words, reason, code, after) => {
  const refused = await said(worldOf(tree));
  expect(refused.code).toBe(code);
  expect(refused.out).toMatch(words);
  expect(refused.out).toContain(`(${reason})`);
  const world = worldOf(after);
  const mended = await said(world);
  expect(mended.code).toBe(EXIT.ok);
  expect(mended.out).not.toContain(`(${reason})`);
  await world.pass();
  expect(world.subject()).toMatch(/^rollout\([a-z]+\/vllm\): adopt/);
});

describe('FileTaken: a file stands where init would write the Rollout', () => {
  const files = {
    'apps/lws.yaml': lws('vllm'),
    'rollouts/vllm.yaml': 'kind: Other\n',
    'rollouts/llm-vllm.yaml': 'kind: Other\n',
  };

  test('another folder is named with --rollouts', async () => {
    const own = clone(files);
    const { code, out } = await own.run('init --write');
    expect(code).toBe(EXIT.ok);
    expect(out).toMatch(
      /rollouts\/llm-vllm\.yaml:1: .*there already \(FileTaken\)\. Name another folder with --rollouts, or write the Rollout by hand/,
    );
    expect(own.files().sort()).toEqual(Object.keys(files).sort());
    expect(await own.run('init --write --rollouts delivery')).toMatchObject({
      code: EXIT.ok,
      out: expect.not.stringContaining('FileTaken'),
    });
    expect(own.read('delivery/vllm.yaml')).toContain('kind: Rollout');
    expect(own.read('rollouts/vllm.yaml')).toBe(files['rollouts/vllm.yaml']);
    expect(await own.run('lint')).toMatchObject({ code: EXIT.ok });
  });

  test('the Rollout is written by hand', async () => {
    const own = clone(files);
    mkdirSync(join(own.folder, 'hand'), { recursive: true });
    writeFileSync(join(own.folder, 'hand/vllm.yaml'), ROLLOUT_TEXT);
    const { out } = await own.run('init --write');
    expect(out).not.toContain('FileTaken');
    expect(out).toContain('delivered already, by hand/vllm.yaml');
    expect(await own.run('lint')).toMatchObject({ code: EXIT.ok });
  });
});

test('FileNotRead: an edit of a file that this pass has not read writes nothing of the others', () => {
  const object = { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', name: 'vllm', namespace: 'llm' };
  const edit = { kind: 'set', path: ['spec', 'replicas'], value: 5 } as const;
  const edits = [LWS_FILE, 'apps/other.yaml'].map((file) => ({ file, object, edits: [edit] }));
  expect(render(edits, new Map([[LWS_FILE, LWS_TEXT]]))).toMatchObject({
    kind: 'refused',
    issue: { file: 'apps/other.yaml', reason: 'FileNotRead' },
  });
});
