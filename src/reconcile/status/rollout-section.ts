/** One Rollout on the page of the status branch, for people. Times are absolute: a page that counts would be written with every pass. */

import { printStep } from '../../api/marks.ts';
import type { RolloutRecord } from '../../api/record.ts';
import type { GroupRecord } from '../../api/record-groups.ts';
import { printRelease, shortRelease } from '../../api/release.ts';
import { printInstant } from '../../api/time.ts';
import { changeText } from '../../rollout/texts/change-text.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import { approvalText } from './approval-text.ts';
import { evidencePicture } from './evidence-owner.ts';
import { code } from './markdown-code.ts';
import { measuredLines } from './metrics-text.ts';
import { servingSide } from './serving-side.ts';
import { timelineSvg } from './timeline-svg.ts';

/** Of its heading, as forges make it. */
export function anchorOf(record: RolloutRecord): string {
  return headingOf(record)
    .toLowerCase()
    .replace(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-');
}

/** `link`: where its record lies, as a link of Markdown takes it; `files`: what is on the branch as well. */
export function rolloutSection(
  record: RolloutRecord,
  link: string,
  files: { readonly has: (path: string) => boolean },
): string {
  return [
    `### ${headingOf(record)}`,
    '',
    ...factsOf(record).map(([label, value]) => `- ${label}: ${value}`),
    ...record.holds.flatMap(({ reason, message, lines = [] }) => [
      `- waits for ${code(reason)}: ${code(message)}`,
      ...lines.map((line) => `  - ${code(line)}`),
    ]),
    ...(record.measured === undefined ? [] : [`- metrics of step ${code(record.measured.of)}:`]),
    ...(record.measured === undefined ? [] : measuredLines(record.measured).map((line) => `  - ${code(line)}`)),
    ...(record.measured === undefined || !files.has(evidencePicture(printKey(record)))
      ? []
      : [`- what they counted: ![share of bad requests over time](${pictureLink(link, 'analysis', '/newest')})`]),
    `- groups, as last seen:`,
    ...groupLines(record),
    ...(timelineSvg(record) === undefined
      ? []
      : [`- its commits so far: ![groups and share over time](${pictureLink(link, 'timelines', '')})`]),
    `- [the record](${link}), as tranche keeps it; scripts read \`tranche status --output json\``,
  ].join('\n');
}

/** Next to the record, by its link: pages on a branch show pictures of that branch, of a private repository as well. */
function pictureLink(record: string, folder: string, rest: string): string {
  return record.replace(/^rollouts\/(.*)\.json$/, `${folder}/$1${rest}.svg`);
}

/** Without characters that mean something in Markdown: the names of Kubernetes have none. */
function headingOf({ cluster, namespace, name }: RolloutRecord): string {
  return [`${namespace}/${name}`, 'in', cluster].join(' ').replace(/[^a-zA-Z0-9 ./-]/g, '');
}

function factsOf(record: RolloutRecord): readonly (readonly [label: string, value: string])[] {
  const { marks, step, change, covers, main, approved, proposal } = record;
  const since = record.conditions.find(({ type }) => type === 'Progressing')?.since;
  const image = changeText(change);
  return [
    [
      'as of',
      `commit ${code(main.slice(0, 12))} of main${since === undefined ? '' : `; in this state since ${printInstant(since)}`}`,
    ],
    ...(image === '' ? [] : [['image', code(image)] as const]),
    ...(marks === undefined ? [] : [['release', code(printRelease(marks.release))] as const]),
    ...(marks?.step === undefined ? [] : [['step', stepText(printStep(marks.step), { step, covers })] as const]),
    ...(marks?.stable === undefined
      ? []
      : [['stable version', `commit ${code(marks.stable.commit.slice(0, 12))}`] as const]),
    ...(marks === undefined || marks.aborted.length === 0
      ? []
      : [['aborted', marks.aborted.map((release) => code(shortRelease(release))).join(', ')] as const]),
    ...(approved === undefined ? [] : [['approved', code(approvalText(approved))] as const]),
    ...(proposal === undefined ? [] : [['pull request', pullRequestText(proposal)] as const]),
  ];
}

function stepText(name: string, { step, covers }: Pick<RolloutRecord, 'step' | 'covers'>): string {
  return [
    name,
    ...(covers === undefined ? [] : [`${covers.groups} of ${covers.of} groups`]),
    ...(step?.writtenAt === undefined ? [] : [`written ${printInstant(step.writtenAt)}`]),
    ...(step?.doneSince === undefined ? [] : [`done since ${printInstant(step.doneSince)}`]),
  ].join(', ');
}

function pullRequestText({ number, url, state, by, index }: NonNullable<RolloutRecord['proposal']>): string {
  const name = number === undefined ? 'not opened yet' : `#${number}`;
  // Only what is an address and ends no link.
  const link = url !== undefined && /^https:\/\/[^\s()<>[\]]+$/.test(url) ? `[${name}](${url})` : name;
  return `${link}, ${state}${by === undefined ? '' : ` by ${code(by)}`}, for step ${index}`;
}

const VERSIONS: Readonly<Record<GroupRecord['version'], string>> = {
  release: 'on the version in Git',
  stable: 'on the stable version',
  other: 'on another version',
  absent: 'not there',
};

function groupLines(record: RolloutRecord): readonly string[] {
  const { groups } = servingSide(record);
  if (groups.length === 0) return ['  - none'];
  return groups.map(
    ({ index, ready, version, since }) =>
      `  - group ${index}: ${ready ? 'ready' : 'not ready'}, ${VERSIONS[version]}, since ${printInstant(since)}`,
  );
}
