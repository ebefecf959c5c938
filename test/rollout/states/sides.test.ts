/** Which side serves, at each rung: the table of states.md, cell by cell, and what each answer may say and do. */

import { describe, expect, test } from 'vitest';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { type Found, type Passed, passed, releaseIn, type Stand, settledOn } from '../../support/ladder-pass.ts';
import { after, asked, stands } from '../../support/ladder-stands.ts';
import {
  type Cell,
  cellsOf,
  named,
  ORDERS,
  type Serves,
  TIME,
  tableRows,
  told,
  wantedOf,
} from '../../support/sides-table.ts';
import { SERVICE_FILE } from '../../support/traffic-files.ts';
import { LWS_FILE, NEW, OLD } from '../../support/vllm.ts';

const colours = asked(
  passed(
    settledOn(
      ladderFiles(
        ladderRollout('blueGreen', [
          'replicas: 1, traffic: 5%, pause: {duration: 60}',
          'replicas: 100%, traffic: 50%, pause: {duration: 60}',
        ]),
      ),
    ),
  ).stand,
  OLD,
  NEW,
);

const RUNGS: Readonly<Record<string, Stand>> = {
  'canary pods': stands.pods,
  'canary traffic': stands.traffic,
  'canary primary': stands.primary,
  'canary route-restored': stands.home,
  'blueGreen traffic': after('step 2/2, traffic: 5% → 50%', colours),
  'blueGreen all': after('promote, all: 50% → 100%', colours),
  'blueGreen switch': after('promote, switch: vllm-svc → vllm-green', colours),
  'blueGreen route-restored': after('promote, route-restored', colours),
};

const cells = cellsOf(Object.keys(RUNGS));

/** The documents of one file, of which each side has one, with these fields changed where the side is so. */
function changed(stand: Stand, path: string, [stable, fresh]: readonly boolean[], from: RegExp, to: string): Stand {
  const documents = (stand.texts.get(path) ?? '').split(/^---\n/m);
  const edited = documents.map((text, at) => ([stable, fresh][at] === true ? text.replace(from, to) : text));
  return { ...stand, texts: new Map([...stand.texts, [path, edited.join('---\n')]]) };
}

function groupsOf(count: number, serves: Serves, version: string): string {
  const isUp = (at: number): boolean => serves !== 'nobody' && (serves !== 'partly' || at === 0);
  return Array.from({ length: count }, (_, at) => `${at}:${version}${isUp(at) ? '+' : '-'}`).join(' ');
}

/** One pass over a cell. In the primary all groups are on the release. */
function answered({ rung, stable, fresh, order }: Cell): Passed {
  const [rungStand, both] = [RUNGS[rung] ?? stands.pods, [stable, fresh]];
  const zero = both.map((one) => one === 'at 0');
  const away = both.map((one) => one === 'unselected');
  const scaled = changed(rungStand, LWS_FILE, zero, /replicas: \d+/, 'replicas: 0');
  const stand = changed(scaled, SERVICE_FILE, away, /(leaderworkerset\.sigs\.k8s\.io\/name: )\S+/, '$1nobody');
  const counts = (stand.texts.get(LWS_FILE) ?? '').split(/^---\n/m).map((text) => /replicas: (\d+)/.exec(text)?.[1]);
  const isReleasedForUpdate = rung === 'canary primary' || rung === 'canary route-restored';
  const found: Found = {
    view: {
      own: groupsOf(Number(counts[0]), stable, isReleasedForUpdate ? 'G' : 'O'),
      second: groupsOf(Number(counts[1]), fresh, 'G'),
    },
    ...(order === 'none' ? {} : { intents: { abort: `${releaseIn(rungStand)}${ORDERS[order]}` } }),
  };
  return passed(stand, found);
}

const rows = tableRows('## With a second workload: which side serves');
const answers = cells.map((cell) => ({ cell, found: answered(cell) }));

test('every cell is answered as the table says', () => {
  expect(answers.map(({ cell, found }) => `${named(cell)}: ${told(found)}`)).toEqual(wantedOf(cells, rows));
});

describe('in every cell', () => {
  const isDown = (serves: Serves): boolean => serves === 'nobody' || serves === 'at 0';

  test('no action is advised that fails every request, or that nothing comes of', () => {
    const said = answers.flatMap(({ cell, found }) =>
      found.plan.holds
        .filter(({ message }) => message.includes('jump') || (isDown(cell.stable) && message.includes('--now')))
        .map(({ message }) => `${named(cell)}: ${message}`),
    );
    expect(said).toEqual([]);
  });

  test('a side without groups is not to grow on a template that nobody has approved for all requests', () => {
    const said = answers.flatMap(({ cell, found }) =>
      found.plan.holds
        .filter(
          ({ reason }) => reason === 'ScaledToZero' && cell.stable === 'at 0' && / (pods|traffic)$/.test(cell.rung),
        )
        .map(({ message }) => message),
    );
    expect(said.length).toBeGreaterThan(10);
    for (const message of said) expect(message).toMatch(/First: tranche abort vllm .*raise the replicas of vllm then/);
  });

  test('where nobody asks for groups that are waited for, an action says so', () => {
    const still = answers.filter(({ found }) => found.plan.commit === undefined);
    const waits = ({ cell, found }: (typeof answers)[number]): boolean => {
      const isAwaited = cell.stable === 'at 0' || (cell.rung === 'blueGreen switch' && cell.fresh === 'at 0');
      return isAwaited && found.plan.holds.some(({ reason }) => !TIME.includes(reason));
    };
    const said = still.filter(waits);
    expect(said.length).toBeGreaterThan(20);
    const without = said.filter(({ found }) => !found.plan.holds.some((hold) => 'action' in hold));
    expect(without.map(({ cell }) => named(cell))).toEqual([]);
  });

  test('what waits for more than time names what helps', () => {
    const still = answers.filter(({ found }) => found.plan.commit === undefined);
    const blocked = still.filter(({ found }) => found.plan.holds.some(({ reason }) => !TIME.includes(reason)));
    expect(blocked.length).toBeGreaterThan(90);
    const without = blocked.filter(({ found }) => !found.plan.holds.some((hold) => 'action' in hold));
    expect(without.map((one) => `${named(one.cell)}: ${told(one.found)}`)).toEqual([]);
  });

  test('an abort is a commit, and says what waits and what helps where requests wait', () => {
    const ordered = answers.filter(({ cell }) => cell.order !== 'none');
    expect(ordered.filter(({ found }) => found.plan.commit === undefined)).toEqual([]);
    const waiting = ordered.filter(({ found }) => found.plan.commit?.label === 'rollback, template');
    expect(waiting.length).toBeGreaterThan(20);
    for (const { found, cell } of waiting) {
      const text = found.stand.texts.get(LWS_FILE)?.split(/^---\n/m)[0] ?? '';
      expect(text, named(cell)).toContain(OLD);
      const words = found.plan.holds.map(({ message }) => message).join(' ');
      expect(words, named(cell)).toMatch(/The release is aborted, and the stable template is back|abort vllm --now/);
    }
  });
});
