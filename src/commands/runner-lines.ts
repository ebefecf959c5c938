/** What a GitHub Actions runner obeys: workflow commands, outputs and the step summary, with other people's text kept inert. */

import { randomUUID } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import type { Issue } from '../api/issue.ts';
import { printable, printableLine } from '../api/printable.ts';

/** The runner refuses a summary above 1 MiB altogether. */
export const SUMMARY_BYTES_MAX = 1_000_000;

/** Hides the secret in everything that the job prints from here on: each line as it is, or it would be shown. */
export function maskLines(secret: string): string {
  return secret
    .split(/[\r\n]+/)
    .filter((line) => line !== '')
    .map((line) => `::add-mask::${line.replaceAll('%', '%25')}\n`)
    .join('');
}

/** An issue at its place among the files; `warning` where it stops nothing, `notice` where nothing is wrong. */
export function annotation(level: 'error' | 'warning' | 'notice', issue: Issue): string {
  const properties = [
    ...(issue.file === '' ? [] : [`file=${escapeProperty(issue.file)}`]),
    ...(issue.line > 0 ? [`line=${issue.line}`] : []),
    `title=${escapeProperty(issue.reason)}`,
  ];
  return `::${level} ${properties.join(',')}::${escapeData(issue.hint === '' ? issue.message : `${issue.message}. ${issue.hint}`)}\n`;
}

/** A failure that has no place. */
export function errorLine(title: string, message: string): string {
  return `::error title=${escapeProperty(title)}::${escapeData(message)}\n`;
}

/** What stops no job and has no place among the files. */
export function warningLine(title: string, message: string): string {
  return `::warning title=${escapeProperty(title)}::${escapeData(message)}\n`;
}

/** Text of others that the log shows folded, below its title. */
export function folded(title: string, text: string): string {
  const body = printable(text);
  return `::group::${escapeData(title)}\n${body}${body.endsWith('\n') ? '' : '\n'}::endgroup::\n`;
}

/** Sets outputs of the step. A value cannot end its block: nobody knows the delimiter before it is written. */
export async function writeOutputs(path: string | undefined, values: Readonly<Record<string, string>>): Promise<void> {
  if (path === undefined || path === '') return;
  const blocks = Object.entries(values).map(([name, value]) => {
    const delimiter = `tranche_${randomUUID()}`;
    return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
  });
  await appendFile(path, blocks.join(''));
}

/** Adds to the page of the step; what is over the limit is cut, and said to be. */
export async function writeSummary(path: string | undefined, markdown: string): Promise<void> {
  if (path === undefined || path === '') return;
  const bytes = Buffer.from(markdown);
  const note = '\n\nCut: the whole text is in the log of the step.\n';
  await appendFile(
    path,
    bytes.length <= SUMMARY_BYTES_MAX
      ? markdown
      : `${cutToLine(bytes.subarray(0, SUMMARY_BYTES_MAX - note.length - FENCE_MAX).toString('utf8'))}${note}`,
  );
}

/** Longer runs of backticks are nobody's code, and would make a fence without end. */
const FENCE_MAX = 100;
const LONG_RUN = new RegExp(`\`{${FENCE_MAX},}`, 'g');

/** Text in a block of code that nothing in it can end. */
export function fenced(text: string, language: string): string {
  const body = text.trimEnd().replace(LONG_RUN, '`'.repeat(FENCE_MAX - 1));
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${body}\n${fence}\n`;
}

/** Whole lines, and no block of code left open. */
function cutToLine(text: string): string {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  let open = '';
  for (const [, fence = ''] of whole.matchAll(/^(`{3,})/gm)) open = open === '' ? fence : fence === open ? '' : open;
  return `${whole}${open}`;
}

function escapeData(text: string): string {
  return printableLine(text).replaceAll('%', '%25');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
