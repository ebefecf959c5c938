/** The GitHub Action: one pass with inputs from the runner; report, annotations, outputs and a summary for it. */

import { randomBytes } from 'node:crypto';
import type { Issue } from '../api/issue.ts';
import { printable } from '../api/printable.ts';
import { type CommonOptions, commonOptions, ENV, EXIT, type Io, UsageError } from '../options.ts';
import { ConfigError } from '../reconcile/documents/read-config.ts';
import type { Outcome } from '../reconcile/outcome.ts';
import { type Memory, newMemory, type PassResult, type Ports } from '../reconcile/pass.ts';
import { runPass } from '../reconcile/run.ts';
import { commitReport, planReport } from '../reconcile/status/report.ts';
import { rolloutTable } from '../reconcile/status/status-page.ts';
import { holdKind } from '../rollout/hold.ts';
import { recordWritten } from '../rollout/plan.ts';
import { openPorts } from '../wiring.ts';
import { openPulls, outputsOf } from './action-outputs.ts';
import { exitCodeOf } from './exit-code.ts';
import { filesOnly, readOf } from './lint.ts';
import { orderOfRun } from './order-of-run.ts';
import { passesOfJob } from './passes-of-job.ts';
import { checkEvent } from './runner-event.ts';
import {
  annotation,
  errorLine,
  fenced,
  folded,
  maskLines,
  warningLine,
  writeOutputs,
  writeSummary,
} from './runner-lines.ts';
import { passText } from './show.ts';

const MODES = ['reconcile', 'plan', 'lint', 'verify'] as const;
type Mode = (typeof MODES)[number];

/** Runs the action in the environment of a runner; returns the exit code of the step. */
export async function runAction(runner: Io): Promise<number> {
  const token = input(runner, 'token');
  const appKey = runner.env[ENV.appKey] ?? '';
  const statusKey = input(runner, 'status-key') || (runner.env[ENV.statusKey] ?? '');
  runner.out(maskLines(token) + maskLines(appKey) + maskLines(statusKey));
  // The input is the token of the run where nobody names another: anyone who gives the key of an App means the App.
  const isApp = appKey !== '' && (runner.env[ENV.appId] ?? '') !== '';
  const io: Io = {
    ...runner,
    env: {
      ...runner.env,
      [ENV.gitToken]: token === '' || isApp ? runner.env[ENV.gitToken] : token,
      ...(statusKey === '' ? {} : { [ENV.statusKey]: statusKey }),
    },
    out: (text) => runner.out(printable(text)),
    err: (text) => runner.err(printable(text)),
  };
  const results: PassResult[] = [];
  try {
    const mode = modeOf(io);
    if (mode === 'verify') return await judged(io, runner);
    const waitSeconds = 60 * waitMinutesOf(mode, io);
    const take = (result: PassResult): void => {
      results.push(result);
      runner.out(logOf(mode, result, waitSeconds > 0 ? results.length : 0));
    };
    if ((await passes({ mode, waitSeconds }, io, take)) === 'refused') {
      await writeOutputs(io.env['GITHUB_OUTPUT'], outputsOf([], { failed: true, writes: true }));
      return EXIT.failed;
    }
    const result = results.findLast(({ quiet }) => !quiet) ?? results.at(-1);
    if (result === undefined) throw new Error('there was no pass');
    if (waitSeconds > 0) io.out(passText(result, 'text'));
    runner.out(annotations(result).join(''));
    await writeSummary(io.env['GITHUB_STEP_SUMMARY'], summary(mode, result));
    const failed = results.at(-1)?.failed === true;
    await writeOutputs(io.env['GITHUB_OUTPUT'], outputsOf(results, { failed, writes: mode === 'reconcile' }));
    return failed ? EXIT.failed : EXIT.ok;
  } catch (error) {
    const issues = error instanceof ConfigError ? error.issues : [];
    runner.out(issues.map((issue) => annotation('error', issue)).join(''));
    if (issues.length === 0)
      runner.out(errorLine('tranche', error instanceof Error ? error.message : 'an unknown failure'));
    await writeOutputs(io.env['GITHUB_OUTPUT'], outputsOf(results, { failed: true, writes: true }));
    return exitCodeOf(error, io);
  }
}

