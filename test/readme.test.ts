/** README.md and the reference promise nothing that the code does not hold: tables, snippets, commands and links. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import packageJson from '../package.json' with { type: 'json' };
import { clusterLimits } from '../src/adapters/cluster/limits.ts';
import { defaultGitLimits } from '../src/adapters/git/limits.ts';
import { CARRIER, parseCarrier } from '../src/api/carrier.ts';
import { type Config, DEFAULT_CONFIG } from '../src/api/config.ts';
import { INPUTS_MARK } from '../src/api/helm-release.ts';
import { ACCEPTABLE, ALLOWED_ROLLOUTS, INTENT, parseIntents } from '../src/api/intents.ts';
import { POLICY_KIND } from '../src/api/kinds.ts';
import { ABORTED_LIMIT, MADE_FOR, MARK, parseMarks } from '../src/api/marks.ts';
import { parseConfig } from '../src/api/parse-config.ts';
import { COMPOSITIONS } from '../src/api/policy-field-kinds.ts';
import { POLICY_FIELDS, SURGE_LIMIT } from '../src/api/policy-fields.ts';
import { NO_RULES } from '../src/api/policy-rules.ts';
import { parsePolicyTest } from '../src/api/policy-test.ts';
import { resources, routeResources, trafficResources } from '../src/api/resources.ts';
import { parseRolloutPolicy, SELECTION_FIELDS } from '../src/api/rollout-policy.ts';
import { STEPS_LIMIT } from '../src/api/rollout-steps.ts';
import { MAX_DOCUMENT_CHARACTERS, MAX_DOCUMENTS, MAX_FILE_CHARACTERS } from '../src/manifests/limits.ts';
import { parseManifestFile } from '../src/manifests/parse-file.ts';
import { ENV, EXIT } from '../src/options.ts';
import { FORGE_REFUSALS } from '../src/ports/forge.ts';
import { PREFLIGHT } from '../src/reconcile/preflight-findings.ts';
import type { AsOf } from '../src/reconcile/read-picture.ts';
import { noticeLines, sinceLine } from '../src/reconcile/status/age-text.ts';
import { TRAILER } from '../src/rollout/commits/trailers.ts';
import { FILE_EFFECTS } from '../src/rollout/edits/file-effects.ts';
import { HOLDS } from '../src/rollout/hold.ts';
import { headings, PAGES, reference, section } from './support/documents.ts';
import { startSite, stopSites } from './support/site.ts';
import { LWS_FILE, LWS_TEXT, ROLLOUT_FILE } from './support/vllm.ts';

afterEach(stopSites);

const readme = readFileSync('README.md', 'utf8');
const both = `${readme}\n${reference()}`;
const DOCUMENTS = ['README.md', ...PAGES, 'CONTRIBUTING.md', 'src/README.md', 'src/rollout/states.md'];

/** The rows of the table that starts with this cell, each as its cells. */
function table(firstHead: string): readonly (readonly string[])[] {
  const lines = both.split('\n');
  const at = lines.findIndex((line) => new RegExp(`^\\| ${firstHead} +\\|`).test(line));
  expect(at, firstHead).toBeGreaterThan(-1);
  const end = lines.findIndex((line, index) => index > at && !line.startsWith('|'));
  return lines.slice(at + 2, end).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** What stands between backticks. */
const quoted = (text: string | undefined): readonly string[] =>
  [...(text ?? '').matchAll(/`([^`]+)`/g)].map(([, inner]) => inner ?? '');

/** The options between backticks, in one line. */
const optionsIn = (text: string | undefined): string =>
  quoted(text)
    .filter((one) => one.startsWith('--'))
    .join(' ');

/** What the page of verbs says below the name of each. */
const sectionsOfVerbs = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    headings(readFileSync('docs/verbs.md', 'utf8'))
      .filter((heading) => /^[a-z]+$/.test(heading))
      // What it says of verbs without a section of their own comes after an empty line, with the name of each.
      .map((heading) => [heading, section(heading).split('\n\n`tranche ')[0] ?? '']),
  );

/** The fenced blocks of a language. */
const blocks = (language: string): readonly string[] =>
  [...both.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, text]) => text ?? '');

const block = (language: string, mark: string): string => {
  const found = blocks(language).filter((text) => text.includes(mark));
  expect(found, mark).toHaveLength(1);
  return found[0] ?? '';
};

