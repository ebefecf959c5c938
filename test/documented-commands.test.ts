/** Every command that a document shows is run by a test, which is named here, or needs a world that no test has. */

import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACCEPTABLE } from '../src/api/intents.ts';
import { documentedCommands } from './support/documented-commands.ts';
import { documents, PAGES } from './support/documents.ts';
import { type Site, startSite, stopSites } from './support/site.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from './support/vllm.ts';

const shown = documentedCommands([
  'README.md',
  'REFERENCE.md',
  ...PAGES,
  ...documents().filter((path) => /^(policies|fixtures\/examples)\//.test(path)),
]);

const GOALS =
  'test/goals.test.ts: a first step: init, lint, push, plan, reconcile, and no word that README.md does not have';
const ON_CALL = 'test/commands/on-call.test.ts: each row has a scene, and each scene a row';
const ON_CALL_STYLES = 'test/commands/on-call-styles.test.ts: each row has a scene, and each scene a row';
const PAGE = 'test/commands/page.test.ts: the files of both verbs give the same pages, without a repository';
const PACKAGE = 'test/package.test.ts: does a real pass, and a second one that finds nothing to do';
const HERE = 'test/documented-commands.test.ts: ';

/** By what was typed, without the name of the Rollout and where the output goes: file and title of the test that runs it. */
const RUN: Readonly<Record<string, string>> = {
  'git add .': GOALS,
  'git commit': GOALS,
  'git push': GOALS,
  'git show env/prod:all.yaml | tranche carry - rendered/all.yaml --write':
    'test/commands/carry.test.ts: a render that is piped in comes out whole, carried; piped in again it stays as it is',
  'git apply':
    'test/reconcile/preflight-agents.test.ts: git apply takes the first patch of each of them, and makes the same of the files',
  'kubectl apply -k install/overlay':
    'test/goals.test.ts: the served API takes both; what the Deployment starts then delivers a new image',
  'kubectl create secret generic tranche-git --namespace tranche --from-file=token=/dev/stdin':
    'test/goals.test.ts: the served API takes both; what the Deployment starts then delivers a new image',
  'kubectl describe': 'test/demo/api-server/kubectl.test.ts: get -o yaml, by name and as a list; describe',
  'kubectl tranche status': 'test/package.test.ts: says its version, and what it is asked wrongly',
  'npm pack': PACKAGE,
  'npm install --global ./tranche-dev-tranche-0.1.0.tgz': PACKAGE,
  'npm run build': PACKAGE,
  'npm run demo':
    'test/commands/demo.test.ts: of a delivery; served: another process makes a pass on the same repository and API',
  'npm run demo -- --strategy canary': "test/commands/demo.test.ts: test.each(['canary', 'blueGreen'])(",
  'source <(tranche completion bash)': 'test/commands/completion.test.ts: that of bash fills in what the program says',
  'tranche completion fish': 'test/commands/completion.test.ts: that of %s asks the program',
  'tranche --version': 'test/package.test.ts: says its version, and what it is asked wrongly',
  'tranche --help': 'test/commands/usage.test.ts: %s --help describes each of its options and arguments',
  'tranche abort': ON_CALL,
  'tranche abort --now': ON_CALL_STYLES,
  'tranche abort --pull-request': ON_CALL_STYLES,
  'tranche abort --release RELEASE':
    'test/commands/undo.test.ts: the same request is withdrawn where its release is named',
  'tranche abort --from COMMIT': `${HERE}abort --from goes back to the template of that commit`,
  'tranche abort --keep-newer': `${HERE}abort --keep-newer is an order of its own`,
  'tranche acknowledge': ON_CALL,
  'tranche analyze':
    'test/commands/analyze.test.ts: in a step both versions are compared by what they counted after the warm-up, and nothing is written',
  'tranche analyze --enable':
    'test/commands/analyze-past.test.ts: groups that are alike are never called worse, and then the order is written once',
  'tranche analyze --backtest 7d':
    'test/commands/analyze-past.test.ts: groups that are alike are never called worse, and then the order is written once',
  'tranche analyze --check': 'test/commands/analyze-check.test.ts: test.each([',
  'tranche approve': ON_CALL,
  'tranche approve --hold': ON_CALL,
  'tranche carry':
    'test/commands/carry.test.ts: shows the changes; --write makes them, and a second time there are none',
  'tranche carry live rendered --write':
    'test/commands/carry.test.ts: shows the changes; --write makes them, and a second time there are none',
  'tranche demo --serve':
    'test/commands/demo.test.ts: of a delivery; served: another process makes a pass on the same repository and API',
  'tranche eject':
    'test/commands/orders.test.ts: settled: annotations first, then partition 0, and the Rollout disabled',
  'tranche go': ON_CALL,
  'tranche history': 'test/commands/history.test.ts: as text, as CSV and as Markdown',
  'tranche history --output json': PAGE,
  'tranche init --run deployment --write': 'test/commands/init.test.ts: test.each(rows)',
  'tranche init --write': GOALS,
  'tranche jump 3': 'test/commands/orders.test.ts: test.each(written)',
  'tranche lint': ON_CALL,
  'tranche page --out DIR': PAGE,
  'tranche page --out pages --status status.json --history history.json': PAGE,
  'tranche pause': ON_CALL,
  'tranche plan': GOALS,
  'tranche policy explain':
    'test/commands/policy.test.ts: explains each field with its value, its line and what it would hold',
  'tranche policy schema':
    'test/commands/policy.test.ts: prints the schema; and of a repository without policies one short line',
  'tranche policy test <files or folders>': 'test/commands/policy.test.ts: tests policies: %s',
  'tranche policy test policies/production':
    'test/policies/bundles.test.ts: %s passes its tests, of which some hold and some do not',
  'tranche preflight': 'test/commands/preflight.test.ts: with the rulesets to copy, the App passes and nobody else',
  'tranche propose': ON_CALL_STYLES,
  'tranche reconcile': GOALS,
  'tranche reconcile --watch':
    'test/commands/watch.test.ts: a whole delivery: it comes back when the plan asks for it, and is quiet once all is settled',
  'tranche reconcile --watch --metrics-port 0.0.0.0:9090': 'test/commands/watch-probes.test.ts: %j',
  'tranche repair': ON_CALL,
  'tranche resume': ON_CALL,
  'tranche retry': ON_CALL,
  'tranche roots': 'test/commands/roots.test.ts: overlays with shared components, as llm-d has them',
  'tranche roots --ref refs/pull/1/merge --base main': `${HERE}roots of a pull request against what it goes into`,
  'tranche schema analysis': `${HERE}schema analysis is a JSON Schema`,
  'tranche show-stable': 'test/commands/undo.test.ts: show-stable prints the template before, and writes nothing',
  'tranche status':
    'test/commands/passes.test.ts: the table, the tree and the JSON of a delivery that waits for someone',
  'tranche status --output json': PAGE,
  'tranche status-key --cluster prod-eu':
    'test/commands/status-key.test.ts: both halves fit each other, as text and as JSON, and are others each time',
  'tranche status-key --cluster NAME':
    'test/commands/status-key.test.ts: both halves fit each other, as text and as JSON, and are others each time',
  'tranche stop': 'test/commands/stop.test.ts: no step starts until it goes on, and each is one commit',
  'tranche stop --until 2h': ON_CALL,
  'tranche undo': ON_CALL,
  'tranche undo --to RELEASE': 'test/commands/undo.test.ts: a policy that allows none: %s',
  'tranche verify-history': 'test/commands/history.test.ts: what tranche and people have done is whole',
};

/** What no test runs, and why. */
const OUTSIDE: Readonly<Record<string, string>> = {
  'docker build --tag registry.example.com/tranche:0.1.0 .':
    'a daemon and a registry; test/image.test.ts does each line of the Dockerfile on this machine',
  'git revert': 'no command, but what somebody may do: fixtures/scenarios has stories of it',
  "helm install tranche install/chart --namespace tranche --set repo=https://github.com/example/models --set 'namespaces={llm}'":
    'a cluster; test/policies/chart.test.ts renders the chart where helm is there',
  'helm template nim/nim-llm --version 1.3.0 --namespace llm --values values.yaml': 'a registry of charts, and helm',
  'kubectl apply -k policies/admission':
    'a cluster that evaluates CEL; test/policies/admission.test.ts does, on the same file',
  'kubectl create namespace tranche':
    'a cluster; the overlay brings the namespace itself, and test/goals.test.ts applies that',
  'kubectl delete validatingadmissionpolicybinding leaderworkerset.tranche.dev':
    'a cluster; test/policies/admission.test.ts holds the name',
  'kubectl edit lws --as="$USER" --as-group=tranche.dev:break-glass --as-group=system:masters':
    'a cluster with impersonation; test/policies/admission.test.ts lets that group through',
  'npm ci': 'a registry; everybody who runs the tests has done it',
  'npm run demo -- --pull-requests': 'test/support/pull-request-demo.ts is what it runs, for the table of the on-call',
  'npm test': 'it is what runs this',
};

/** Without the name of the Rollout, which any stands for, a text that is quoted, and what is done with the output. */
const keyOf = (command: string): string =>
  command
    .replace(/ (vllm|NAME|<name>|<verb>)(?=$| )/, command.includes('--cluster NAME') ? ' NAME' : '')
    .replace(/ -m ".*"$/, '')
    .replace(/ (> .*|\| source)$/, '')
    .replace(/ --hold [A-Z]\w+$/, ' --hold');

test('each has its test, or the reason why it has none; and no row is of a command that is gone', () => {
  const keys = new Set([...shown.keys()].map(keyOf));
  const known = [...Object.keys(RUN), ...Object.keys(OUTSIDE)];
  expect([...shown].filter(([command]) => !known.includes(keyOf(command)))).toEqual([]);
  expect(known.filter((key) => !keys.has(key))).toEqual([]);
  expect(Object.keys(RUN).filter((key) => key in OUTSIDE)).toEqual([]);
});

test.each(Object.entries(RUN))('%s is run by %s', (command, where) => {
  const [, file = '', title = ''] = /^(\S+\.ts): (.*)$/.exec(where) ?? [];
  expect(existsSync(file), file).toBe(true);
  const text = readFileSync(file, 'utf8');
  expect(text.includes(title), `${file} has no "${title}"`).toBe(true);
  // The tests of the on-call take their lines from the page itself.
  const [program, verb = '', ...rest] = command.split(' ');
  const words = program === 'tranche' && !/on-call/.test(file) ? [verb, ...rest] : [];
  expect(words.filter((word, at) => (at === 0 || word.startsWith('--')) && !text.includes(word))).toEqual([]);
});

test.each(Object.entries(OUTSIDE))('%s is not run: %s', (_, why) => {
  for (const [path] of why.matchAll(/\b(?:test|fixtures)\/[\w./-]+\w/g)) expect(existsSync(path), path).toBe(true);
});

describe('run here', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({ files: VLLM_FILES });
    await site.run('reconcile');
    await site.settle();
    await site.edit(LWS_FILE, OLD, NEW);
    await site.settle();
    await site.run('reconcile');
    site.keep();
  });
  afterAll(async () => {
    await site.stop();
    await stopSites();
  });

  test('abort --from goes back to the template of that commit', async () => {
    const one = await site.copy();
    const commit = (await one.repository.git('log', '--format=%H', '--reverse', 'main')).split('\n')[0] ?? '';
    expect(await one.run(`abort vllm --from ${commit}`)).toMatchObject({ code: 0, err: '' });
    await one.run('reconcile');
    expect(await one.text(LWS_FILE)).toContain(OLD);
    expect((await one.run('abort vllm --from 1234')).err).toContain('--from is 1234, wanted a commit of 40 hex digits');
  });

  test('abort --keep-newer is an order of its own', async () => {
    const one = await site.copy();
    expect((await one.run('abort vllm --keep-newer')).err).toContain('holds no template that is newer');
    await one.edit(LWS_FILE, NEW, `${NEW}-fixed`);
    expect(await one.run('abort vllm --keep-newer')).toMatchObject({ code: 0, err: '' });
    expect(await one.subject()).toMatch(/^rollout\(llm\/vllm\): abort /);
  });

  test('each hold that documents accept is a word of approve, and refused where none has seen it', async () => {
    const holds = [...shown.keys()].flatMap((command) => / --hold (\w+)/.exec(command)?.[1] ?? []);
    expect(holds.length).toBeGreaterThan(8);
    for (const hold of new Set(holds)) {
      expect(ACCEPTABLE).toContain(hold);
      const { code, err } = await site.run(`approve vllm --hold ${hold}`);
      expect({ hold, code, err }).toMatchObject({ code: 1, err: expect.stringContaining(`has seen no ${hold} that`) });
    }
  });

  test('roots of a pull request against what it goes into', async () => {
    const one = await site.copy();
    await one.repository.git('update-ref', 'refs/pull/1/merge', 'main');
    const { code, out } = await one.run('roots --ref refs/pull/1/merge --base main');
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('refs/pull/1/merge') });
  });

  test('schema analysis is a JSON Schema', async () => {
    const { code, out } = await site.run('schema analysis');
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, title: 'Analysis', type: 'object' });
  });
});