/** Says what merging would do; the step fails where it would break something. */
async function judged(io: Io, runner: Io): Promise<number> {
  const options = optionsOf(io);
  const { verifyRun } = await import('./verify.ts');
  const {
    failed,
    text,
    annotations: marked,
    page,
    summary: line,
  } = await verifyRun(options, openPorts(options, io), io);
  io.out(text);
  runner.out(marked.join(''));
  await writeSummary(io.env['GITHUB_STEP_SUMMARY'], page);
  await writeOutputs(io.env['GITHUB_OUTPUT'], { ...outputsOf([], { failed, writes: false }), summary: line });
  return failed ? EXIT.failed : EXIT.ok;
}

/** One pass, or while the job may stay several, which share what they have read. Someone's order goes before. */
async function passes(
  { mode, waitSeconds }: { readonly mode: Mode; readonly waitSeconds: number },
  io: Io,
  take: (result: PassResult) => void,
): Promise<'done' | 'refused'> {
  const options = optionsOf(io);
  const { ports, memory } = { ports: openPorts(options, io), memory: newMemory(randomBytes(4).toString('hex')) };
  const verb = mode === 'reconcile' ? input(io, 'verb') : '';
  if ((await orderOfRun({ verb, rollout: input(io, 'rollout') }, options, ports, io)) !== EXIT.ok) return 'refused';
  const once = async (): Promise<PassResult> => pass(mode, { options, ports, memory }, io);
  await passesOfJob({ clock: ports.clock, signal: io.signal, waitSeconds, once }, take);
  return 'done';
}

type Given = {
  readonly options: CommonOptions & { readonly only: readonly string[] };
  readonly ports: Ports;
  readonly memory: Memory;
};

async function pass(mode: Mode, { options, ports, memory }: Given, io: Io): Promise<PassResult> {
  const { overrides, only } = options;
  const write = mode === 'reconcile';
  const ref = mode === 'lint' ? refToLint(io) : undefined;
  const given = { overrides, write, only, ref };
  const read =
    mode === 'lint'
      ? await runPass(filesOnly(ports), memory, { ...given, config: 'asWritten' })
      : await runPass(ports, memory, given);
  if (mode === 'lint') io.out(`read: ${readOf(ref ?? memory.config?.branch ?? '', read.main)}\n`);
  // Without a cluster every rollout is unreadable: of those, only the files count.
  return mode === 'lint' ? { ...read, failed: issuesOf(read).length > 0 || read.outcomes.some(hasError) } : read;
}

/** What the log shows of a pass: of a plan the commits folded, of a job that stays (`number` is not 0) each pass. */
function logOf(mode: Mode, result: PassResult, number: number): string {
  if (mode === 'lint') return '';
  const text = passText(result, 'text');
  if (number > 0) return folded(`pass ${number}`, text);
  const commits = result.outcomes.flatMap((outcome) => {
    const commit = mode === 'plan' ? commitReport(outcome) : '';
    return commit === '' ? [] : [folded(`the commit of ${outcome.key.namespace}/${outcome.key.name}`, commit)];
  });
  return `${printable(text)}${commits.join('')}`;
}

/** The ref that is named; else on a pull request what merging it would make of the files, which is what is asked. */
function refToLint(io: Io): string | undefined {
  const { GITHUB_REF: ref = '' } = io.env;
  const named = input(io, 'ref');
  if (named !== '') return named;
  return /^refs\/pull\/[0-9]+\/(merge|head)$/.test(ref) ? ref : undefined;
}