const sources = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(folder, path), 'utf8'));

describe('tables', () => {
  test.each(DOCUMENTS)('every row of %s has as many cells as its head', (path) => {
    const rows = readFileSync(path, 'utf8').split('\n');
    const cells = (row: string | undefined): number => (row ?? '').split(/(?<!\\)\|/).length;
    const wrong = rows.filter((row, at) => {
      const above = rows.slice(0, at).findLastIndex((one) => !one.startsWith('|'));
      return row.startsWith('|') && cells(row) !== cells(rows[above + 1]);
    });
    expect(wrong).toEqual([]);
  });

  test('every hold, and none that is not there', () => {
    const rows = table('hold');
    expect(rows.flatMap(([cell]) => quoted(cell)).sort()).toEqual(Object.keys(HOLDS).sort());
    for (const [cell, seen, action] of rows) expect([seen, action], cell).not.toContain('');
  });

  test('every reason of an issue, and none that is not there', () => {
    const code = ['src/api', 'src/manifests', 'src/reconcile', 'src/rollout/traffic'].flatMap(sources).join('\n');
    const written = [
      ...code.matchAll(/reason: '([A-Z][A-Za-z]+)'/g),
      ...code.matchAll(/(?:fault|issue)\(\s*(?:'[^']*'|[a-z]+|\[[^\]]*\]),\s*'([A-Z][A-Za-z]+)'/g),
    ].map(([, reason]) => reason ?? '');
    expect(
      table('reason')
        .flatMap(([cell]) => quoted(cell))
        .sort(),
    ).toEqual([...new Set(written)].sort());
  });

  test('every refusal of a forge, with what it is', () => {
    expect(table('refusal')).toEqual(Object.entries(FORGE_REFUSALS).map(([name, { is }]) => [`\`${name}\``, is]));
  });

  test('every effect of a merge, with what it is', () => {
    expect(table('effect')).toEqual(Object.entries(FILE_EFFECTS).map(([name, { is }]) => [`\`${name}\``, is]));
  });

  test('every finding of preflight, with its level and what it is', () => {
    const rows = Object.entries(PREFLIGHT).map(([name, { level, is }]) => [`\`${name}\``, `${level}: ${is}`]);
    expect(table('finding of `preflight`')).toEqual(rows);
  });

  test('no reason is named that is in no table', () => {
    const known = new Set(
      [
        'hold',
        'reason',
        'refusal',
        'effect',
        'finding of `analyze`',
        'finding of `preflight`',
        'finding of `verify-history`',
      ]
        .flatMap(table)
        .flatMap(([cell]) => quoted(cell)),
    );
    // Names of others, in the same spelling.
    const others = ['LeaderWorkerSet', 'RolloutPolicy', 'IfNotPresent'];
    const named = quoted(both.replace(/^```[^]*?^```$/gm, '')).filter((text) => /^([A-Z][a-z]+){2,}$/.test(text));
    expect(named.length).toBeGreaterThan(130);
    expect(named.filter((text) => !known.has(text) && !others.includes(text))).toEqual([]);
  });

  test('every field of tranche.yaml with its default', () => {
    const { branch, statusBranch, author, ...rest } = DEFAULT_CONFIG;
    const flat: Record<string, unknown> = {
      ...rest,
      'branches.desired': branch,
      'branches.status': statusBranch,
      'author.name': author.name,
      'author.email': author.email,
    };
    const shown = new Map(
      table('field').flatMap(([names, defaults]): [string, string][] => {
        const values = quoted(defaults);
        return quoted(names).map((name, index) => [name, values[index] ?? defaults ?? '']);
      }),
    );
    expect([...shown.keys()].sort()).toEqual(Object.keys(flat).sort());
    for (const [name, value] of Object.entries(flat)) {
      const empty = name === 'paths' ? 'everything' : 'none';
      const written = typeof value === 'string' || typeof value === 'number' ? String(value) : empty;
      expect(shown.get(name), name).toBe(written);
    }
  });

  test('every field of a RolloutPolicy with its default, and a policy that is read', () => {
    const rows = table('field of a policy');
    const chooses = Object.entries(SELECTION_FIELDS).map(([name, { meaning }]) => [
      `\`${name}\``,
      'every Rollout',
      'chooses',
      meaning,
    ]);
    const rules = new Map(Object.entries(NO_RULES).map(([name, value]) => [name, JSON.stringify(value)]));
    const fields = Object.entries(POLICY_FIELDS).map(([name, { composition, meaning }]) => [
      `\`${name}\``,
      rules.has(name) ? `\`${rules.get(name)?.replaceAll('"', '')}\`` : 'none',
      composition,
      meaning,
    ]);
    // A link is written from the page that it stands on: `test/documents.test.ts` holds where it leads.
    const unlinked = (cells: readonly string[]) => cells.map((cell) => cell.replace(/\]\([^)]*\)/g, ']'));
    expect(rows.map(unlinked)).toEqual([...chooses, ...fields].map(unlinked));
    const kinds = new Set(Object.values(POLICY_FIELDS).map(({ composition }) => composition));
    expect([...kinds].sort()).toEqual(Object.keys(COMPOSITIONS).sort());
    expect(table('of several policies')).toEqual(Object.entries(COMPOSITIONS));
    // As tranche reads it: another reader takes `on` for a word, and Kubernetes for a truth.
    const read = parseManifestFile('example.yaml', block('yaml', 'kind: RolloutPolicy\n'), [POLICY_KIND]);
    expect(read.issues).toEqual([]);
    const policies = read.documents.map(({ value }) => parseRolloutPolicy(value));
    expect(policies.flatMap(({ faults }) => faults)).toEqual([]);
    const said = policies.flatMap(({ policy }) =>
      Object.entries(policy ?? {}).filter(([, word]) => word !== undefined),
    );
    expect(said.map(([name]) => name).sort()).toEqual(Object.keys(POLICY_FIELDS).sort());
  });

  test('a test of policies that is read', () => {
    expect(parsePolicyTest(parse(block('yaml', 'kind: RolloutPolicyTest'))).faults).toEqual([]);
  });

  test('every annotation, with a value that can be read', () => {
    const rows = table('on the');
    expect(rows.flatMap(([, key]) => quoted(key)).sort()).toEqual(
      [...Object.values(MARK), MADE_FOR, ALLOWED_ROLLOUTS, CARRIER, INPUTS_MARK, ...Object.values(INTENT)].sort(),
    );
    // What people see of a commit is the beginning of 40 digits, and of a digest that of 32.
    const whole = (text: string): string =>
      text.replace(/([0-9a-f]{8})…@/, '$1$1$1$1$1@').replace(/([0-9a-f]{8})…/g, '$1$1$1$1');
    const value = (cell: string | undefined): string =>
      cell === 'a commit' ? '4f1c'.repeat(10) : whole(quoted(cell)[0] ?? '');
    const annotations = Object.fromEntries(rows.map(([, key, cell]) => [quoted(key)[0] ?? '', value(cell)]));
    expect(parseMarks(annotations)).toMatchObject({
      release: {},
      step: {},
      restore: {},
      stable: { commit: expect.any(String), digest: expect.any(String) },
    });
    expect(parseIntents(annotations).faults).toEqual([]);
    const ofRollout: readonly string[] = [CARRIER, ...Object.values(INTENT)];
    expect(parseCarrier(annotations[CARRIER] ?? '')).toBeDefined();
    for (const [where, key] of rows) expect(where === 'Rollout', key).toBe(ofRollout.includes(quoted(key)[0] ?? ''));
  });

  test('the exit codes, the environment and the trailers', () => {
    expect(table('exit code').map(([code]) => Number(code))).toEqual(Object.values(EXIT));
    for (const name of Object.values(ENV)) expect(both).toContain(`\`${name}\``);
    for (const key of Object.values(TRAILER)) expect(both).toContain(`\`${key}\``);
  });

  test('the limits', () => {
    const limits = new Map(table('limit').map(([name = '', number = '']) => [name, number]));
    expect(limits.get('steps of a Rollout')).toBe(String(STEPS_LIMIT));
    expect(limits.get('characters of a file, of a document')).toBe(
      `${MAX_FILE_CHARACTERS}, ${MAX_DOCUMENT_CHARACTERS}`,
    );
    expect(limits.get('documents of a file that are read')).toBe(String(MAX_DOCUMENTS));
    expect(limits.get('aborted releases that are remembered')).toBe(String(ABORTED_LIMIT));
    const over = parseConfig({
      paths: Array.from({ length: 201 }, () => 'a'),
      autoscaled: Array.from({ length: 1001 }, () => 'a/b'),
    });
    expect(over.faults.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^paths is \["a","a",.*…, wanted a list of at most 200 texts$/),
      expect.stringMatching(/^autoscaled is .*…, wanted a list of at most 1000 texts$/),
    ]);
    expect(limits.get('`paths`, `autoscaled` in `tranche.yaml`')).toBe('200, 1000');
    const patterns = parseRolloutPolicy({ metadata: { name: 'a' }, spec: { rollouts: Array(201).fill('a/b') } });
    expect(patterns.faults.map(({ message }) => message).join()).toContain('1 to 200 patterns');
    expect(limits.get('patterns of a RolloutPolicy, extra groups of a delivery')).toBe(`200, ${SURGE_LIMIT}`);
    const seconds =
      (limits.get('seconds of `auditSeconds`, of `intervalSeconds`') ?? '').match(/\d+/g)?.map(Number) ?? [];
    const [leastAudit = 0, mostAudit = 0, least = 0, most = 0] = seconds;
    const faults = (auditSeconds: number, intervalSeconds: number): number =>
      parseConfig({ auditSeconds, intervalSeconds }).faults.length;
    expect([faults(leastAudit, least), faults(mostAudit, most)]).toEqual([0, 0]);
    expect([faults(leastAudit - 1, least - 1), faults(mostAudit + 1, most + 1)]).toEqual([2, 2]);
    expect(limits.get('objects of one list of the cluster, what one list waits')).toBe(
      `${clusterLimits.listItems}, ${clusterLimits.totalSeconds} s`,
    );
    const waits = limits.get('what one pass waits for Git, all requests together');
    expect(waits).toMatch(new RegExp(`^${defaultGitLimits.passSeconds} s, `));
  });

  test('the cluster role is what is read, and nothing else', () => {
    const role = parse(block('yaml', 'kind: ClusterRole'));
    type Rule = {
      readonly apiGroups: readonly string[];
      readonly resources: readonly string[];
      readonly verbs: readonly string[];
    };
    const rules: readonly Rule[] = role.rules;
    for (const rule of rules) expect(rule.verbs).toEqual(['list']);
    const granted = rules.flatMap(({ apiGroups, resources: plurals }) =>
      plurals.map((plural) => `${plural}.${apiGroups.join()}`),
    );
    expect(granted.sort()).toEqual(
      Object.values(resources)
        .map(({ group, plural }) => `${plural}.${group}`)
        .sort(),
    );
  });

  test('the rights that routes need, a row each', () => {
    const rows = table('group').map((cells) => cells.slice(0, 3).map((cell) => quoted(cell)[0]));
    const wanted = [...Object.values(trafficResources), ...routeResources];
    expect(rows).toEqual(wanted.map(({ group, plural }) => [group === '' ? '""' : group, plural, 'list']));
  });
});

