/** Other ways to write a mark: what each does at most, what is said of it, and that an abort goes back. */

import { expect, test } from 'vitest';
import { Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT } from '../../support/vllm.ts';

const releaseOf = (at: Forgery): string => /tranche\.dev\/release: "?([0-9a-f]+\.\d+)/.exec(at.text())?.[1] ?? '';
const groupsOn = (at: Forgery, version: string, name = 'vllm'): number =>
  at.world
    .groups(name)
    .split(' ')
    .filter((group) => group.includes(version)).length;

const OTHER_FILE = 'apps/other/lws.yaml';
const named = (text: string, name: string): string =>
  text.replaceAll('name: vllm\n', `name: ${name}\n`).replaceAll('app: vllm', `app: ${name}`);
const FILES = {
  [LWS_FILE]: LWS_TEXT,
  [ROLLOUT_FILE]: ROLLOUT_TEXT,
  [OTHER_FILE]: named(LWS_TEXT, 'other'),
  'rollouts/other.yaml': named(ROLLOUT_TEXT, 'other'),
};

const last = (text: string): string => text.replace(/tranche\.dev\/step: "1\//, 'tranche.dev/step: "3/');
/** A message as tranche writes one. */
const asOurs = (at: Forgery, step: string): string =>
  `rollout(llm/vllm): step ${step}\n\nRollout: llm/vllm\nRollout-Step: ${step}\nRollout-Release: ${releaseOf(at)}\nRollout-Reason: StepReady\nPlanned-From: ${at.world.repository.head('main')}`;

const stepped = new Forgery(FILES).stepped();

type Row = readonly [what: string, forge: (at: Forgery) => void, most: number, said: string];

test.each<Row>([
  [
    'the same workload in another file, on its last step',
    (at) => void at.write('teams/b/twin.yaml', last(at.text())),
    1,
    'DuplicateObject',
  ],
  [
    'its marks on the workload of another Rollout',
    (at) => {
      const marks = /  annotations:\n(?: {4}tranche\.dev\/.*\n)+/.exec(at.text())?.[0] ?? '';
      at.write(OTHER_FILE, last(at.text(OTHER_FILE).replace(/  annotations:\n(?: {4}tranche\.dev\/.*\n)+/, marks)));
    },
    3,
    '',
  ],
  [
    'its file renamed, with its last step',
    (at) => {
      const text = last(at.text());
      at.world.repository.commit('main', {
        writes: [
          { path: LWS_FILE, text: undefined },
          { path: 'apps/vllm/model.yaml', text },
        ],
        message: 'rename',
      });
    },
    1,
    '',
  ],
  [
    'behind an alias',
    (at) =>
      void at.write(
        LWS_FILE,
        at
          .text()
          .replace('  annotations:\n', `  annotations:\n    example.com/a: &a "3/3@${releaseOf(at)}"\n`)
          .replace(/tranche\.dev\/step: .*/, 'tranche.dev/step: *a'),
      ),
    1,
    'PausedForApproval',
  ],
  [
    'its annotations behind an alias',
    (at) => {
      const marks = /  annotations:\n((?: {4}.*\n)+)/.exec(at.text())?.[1] ?? '';
      const text = at.text().replace(`  annotations:\n${marks}`, '  annotations: *a\n');
      at.write(LWS_FILE, text.replace(/^apiVersion/m, `x-kept: &a\n${marks.replaceAll('    ', '  ')}apiVersion`));
    },
    1,
    'AliasInField',
  ],
  [
    'its annotations behind a merge key',
    (at) => {
      const text = at.text().replace(/(  annotations:\n)((?: {4}.*\n)+)/, (_, key: string, marks: string) => {
        return `  x-kept: &m\n${marks}${key}    <<: *m\n`;
      });
      at.write(LWS_FILE, text);
    },
    1,
    'AliasInField',
  ],
  [
    'repeated elsewhere by an alias',
    (at) =>
      void at.write(
        LWS_FILE,
        at
          .text()
          .replace(/(partition: )(\d+)/, '$1&p $2')
          .replace(/(tranche\.dev\/step: )(.*)/, '$1&s $2')
          .replace(/\n?$/, '\nx-kept: [*p, *s]\n'),
      ),
    1,
    'AliasInField',
  ],
  [
    'next to a budget in percent behind an alias',
    (at) =>
      void at.write(
        LWS_FILE,
        at
          .text()
          .replace('  annotations:\n', '  annotations:\n    example.com/b: &b 25%\n')
          .replace(/maxUnavailable: .*/, 'maxUnavailable: *b'),
      ),
    1,
    'AliasInField',
  ],
  ...(
    [
      ['step', '3/3@RELEASE'],
      ['step', 'rollback@RELEASE'],
      ['step', 'promote@RELEASE'],
      ['step', 'nothing'],
      ['release', '0123456789abcdef0123456789abcdef.1'],
      ['release', 'RELEASE9'],
      ['stable', '0000000000000000000000000000000000000000'],
      ['restore', '{}'],
    ] as const
  ).flatMap(([mark, value]) =>
    ['first', 'last'].map((place): Row => {
      const forged = (at: Forgery): string =>
        `    tranche.dev/${mark}: ${JSON.stringify(value.replace('RELEASE', releaseOf(at)))}\n`;
      const there = new RegExp(`(metadata:\n(?:.*\n)*?)( +tranche\\.dev/${mark}: .*\\n)`);
      return [
        `twice, the ${place} of the two ${mark}: ${value}`,
        (at) => {
          const text = at.text();
          const own = there.exec(text)?.[2] ?? `    tranche.dev/${mark}: '{"drainSeconds":1}'\n`;
          const both = place === 'first' ? forged(at) + own : own + forged(at);
          const was = text.includes(own) ? own : '';
          at.write(
            LWS_FILE,
            was === '' ? text.replace('  annotations:\n', `$&${both}`) : text.replace(own, () => both),
          );
        },
        1,
        'DuplicateKey',
      ];
    }),
  ),
  ...(
    [
      ['replicas', /( +)replicas: .*\n/, '$&$1replicas: 4\n'],
      ['a partition', /( +)partition: .*\n/, '$1partition: 0\n$&'],
      ['an image', /( +)(- )?image: .*\n/, '$&$1image: "evil.example/miner:v1"\n'],
      ['a label', /app: vllm, /, '$&$&'],
      ['all annotations', /  annotations:\n/, '  annotations: {example.com/a: b}\n$&'],
      ['a mark in braces', /  annotations:\n((?: {4}.*\n)+)/, 'BRACES'],
    ] as const
  ).map(
    ([what, from, to]): Row => [
      `next to ${what} that is there twice`,
      (at) => {
        const braces = (_: string, marks: string): string => {
          const pairs = marks
            .trim()
            .split('\n')
            .map((line) => line.trim());
          return `  annotations: {${[...pairs, pairs.find((pair) => pair.includes('/step'))].join(', ')}}\n`;
        };
        at.write(LWS_FILE, to === 'BRACES' ? at.text().replace(from, braces) : at.text().replace(from, to));
      },
      1,
      'DuplicateKey',
    ],
  ),
  [
    'with tags of YAML',
    (at) => void at.write(LWS_FILE, last(at.text()).replace(/(tranche\.dev\/[a-z]+: )/g, '$1!!str ')),
    1,
    '',
  ],
  [
    'next to a partition with a tag of YAML',
    (at) => void at.edit(LWS_FILE, 'partition: ', 'partition: !!int '),
    1,
    'NotAPlainNumber',
  ],
  [
    'in another case next to its own',
    (at) => void at.edit(LWS_FILE, /( +)tranche\.dev\/step: .*\n/, `$&$1tranche.dev/Step: "3/3@${releaseOf(at)}"\n`),
    1,
    'UnknownAnnotation',
  ],
  [
    'with a letter that only looks like its own',
    (at) => void at.edit(LWS_FILE, 'tranche.dev/step', 'tranche.dev/st\u0435p'),
    1,
    'AnnotationsGone',
  ],
  [
    'with the message of a commit of tranche',
    (at) => void at.write(LWS_FILE, last(at.text()), asOurs(at, '3/3')),
    1,
    '',
  ],
  [
    'a message alone, that it has settled',
    (at) => void at.write('notes.md', 'a\n', asOurs(at, 'settled').replace('StepReady', 'Settled')),
    2,
    '',
  ],
  [
    'the highest serial that is read',
    (at) => void at.write(LWS_FILE, at.text().replaceAll(releaseOf(at), releaseOf(at).replace(/\.\d+$/, '.999999999'))),
    2,
    '',
  ],
  [
    'merged from a branch that has nothing else',
    (at) => {
      const { repository } = at.world;
      const text = last(at.text());
      const side = at.unmerged(LWS_FILE, text);
      repository.merge('main', [repository.head('main')!, side], { writes: [{ path: LWS_FILE, text }] });
    },
    1,
    '',
  ],
  [
    'pushed with main as the second parent',
    (at) => {
      const { repository } = at.world;
      const text = last(at.text());
      const before = repository.log('main')[1]?.oid ?? '';
      repository.merge('main', [before, repository.head('main')!], { writes: [{ path: LWS_FILE, text }] });
    },
    1,
    '',
  ],
  [
    'merged from three branches, one of which has it',
    (at) => {
      const { repository } = at.world;
      const text = last(at.text());
      const other = at.unmerged('notes.md', 'a\n');
      const side = at.unmerged(LWS_FILE, text);
      repository.merge('main', [repository.head('main')!, other, side], { writes: [{ path: LWS_FILE, text }] });
    },
    1,
    '',
  ],
  ...[0, 4_102_444_800].map(
    (atSeconds): Row => [
      `in a commit of tranche's name, dated ${atSeconds}`,
      (at) => {
        const signature = { name: 'tranche', email: 'tranche@example.com', atSeconds };
        const writes = [{ path: LWS_FILE, text: last(at.text()) }];
        at.world.repository.commit('main', { writes, message: asOurs(at, '3/3'), signature });
      },
      1,
      '',
    ],
  ),
  [
    'after a commit that has no files',
    (at) => {
      const { repository } = at.world;
      const files = repository.files('main');
      const text = last(at.text());
      repository.commit('main', { writes: Object.keys(files).map((path) => ({ path, text: undefined })) });
      const back = Object.entries({ ...files, [LWS_FILE]: text }).map(([path, now]) => ({ path, text: now }));
      repository.commit('main', { writes: back, message: 'put back' });
    },
    1,
    '',
  ],
])('forged: %s: said by name, and an abort goes back', async (_, forge, most, said) => {
  const at = (await stepped).fork();
  await at.round();
  forge(at);
  const reasons = new Set<string>();
  for (let round = 0; round < 6; round += 1) {
    const result = await at.round();
    for (const { plan } of result.outcomes)
      for (const { reason } of [...(plan?.holds ?? []), ...(plan?.issues ?? [])]) reasons.add(reason);
    for (const reason of reasonsOf(result)) reasons.add(reason);
    expect(groupsOn(at, '0.10.1'), saidOf(result)).toBeLessThanOrEqual(most);
    expect(groupsOn(at, '0.10.1', 'other')).toBe(0);
  }
  if (said !== '') expect([...reasons]).toContain(said);
  const told = [await at.order({ kind: 'abort', keepNewer: false })];
  for (let round = 0; round < 10; round += 1) told.push(saidOf(await at.round()));
  expect(
    groupsOn(at, '0.10.0'),
    `${told.join('\n')}\n${[...reasons].join(' ')}\n${at.world.subject()}\n${at.world.groups()}\n${at.text()}`,
  ).toBe(4);
});

test('a serial that is the highest stays so, and releases go on', async () => {
  const at = (await stepped).fork();
  await at.order({ kind: 'abort', keepNewer: false });
  await at.until('rolled back');
  at.edit(
    LWS_FILE,
    /tranche\.dev\/release: .*/,
    `tranche.dev/release: ${releaseOf(at).replace(/\.\d+$/, '.999999999')}`,
  );
  await at.round();
  at.edit(LWS_FILE, new RegExp(OLD, 'g'), NEW.replace('.1', '.2'));
  await at.until('step 1/');
  const result = await at.round();
  expect([reasonsOf(result).includes('BadAnnotation'), releaseOf(at)]).toEqual([
    false,
    expect.stringMatching(/\.999999999$/),
  ]);
});

test('a mark that is there twice: tranche repair leaves the one that it wrote', async () => {
  for (const place of ['first', 'last']) {
    const at = (await stepped).fork();
    const before = at.text();
    const forged = `    tranche.dev/step: "3/3@${releaseOf(at)}"\n`;
    at.edit(LWS_FILE, /.*tranche\.dev\/step: .*\n/, place === 'first' ? `${forged}$&` : `$&${forged}`);
    expect(await at.repair()).toContain('repair');
    expect(at.text()).toBe(before);
    expect(await at.repair()).toContain('nothing to repair');
  }
});

test('a Rollout that has a key twice: steps are held with the line, others go on, and an abort goes back', async () => {
  const at = (await stepped).fork();
  at.edit(ROLLOUT_FILE, '        - replicas: 50%\n', '        - replicas: 50%\n          replicas: 50%\n');
  at.edit(OTHER_FILE, new RegExp(OLD, 'g'), NEW);
  const line = at.text(ROLLOUT_FILE).split('\n').indexOf('          replicas: 50%') + 1;
  for (let round = 0; round < 4; round += 1) {
    const { outcomes } = await at.round();
    const own = outcomes.find(({ key }) => key.name === 'vllm')?.plan?.issues ?? [];
    expect(own).toMatchObject([{ reason: 'DuplicateKey', file: ROLLOUT_FILE, line }]);
    expect(own[0]?.hint).toContain('Keep one of the two');
    expect(groupsOn(at, '0.10.1')).toBeLessThanOrEqual(1);
  }
  expect(groupsOn(at, '0.10.1', 'other')).toBeGreaterThan(0);
  expect(await at.order({ kind: 'abort', keepNewer: false })).toContain('abort');
  expect(at.text(ROLLOUT_FILE)).not.toMatch(/(replicas: 50%\s+){2}/);
  for (let round = 0; round < 8; round += 1) await at.round();
  expect(groupsOn(at, '0.10.0')).toBe(4);
});
