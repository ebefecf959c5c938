/** Each strategy by each kind of route, climbed on texts: every commit, the rollback from each rung, and the laws of both. */

import { expect, test } from 'vitest';
import { MARK, printStep } from '../../../src/api/marks.ts';
import { parseRestore } from '../../../src/api/restore.ts';
import { isOneWorkload } from '../../../src/api/styles.ts';
import { newKnownTexts } from '../../../src/manifests/known-texts.ts';
import { type Climb, type Climbed, climb, climbBack } from '../../../src/reconcile/ladder/climb.ts';
import type { DeliveryParts, Texts } from '../../../src/reconcile/ladder/delivery-parts.ts';
import {
  annotationsOf,
  canarySide,
  type Delivery,
  partitionIn,
  primaryGroups,
  replicasOf,
  stableSide,
} from '../../../src/rollout/ladders/delivery.ts';
import { isSwitched } from '../../../src/rollout/ladders/promotion.ts';
import { isRestored, percentIn, shareIn } from '../../../src/rollout/ladders/shares.ts';
import { partsIn } from '../../support/ladder.ts';
import { atRest, FAMILIES, familyFiles, poolFiles } from '../../support/route-families.ts';
import { SERVICE_FILE } from '../../support/traffic-files.ts';
import { LWS_FILE, NEW, OLD } from '../../support/vllm.ts';

const GOLDEN = new URL('../../../fixtures/matrix/', import.meta.url);
const STEPS = ['replicas: 1, traffic: 5%', 'replicas: 2', 'replicas: 100%, traffic: 50%'];
/** Of one workload at most half of it shares requests with the rest. */
const stepsOf = (style: Style): readonly string[] =>
  style === 'partition'
    ? ['replicas: 1, traffic: 5%', 'replicas: 1', 'replicas: 2, traffic: 50%', 'replicas: 100%']
    : STEPS;
const STYLES = ['canary', 'blueGreen', 'partition'] as const;
type Style = (typeof STYLES)[number];

/** Two subsets of one Service are two workloads, and two pools are: of those a strategy with one has none. */
const LEFT_OUT: Readonly<Record<string, readonly Style[]>> = {
  'VirtualService by subsets of a DestinationRule': ['blueGreen', 'partition'],
  'two InferencePools': ['partition'],
  'no route, the Service alone': ['canary', 'partition'],
};

/** Once each: how a kind writes its share is reported by its own fixtures. */
const KINDS = Object.entries(FAMILIES).filter(([name]) => !/named rules|both numbers|with a patch|JSON/.test(name));

const files: Readonly<Record<string, (style: Style) => Texts>> = {
  ...Object.fromEntries(
    KINDS.map(([name, family]) => [name, (style: Style) => familyFiles(style, stepsOf(style), ...family)]),
  ),
  'two InferencePools': (style) => poolFiles(style, stepsOf(style)),
  'no route, the Service alone': (style) => familyFiles(style, stepsOf(style), ''),
};

const rows = Object.keys(files).flatMap((kind) =>
  STYLES.filter((style) => LEFT_OUT[kind]?.includes(style) !== true).map((style) => [style, kind] as const),
);

/** Groups of both sides: those of one workload are told by its partition. */
function groupsIn(delivery: Delivery): { readonly stable: number; readonly canary: number } {
  if (!isOneWorkload(delivery.plan.style))
    return { stable: replicasOf(stableSide(delivery)), canary: replicasOf(canarySide(delivery)) };
  const partition = Math.min(partitionIn(delivery.own) ?? 0, primaryGroups(delivery));
  const { [MARK.step]: step, [MARK.at]: rung, [MARK.restore]: restore = '' } = annotationsOf(delivery.own);
  // A batch at a time: what is left of the release is between the lowest partition of the delivery and the one of now.
  const isBack = step === 'rollback' && rung === 'back';
  const canary = isBack ? partition - (parseRestore(restore)?.floor ?? 0) : primaryGroups(delivery) - partition;
  return { stable: primaryGroups(delivery) - canary, canary };
}