describe('snippets', () => {
  test('all YAML is YAML', () => {
    expect(blocks('yaml').length).toBeGreaterThan(5);
    for (const text of blocks('yaml'))
      for (const document of parseAllDocuments(text)) expect(document.errors, text).toEqual([]);
  });

  test('the Rollout and tranche.yaml are good ones: lint, and a first pass', async () => {
    const config = block('yaml', '# tranche.yaml');
    const read = parseConfig(parse(config));
    expect(read.faults).toEqual([]);
    const shown: Partial<Config> = { cluster: 'prod-eu', autoscaled: ['llm/chat'] };
    expect(read.config).toMatchObject(shown);
    const site = await startSite({
      files: {
        [LWS_FILE]: LWS_TEXT,
        [ROLLOUT_FILE]: block('yaml', '# rollouts/vllm.yaml'),
        'tranche.yaml': config,
        // Every entry of `paths` is there.
        'policies/CODEOWNERS': '* @team/platform\n',
      },
    });
    expect(await site.run('lint')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^1 Rollout, 0 problems\nread: main at [0-9a-f]{12}\n$/),
      err: '',
    });
    expect(await site.run('reconcile')).toMatchObject({ code: 0 });
    expect(await site.repository.git('log', '-1', '--format=%an %ae %(trailers:key=Rollout,valueonly)', 'main')).toBe(
      'tranche tranche@example.com prod-eu/llm/vllm',
    );
    const text = await site.text(LWS_FILE);
    expect(text.match(/tranche\.dev\//g), 'two annotations, and nothing restarts').toHaveLength(2);
    expect(text).toContain('partition: 1000000');
  });

  test('the agents get the folder of the workload, and not the Rollouts', () => {
    const application = parse(block('yaml', 'kind: Application'));
    const kustomization = parse(block('yaml', 'kind: Kustomization'));
    expect([application.spec.source.path, kustomization.spec.path]).toEqual(['apps/vllm', './apps/vllm']);
    expect(kustomization.spec.wait).toBe(false);
  });
});

