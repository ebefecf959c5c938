/** `tranche simulate`: what LWS will do with a change, a scenario, or the commits of a release; only the files are read. */

import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { issueLine } from '../api/issue-line.ts';
import type { ManifestDocument } from '../manifests/parse-file.ts';
import { EXIT, type Io, UsageError } from '../options.ts';
import { climb } from '../reconcile/ladder/climb.ts';
import type { Texts } from '../reconcile/ladder/delivery-parts.ts';
import { obstacleIssues } from '../reconcile/ladder/obstacle-issues.ts';
import { type AskedStages, askedOf, deliveryOutput } from './simulate/asked.ts';
import { changedManifest, checkSize, lwsOfFile } from './simulate/changed-manifest.ts';
import { deliveryOf, type OpenDelivery } from './simulate/delivery.ts';
import { deliveryReports, reportOf } from './simulate/delivery-report.ts';
import { FILES_MAX, SCENARIO_BYTES_MAX } from './simulate/limits.ts';
import { type Prediction, prediction } from './simulate/prediction.ts';
import { scenarioReport } from './simulate/scenario.ts';
import { stageReports } from './simulate/stage-report.ts';

/**
 * Exit code 1 where the webhooks of LWS would refuse the file or the change; wrong files and words are UsageErrors.
 * `given` are the options as they were written.
 */
export async function simulate(
  files: readonly string[],
  given: Readonly<Record<string, unknown>>,
  io: Io,
): Promise<number> {
  if (files.length > FILES_MAX) throw new UsageError(`${files.length} files, at most ${FILES_MAX} are read`);
  const texts = new Map<string, string>();
  for (const file of files) texts.set(file, await textOf(file, io));
  const delivery = deliveryOf(texts);
  if (delivery !== undefined) return simulateDelivery(delivery, { given, texts }, io);
  const [first, second] = files;
  if (second !== undefined)
    throw new UsageError(`no Rollout in ${[...texts.keys()].join(', ')}: name it too, or one file`);
  const asked = askedOf(first, given);
  const text = await textOf(asked.file, io);
  if (asked.kind === 'stages') return simulateStages(asked, text, io);
  const report = scenarioReport(asked, text);
  for (const warning of report.warnings) io.err(`warning: ${warning}\n`);
  io.out(report.text);
  return EXIT.ok;
}

type Given = { readonly given: Readonly<Record<string, unknown>>; readonly texts: Texts };

/** Exit code 1 where the files cannot take a commit of it: lint says where. */
function simulateDelivery({ parts, file }: OpenDelivery, { given, texts }: Given, io: Io): number {
  const climbed = climb(texts, parts);
  const { obstacle } = climbed;
  const output = deliveryOutput(given);
  if (obstacle !== undefined) {
    for (const issue of obstacleIssues(texts, obstacle)) io.err(`error: ${issueLine(issue)}\n`);
    return EXIT.failed;
  }
  io.out(deliveryReports[output](reportOf(parts, file, climbed)));
  return EXIT.ok;
}

function simulateStages(asked: AskedStages, text: string, io: Io): number {
  const document = lwsOfFile(asked, text);
  const after = changedManifest(document, asked.change);
  checkSize(document, document.value, 'file');
  checkSize(document, after, 'change');
  const { lws, gate, readyOrder } = asked;
  const predicted = prediction({ before: document.value, after, modes: { lws, gate }, readyOrder });
  if (predicted.kind === 'refused') {
    io.err(`error: ${refusalText(document, predicted)}\n`);
    return EXIT.failed;
  }
  const { namespace, name } = document.object;
  const { stages, outcome, fault } = predicted;
  io.out(stageReports[asked.output]({ asked, workload: { namespace, name }, stages, outcome, fault }));
  return EXIT.ok;
}

/** `file:line: which write was refused, in the words of the API server`; the line is that of the field it names. */
function refusalText(document: ManifestDocument, refused: Prediction & { readonly kind: 'refused' }): string {
  const { message } = refused.status;
  const path = /\b(spec|metadata)(\.[A-Za-z]+|\[\d+\])+/.exec(message)?.[0] ?? '';
  // The webhook writes SubGroupPolicy where the field is subGroupPolicy.
  const segments = path.split(/[.[\]]+/).map((segment) => segment.charAt(0).toLowerCase() + segment.slice(1));
  const line = document.lineOf(segments.filter((segment) => segment !== ''));
  const { kind, name } = document.object;
  const what = refused.write === 'file' ? `${kind} ${name} as it stands` : `this change of ${kind} ${name}`;
  return `${document.file}:${line}: the API server would refuse ${what}: ${message}`;
}

async function textOf(file: string, io: Io): Promise<string> {
  const path = resolve(io.folder, file);
  try {
    const seen = await stat(path);
    if (seen.isDirectory()) throw new UsageError(`${file} is a folder: name its files, one by one`);
    const { size } = seen;
    if (size <= SCENARIO_BYTES_MAX) return await readFile(path, 'utf8');
    throw new UsageError(`${file} has ${size} bytes, at most ${SCENARIO_BYTES_MAX} are read`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