/** What no commit may leave behind, according to Git. */
function harm({ commit, before, after }: Climbed): readonly string[] {
  const { stable, canary } = groupsIn(after);
  const percent = percentIn(after);
  const waits = new Set(commit.waits.map((wait) => ('side' in wait ? `${wait.kind} ${wait.side}` : wait.kind)));
  const was = groupsIn(before);
  const side =
    isSwitched(after) || (before !== after && commit.stage.kind === 'promote' && !isOneWorkload(after.plan.style))
      ? 'any'
      : 'canary';
  const isEmptied =
    !isOneWorkload(after.plan.style) && ((was.canary > 0 && canary === 0) || (was.stable > 0 && stable === 0));
  const isDrained =
    after.routes.length === 0 || waits.has('drained canary') || (side === 'any' && waits.has('drained stable'));
  return [
    ...(isRestored(after) || canary > 0 ? [] : ['a share without groups']),
    ...(percent === 100 || stable > 0 || isSwitched(after) || isRestored(after) ? [] : ['the rest without groups']),
    ...(isEmptied && !isDrained ? ['groups taken away before they are drained'] : []),
    ...(percent > 0 && isRestored(before) && !waits.has('serving canary') && !waits.has('newVersion canary')
      ? ['a share unseen']
      : []),
  ];
}

/** `1/3 pods  4+1  –  vllm-canary`: groups of both sides, the share, and what the commit touches. */
function lineOf({ commit, after }: Climbed): string {
  const { stable, canary } = groupsIn(after);
  const touched = commit.objects.map(({ object }) => `${object.kind} ${object.name}`).join(', ');
  const partition = partitionIn(after.own) === 0 ? ' unlocked' : '';
  return (
    `${printStep(commit.stage)} ${commit.at}`.padEnd(24) +
    `${stable}+${canary}${partition}`.padEnd(13) +
    shareIn(after).padEnd(6) +
    touched
  );
}

function lines({ commits, obstacle }: Climb): readonly string[] {
  expect(obstacle).toBeUndefined();
  expect(commits.at(-1)?.commit.at).toBe('settled');
  for (const one of commits) expect(harm(one), lineOf(one)).toEqual([]);
  return commits.map(lineOf);
}

/** Marks, our documents, the label that stays, and in blueGreen the Service's name are decided by us: nothing else is. */
function rest(texts: Texts): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...texts].map(([path, text]) => [
      path,
      text
        .split(/^---\n/m)
        .filter((document) => !/tranche\.dev\/made-for: |^ {2}name: \S+-canary\n/m.test(document))
        .join('---\n')
        .replace(/(?<=worker\S+\/name: )"(\w+)"/, '$1')
        .replace(/^ {4}tranche\.dev\/[\w-]+: .*\n/gm, '')
        .replace(/^ {2}annotations:\n(?! {4})/m, ''),
    ]),
  );
}

/** The first commit of each rung: the rollbacks differ by the rung that they start from. */
function rungs(commits: readonly Climbed[]): readonly Climbed[] {
  const kinds = new Map<string, Climbed>();
  for (const one of commits) {
    const kind = `${one.commit.stage.kind} ${one.commit.at} ${isRestored(one.after)} ${partitionIn(one.after.own)}`;
    if (one.commit.at !== 'settled' && !kinds.has(kind)) kinds.set(kind, one);
  }
  return [...kinds.values()];
}

test.each(rows)('%s by %s', async (style, kind) => {
  const before = files[kind]!(style);
  // What a release needed once stays.
  const made = new Map([...before, ...Object.entries(atRest(FAMILIES[kind]?.slice(1) ?? [], true))]);
  const stableText = before.get(LWS_FILE) ?? '';
  const texts = new Map([...before, [LWS_FILE, stableText.replaceAll(OLD, NEW)]]);
  const parts: DeliveryParts = { ...partsIn(texts), stableText };
  const known = newKnownTexts();
  const up = climb(texts, parts, known);
  const told = [...lines(up), ''];
  const ways = new Map<string, string[]>();
  for (const from of rungs(up.commits)) {
    const back = climbBack(from, parts, known);
    const way = lines(back).join('\n  ');
    ways.set(way, [...(ways.get(way) ?? []), `${printStep(from.commit.stage)} ${from.commit.at}`]);
    expect(rest(back.commits.at(-1)!.texts)).toEqual(rest(made));
  }
  const isKept = (path: string): boolean =>
    path !== LWS_FILE && (style !== 'blueGreen' || !(path === SERVICE_FILE || kind === 'two InferencePools'));
  const untouched = (all: Texts) => Object.entries(rest(all)).filter(([path]) => isKept(path));
  expect(untouched(up.commits.at(-1)!.texts)).toEqual(untouched(made));
  for (const [way, starts] of ways) told.push(`back from ${starts.join(', ')}`, `  ${way}`);
  const file = new URL(`${style}-${kind.replaceAll(/[^\w]+/g, '-')}.txt`, GOLDEN);
  await expect(`${told.join('\n')}\n`).toMatchFileSnapshot(file.pathname);
});