describe('commands', () => {
  test('each verb has its row, and each row its verb', async () => {
    const site = await startSite();
    const { out } = await site.run('--help');
    const verbs = [...(out.split('Commands:')[1] ?? '').split('Environment:')[0]!.matchAll(/^ {2}([a-z-]+)/gm)].map(
      ([, verb]) => verb ?? '',
    );
    expect(
      quoted(section('approve'))
        .filter((text) => /^[A-Z]/.test(text))
        .sort(),
      'what may be accepted',
    ).toEqual([...ACCEPTABLE].sort());
    const shown = table('verb').flatMap(([cell]) => quoted(cell).map((text) => text.split(' ')[0] ?? ''));
    expect(shown.sort()).toEqual(verbs.filter((verb) => verb !== 'help').sort());
  });

  test('every option that is named is one', async () => {
    const site = await startSite();
    const deployed = parse(readFileSync('policies/install/base/deployment.yaml', 'utf8')).spec.template.spec
      .containers[0].args as readonly string[];
    const lines = [
      deployed.join(' '),
      ...[...both.matchAll(/(?:\btranche|tgz tranche) ((?:[a-z]+)(?: [^`\n|]*)?--[^`\n|]*)/g)].map(
        ([, line]) => line ?? '',
      ),
      ...table('verb').map(([verb, what]) => `${quoted(verb)[0]} ${optionsIn(what)}`),
      // The section of a verb has its options.
      ...Object.entries(sectionsOfVerbs()).map(([verb, text]) => `${verb} ${optionsIn(text)}`),
    ];
    expect(lines.length).toBeGreaterThan(10);
    const verbs = new Map<string, string>();
    for (const line of lines) {
      const verb = line.split(' ')[0] ?? '';
      if (!/^[a-z]+$/.test(verb)) continue;
      const help = verbs.get(verb) ?? (await site.run(`${verb} --help`)).out;
      verbs.set(verb, help);
      for (const [flag] of line.matchAll(/--[a-z-]+/g))
        if (flag !== '--help') expect(help, `${verb} ${flag}`).toContain(flag);
    }
  });

  test('the inputs and outputs of the action', () => {
    const action = parse(readFileSync('action.yml', 'utf8'));
    const inputs = Object.keys(action.inputs);
    expect(
      table('input')
        .flatMap(([cell]) => quoted(cell))
        .sort(),
    ).toEqual(inputs.sort());
    expect(table('input')[0]?.[1]).toBe(`\`${action.inputs.mode.default}\``);
    const steps = parse(block('yaml', '# steps of a job')) as readonly { uses: string; with: object }[];
    expect(steps.map(({ uses }) => uses)).toEqual([`example/tranche@${'0'.repeat(40)}`]);
    expect(block('yaml', '# steps of a job')).toContain(` # v${packageJson.version}: `);
    for (const step of steps) expect(inputs).toEqual(expect.arrayContaining(Object.keys(step.with)));
    for (const name of Object.keys(action.outputs)) expect(both).toContain(`\`${name}\``);
  });

  test('every npm script is there, and the package has no dependencies', () => {
    const named = [...both.matchAll(/npm run ([a-z]+)/g)].map(([, name]) => name ?? '');
    expect(named).toContain('demo');
    for (const name of [...named, 'test']) expect(Object.keys(packageJson.scripts)).toContain(name);
    expect(packageJson).not.toHaveProperty('dependencies');
    expect(
      both.match(/[\w.-]+\.tgz/g)?.every((file) => file === `tranche-dev-tranche-${packageJson.version}.tgz`),
    ).toBe(true);
    expect(packageJson.engines.node).toContain('20.19');
  });

  test('CONTRIBUTING.md names scripts, variables and files that are there', () => {
    const text = readFileSync('CONTRIBUTING.md', 'utf8');
    const scripts = [...text.matchAll(/npm (?:run )?([a-z]+)/g)].map(([, name]) => name ?? '');
    expect(scripts.length).toBeGreaterThan(10);
    for (const name of scripts) expect(['ci', 'install', ...Object.keys(packageJson.scripts)]).toContain(name);
    const paths = [...text.matchAll(/\b(?:src|test|scripts|fixtures)\/[\w./-]*[\w-]|\.ci\/run/g)].map(([path]) => path);
    expect(paths.length).toBeGreaterThan(8);
    for (const path of paths) expect(existsSync(path), path).toBe(true);
    const code = ['test', 'scripts'].flatMap(sources).join('\n') + readFileSync('vitest.config.ts', 'utf8');
    for (const [, name = ''] of text.matchAll(/([A-Z_]{5,})=/g)) expect(code, name).toContain(name);
  });

  test("no text sends people to the package of that name on npm, which is somebody else's", () => {
    const texts = [
      'README.md',
      ...PAGES,
      'CONTRIBUTING.md',
      'action.yml',
      ...readdirSync('src', { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(ts|md)$/.test(file))
        .map((file) => join('src', file)),
    ];
    expect(
      texts.filter((file) => /npx (--yes )?tranche\b|npm (i|install) (-g )?tranche\b/.test(readFileSync(file, 'utf8'))),
    ).toEqual([]);
  });

  test('what is applied is there', () => {
    // `tranche init` copies `install` from the policies.
    for (const [, path = ''] of both.matchAll(/kubectl apply -k ([\w./-]+)/g))
      expect(existsSync(join(path.replace(/^install/, 'policies/install'), 'kustomization.yaml')), path).toBe(true);
    expect(readme).not.toContain('](#');
  });
});

describe('the README', () => {
  test('is short enough to be read', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(200);
  });

  test('shows what the demo prints', async () => {
    const commitIds = (text: string): string => text.replace(/\b[0-9a-f]{7}\b/g, 'commit.');
    const shown = blocks('').find((text) => text.includes('group 0 '));
    const lines = commitIds(shown ?? '')
      .split('\n')
      .filter((line) => line !== '');
    expect(lines.length).toBeGreaterThan(10);
    const told = commitIds((await (await startSite()).run('demo')).out).split('\n');
    const places = lines.map((line) => told.indexOf(line));
    expect(lines.filter((_, index) => places[index] === -1)).toEqual([]);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  test('knows what status says of a rollout that stands still', () => {
    const rows = table('`status` says');
    const told = rows.flatMap(([cell]) => quoted(cell));
    const reasons = table('hold').flatMap(([cell]) => quoted(cell));
    const asOf: AsOf = { kind: 'recorded', at: 0, main: '', unseen: [], more: false, writtenBy: 0, overdueSince: 0 };
    const notices = `${sinceLine({ orders: ['abort'], files: [] })} ${noticeLines(asOf, { since: [] }, 60).join(' ')}`;
    for (const text of told) expect(reasons.includes(text) || notices.includes(text), text).toBe(true);
    for (const [cell, means, action] of rows) expect([means, action], cell).not.toContain('');
    const tree = readFileSync('src/reconcile/status/status-text.ts', 'utf8');
    for (const label of ['Takes', 'As of']) {
      expect(readme).toContain(`\`${label}\``);
      expect(tree).toContain(`['${label}', `);
    }
    const accepted = /--hold ([A-Za-z]+)/.exec(readme)?.[1];
    expect(ACCEPTABLE).toContain(accepted);
  });

  test('names verbs that are there', async () => {
    const help = (await (await startSite()).run('--help')).out;
    const named = [...both.matchAll(/[`$] ?tranche ([a-z]+(?:-[a-z]+)*)/g)].map(([, verb]) => verb ?? '');
    expect(named.length).toBeGreaterThan(30);
    for (const verb of named) expect(help, verb).toMatch(new RegExp(`^ {2}${verb} `, 'm'));
  });

  // What on-call may do while nobody runs tranche.
  test.each(['reverted-while-tranche-is-down', 'reverted-by-hand-over-a-broken-group'])(
    'the story %s is told',
    (name) => {
      expect(existsSync(`fixtures/scenarios/${name}/transcript.txt`)).toBe(true);
    },
  );
});