function modeOf(io: Io): Mode {
  const given = input(io, 'mode') || 'plan';
  const mode = MODES.find((known) => known === given);
  if (mode === undefined) throw new UsageError(`mode is ${given}, wanted one of ${MODES.join(', ')}`);
  checkEvent(mode, mode === 'reconcile', io);
  return mode;
}

/** A job of GitHub ends after six hours. */
const mostMinutes = 350;

function waitMinutesOf(mode: Mode, io: Io): number {
  const given = input(io, 'wait-minutes') || '0';
  if (!/^(0|[1-9][0-9]{0,2})$/.test(given) || Number(given) > mostMinutes)
    throw new UsageError(`wait-minutes is ${given}, wanted whole minutes from 0 to ${mostMinutes}`);
  return mode === 'reconcile' ? Number(given) : 0;
}

function optionsOf(io: Io): CommonOptions & { readonly only: readonly string[] } {
  const { GITHUB_SERVER_URL: server = 'https://github.com', GITHUB_REPOSITORY: repository = '' } = io.env;
  const repo = input(io, 'repo') || (repository === '' ? '' : `${server}/${repository}`);
  if (repo === '') throw new UsageError('repo is empty, and GITHUB_REPOSITORY is not set');
  const given = {
    repo,
    kubeconfig: input(io, 'kubeconfig'),
    context: input(io, 'context'),
    branch: input(io, 'branch'),
    path: listed(io, 'paths'),
    shard: input(io, 'shard'),
  };
  return { ...commonOptions(given, io), only: listed(io, 'only') };
}

function input(io: Io, name: string): string {
  return (io.env[`INPUT_${name.toUpperCase()}`] ?? '').trim();
}

/** One a line, or separated by commas. */
function listed(io: Io, name: string): readonly string[] {
  return input(io, name)
    .split(/[\n,]/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function hasError({ error }: Outcome): boolean {
  return error !== undefined;
}

function issuesOf(result: PassResult): readonly Issue[] {
  return [...result.issues, ...result.outcomes.flatMap((outcome) => outcome.plan?.issues ?? [])];
}

function annotations(result: PassResult): readonly string[] {
  const warnings = [...result.warnings, ...result.outcomes.flatMap((outcome) => outcome.plan?.warnings ?? [])];
  const failures = result.outcomes.flatMap(({ key, error }) =>
    error === undefined ? [] : [errorLine(`${key.namespace}/${key.name}`, error)],
  );
  const held = result.outcomes.flatMap(({ key, plan }) =>
    (plan?.holds ?? [])
      .filter(({ reason }) => holdKind(reason)?.warns)
      .map(({ reason, message }) => warningLine(reason, `${key.namespace}/${key.name}: ${message}`)),
  );
  return [
    ...issuesOf(result).map((issue) => annotation('error', issue)),
    ...failures,
    ...held,
    ...warnings.map((issue) => annotation('warning', issue)),
  ];
}

/** The table of the status page, and what is or would be written. */
function summary(mode: Mode, result: PassResult): string {
  if (result.quiet) return 'Nothing has moved; every rollout is settled.\n';
  const records = result.outcomes.flatMap(({ plan }) => (plan === undefined ? [] : [recordWritten(plan)]));
  const table = mode === 'lint' ? '' : rolloutTable(records);
  const steps = result.outcomes.filter((outcome) => outcome.plan?.commit !== undefined);
  const blocks = steps.map((outcome) => fenced(printable(planReport(outcome)), 'diff'));
  const issues = issuesOf(result).length;
  const found = issues === 1 ? '1 problem' : `${issues} problems`;
  const pulls = openPulls(result).map((url) => `- <${url}>\n`);
  const waiting = pulls.length === 0 ? [] : [`Pull requests that wait for someone:\n\n${pulls.join('')}`];
  return [`## tranche ${mode}`, `${found} in files.`, table, ...waiting, ...blocks].join('\n\n');
}
