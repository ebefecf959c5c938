/** The files to copy for GitHub: workflows with no more rights than the table says, and rulesets that GitHub takes. */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { VERBS_OF_RUN } from '../../src/commands/order-of-run.ts';
import { Openapi } from '../support/forge/openapi.ts';

const folder = 'policies/github';
const files = readdirSync(folder);
const text = (file: string): string => readFileSync(`${folder}/${file}`, 'utf8');
const action = parse(readFileSync('action.yml', 'utf8'));

type Step = { readonly uses?: string; readonly run?: string; readonly with?: Readonly<Record<string, unknown>> };
type Job = {
  readonly if?: unknown;
  readonly environment?: string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
};
type Input = { readonly options?: readonly string[]; readonly default?: string };
type Workflow = {
  readonly on: Readonly<Record<string, { readonly inputs?: Readonly<Record<string, Input>> } | null>>;
  readonly concurrency?: { readonly group: string; readonly 'cancel-in-progress': boolean };
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
};

/** The rows of the table of permissions: [modes, permissions]. */
const rows = [...text('README.md').matchAll(/^\| (.+?) \| ((?:`[a-z-]+: [a-z]+`(?:, )?)+) \| .+ \|$/gm)].map(
  ([, who = '', rights = '']): readonly [string, readonly string[]] => [who, quoted(rights)],
);
const rightsOf = (who: string): readonly string[] => rows.find(([name]) => name.includes(who))?.[1] ?? [];

function quoted(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, one]) => one ?? '');
}

const workflows = files
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => [file, parse(text(file)) as Workflow] as const);

/** What GitHub makes of `${{ inputs.verb && inputs.verb != 'none' && ORDER || PASS }}`: a text that is empty is false. */
function evaluated(expression: string, { verb, run }: { readonly verb: string; readonly run: string }): string {
  const [, order = '', pass = ''] =
    /^\$\{\{ inputs\.verb && inputs\.verb != 'none' && (.+) \|\| '([a-z0-9-]+)' \}\}$/.exec(expression) ?? [];
  if (verb === '' || verb === 'none') return pass;
  const [, shape = ''] = /^format\('([a-z{0}-]+)', github\.run_id\)$/.exec(order) ?? [];
  return shape === '' ? order.replaceAll("'", '') : shape.replace('{0}', run);
}

describe.each(workflows)('%s', (file, { on, concurrency, permissions, jobs }) => {
  const [job] = Object.values(jobs);
  const ours = job?.steps.find(({ uses }) => uses?.startsWith('example/tranche@'));
  const mode = String(ours?.with?.['mode']);

  test('calls the action with inputs that it has', () => {
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(ours?.with ?? {})));
    expect(text(file)).toContain(` # v${JSON.parse(readFileSync('package.json', 'utf8')).version}: your commit of it`);
  });

  test('pins each action to a commit, and leaves no token in a checkout', () => {
    const lines = text(file).match(/^ *- uses: .*$/gm) ?? [];
    expect(lines).not.toEqual([]);
    for (const line of lines) expect(line).toMatch(/^ *- uses: [a-z-]+\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+/);
    for (const { uses, with: given } of job?.steps ?? [])
      if (uses?.startsWith('actions/checkout@')) expect(given).toMatchObject({ 'persist-credentials': false });
  });

  test('lets an order wait behind no pass, and be cancelled by none', () => {
    if (mode !== 'reconcile') return;
    const groupOf = (verb: string, run: string): string => evaluated(concurrency?.group ?? '', { verb, run });
    const passes = groupOf('', '7');
    expect([passes, groupOf('none', '8')], 'one pass after the other').toEqual(['tranche', 'tranche']);
    const orders = ['8', '9'].map((run) => groupOf('abort', run));
    expect(new Set([passes, ...orders]).size, 'each order alone').toBe(3);
    expect(concurrency?.['cancel-in-progress']).toBe(false);
    const { verb, rollout } = on['workflow_dispatch']?.inputs ?? {};
    expect(verb?.options).toEqual(['none', ...VERBS_OF_RUN]);
    expect([verb, rollout].map((input) => input?.default)).toEqual(['none', '']);
    expect(ours?.with).toMatchObject({
      verb: "${{ inputs.verb != 'none' && inputs.verb || '' }}",
      rollout: '${{ inputs.rollout }}',
    });
    const stays = String(ours?.with?.['wait-minutes']);
    expect([evaluated(stays, { verb: 'abort', run: '8' }), evaluated(stays, { verb: '', run: '7' })]).toEqual([
      '0',
      '30',
    ]);
  });

  test('has the permissions of its mode, and no other', () => {
    const app = job?.steps.find(({ uses }) => uses?.startsWith('actions/create-github-app-token@'));
    const given = Object.entries(job?.permissions ?? {}).map(([name, level]) => `${name}: ${level}`);
    const asked = Object.entries(app?.with ?? {}).flatMap(([name, level]) =>
      name.startsWith('permission-') ? [`${name.slice('permission-'.length)}: ${String(level)}`] : [],
    );
    const logsIn = job?.steps.some(({ uses }) => uses?.includes('credentials@')) === true;
    const wanted = [...rightsOf(app === undefined ? `\`${mode}\`` : 'as an App'), ...(logsIn ? rightsOf('login') : [])];
    expect(permissions).toEqual({});
    expect([...given, ...asked].sort()).toEqual([...wanted].sort());
    expect(wanted).not.toEqual([]);
  });

  test('meets no text of others with a token that writes, and is not skipped', () => {
    expect(Object.keys(on)).not.toContain('pull_request_target');
    for (const { run } of job?.steps ?? []) expect(run ?? '').not.toContain('${{');
    expect(job).not.toHaveProperty('if');
    if (mode !== 'verify') {
      expect(job?.environment, file).toBe('tranche');
      expect(
        Object.keys(on).every((event) => /^(push|schedule|repository_dispatch|workflow_dispatch)$/.test(event)),
      ).toBe(true);
    } else expect(on).toEqual({ pull_request: {}, merge_group: {} });
  });

  test('says why it has each permission', () => {
    for (const line of text(file).split('\n'))
      if (/^ {6}[a-z-]+: (read|write)\b/.test(line)) expect(line).toMatch(/ # \w+/);
  });
});

test('every row of the table is that of a workflow, and every workflow has its row', () => {
  expect(rows.map(([who]) => who)).toEqual([
    '`verify`, `lint`, `plan`',
    '`reconcile`',
    '`reconcile` as an App',
    'login',
  ]);
  expect(workflows).toHaveLength(4);
});

describe('a cluster that calls', () => {
  const elsewhere = workflows.find(([file]) => file === 'reconcile-elsewhere.yaml')?.[1];
  const steps = elsewhere?.jobs['reconcile']?.steps ?? [];
  const REPOSITORY = 'example/tranche-wake';

  test('wakes a repository that is not the one that is delivered, whose App reaches that alone', () => {
    expect(Object.keys(elsewhere?.on ?? {})).not.toContain('push');
    const repo = steps.find(({ uses }) => uses?.startsWith('example/tranche@'))?.with?.['repo'];
    const app = steps.find(({ uses }) => uses?.startsWith('actions/create-github-app-token@'))?.with;
    expect(repo).toBe(`https://github.com/${String(app?.['owner'])}/${String(app?.['repositories'])}`);
    expect(repo).not.toContain(REPOSITORY);
  });

  test('as Flux, by a provider that its alert names', () => {
    const [provider, alert] = parseAllDocuments(text('wake/flux.yaml')).map((document) => document.toJS());
    expect(provider.spec).toMatchObject({ type: 'githubdispatch', address: `https://github.com/${REPOSITORY}` });
    expect(alert.spec.providerRef.name).toBe(provider.metadata.name);
    expect(alert.spec.eventSeverity, 'success is info').toBe('info');
    expect(provider.spec.secretRef.name).not.toBe('');
  });

  test('as Argo CD, by a template that each trigger sends, with a token that is not in the file', () => {
    const { data } = parse(text('wake/argo-cd.yaml'));
    const service = parse(data['service.webhook.tranche-wake']);
    expect(service.url).toBe(`https://api.github.com/repos/${REPOSITORY}/dispatches`);
    expect(service.headers).toContainEqual({ name: 'Authorization', value: 'Bearer $tranche-wake-token' });
    const { method, body } = parse(data['template.tranche-wake']).webhook['tranche-wake'];
    expect([method, Object.keys(JSON.parse(body))]).toEqual(['POST', ['event_type']]);
    for (const { send, oncePer } of parse(data['trigger.tranche-synced'])) {
      expect(send).toEqual(['tranche-wake']);
      expect(oncePer).toMatch(/^app\.status\./);
    }
  });
});

test.each(files.filter((file) => file.endsWith('.json')))('%s is a ruleset as GitHub describes one', (file) => {
  const openapi = new Openapi();
  const body: unknown = JSON.parse(text(file));
  const path = '/repos/team/gitops/rulesets';
  const matched = openapi.match('POST', path);
  expect(matched).toBeDefined();
  const asked = (given: unknown) =>
    openapi.requestFaults(matched!, { method: 'POST', path, query: new URLSearchParams(), body: given });
  expect(asked(body)).toEqual([]);
  expect(asked({ ...Object(body), enforcement: 'sometimes' })).not.toEqual([]);
  expect(asked({ ...Object(body), rules: [{ type: 'creations' }] })).not.toEqual([]);
});

test('the ruleset of main requires the job that the workflow is, from GitHub Actions: anyone who pushes can set a status of its name', () => {
  type Check = { readonly context: string; readonly integration_id?: number };
  const checks: readonly Check[] = JSON.parse(text('ruleset-main.json')).rules.flatMap(
    ({ parameters }: { parameters?: { required_status_checks?: readonly Check[] } }) =>
      parameters?.required_status_checks ?? [],
  );
  // What GET /apps/github-actions says at github.com.
  const jobs = Object.keys(parse(text('verify.yaml')).jobs);
  expect(checks).toEqual(jobs.map((context) => ({ context, integration_id: 15_368 })));
});

test('the ruleset of proposals covers a branch that would stand where they have their folder', () => {
  const { conditions } = JSON.parse(text('ruleset-proposals.json'));
  expect(conditions.ref_name.include).toEqual(['refs/heads/tranche', 'refs/heads/tranche/**/*']);
});
