/** Which version serves where both are groups of one workload: the table of states.md, cell by cell, and what each answer may say. */

import { expect, test } from 'vitest';
import { SENTINEL } from '../../../src/api/workload.ts';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { type Found, type Passed, passed, releaseIn, type Stand, settledOn } from '../../support/ladder-pass.ts';
import { after, asked } from '../../support/ladder-stands.ts';
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

const FILES = ladderFiles(
  ladderRollout('partition', [
    'replicas: 1, traffic: 5%, pause: {duration: 60}',
    'replicas: 50%, traffic: 20%, pause: {duration: 60}',
    'replicas: 100%',
  ]),
);
const requested = asked(passed(settledOn(FILES)).stand, OLD, NEW);
const RUNGS: Readonly<Record<string, Stand>> = {
  pods: after(`step 1/3, pods, partition ${SENTINEL} → 3`, requested),
  traffic: after('step 2/3, traffic: 5% → 20%', requested),
  'route-restored': after('step 3/3, route-restored', requested),
};
const GROUPS = 4;

/** In the file, the document of one side's Service, with the name that it selects mistyped. */
function mistyped(stand: Stand, sides: readonly Serves[]): Stand {
  const documents = (stand.texts.get(SERVICE_FILE) ?? '').split(/^---\n/m);
  const edited = documents.map((text, at) =>
    sides[at] === 'unselected' ? text.replace(/(leaderworkerset\.sigs\.k8s\.io\/name: )\S+/, '$1nobody') : text,
  );
  return { ...stand, texts: new Map([...stand.texts, [SERVICE_FILE, edited.join('---\n')]]) };
}

/** A hand lets all groups go, or none; or the workload has none. */
function emptied(stand: Stand, [stable, fresh]: readonly Serves[]): Stand {
  if (stable === 'at 0' && fresh === 'at 0') return asked(stand, /replicas: \d+/, 'replicas: 0');
  if (stable === 'at 0') return asked(stand, /partition: \d+/, 'partition: 0');
  return fresh === 'at 0' ? asked(stand, /partition: \d+/, `partition: ${GROUPS}`) : stand;
}

/** One pass over a cell: the groups below the partition are on the stable version. */
function answered({ rung, stable, fresh, order }: Cell): Passed {
  const at = RUNGS[rung] ?? requested;
  const stand = emptied(mistyped(at, [stable, fresh]), [stable, fresh]);
  const text = stand.texts.get(LWS_FILE) ?? '';
  const [count, partition] = [/replicas: (\d+)/, /partition: (\d+)/].map((one) => Number(one.exec(text)?.[1]));
  const groups = Array.from({ length: count ?? 0 }, (_, index) => {
    const isOld = index < (partition ?? 0);
    const [serves, first] = isOld ? [stable, 0] : [fresh, partition];
    const isUp = serves !== 'nobody' && (serves !== 'partly' || index === first);
    return `${index}:${isOld ? 'O' : 'G'}${isUp ? '+' : '-'}`;
  });
  const found: Found = {
    view: { own: groups.join(' ') },
    ...(order === 'none' ? {} : { intents: { abort: `${releaseIn(at)}${ORDERS[order]}` } }),
  };
  return passed(stand, found);
}

const cells = cellsOf(Object.keys(RUNGS));
const answers = cells.map((cell) => ({ cell, found: answered(cell) }));

test('every cell is answered as the table says', () => {
  const rows = tableRows('## One workload: which version serves');
  expect(answers.map(({ cell, found }) => `${named(cell)}: ${told(found)}`)).toEqual(wantedOf(cells, rows));
});

test('what waits for more than time, and no commit of ours, names what helps', () => {
  const still = answers.filter(({ found }) => found.plan.commit === undefined);
  const blocked = still.filter(({ found }) => found.plan.holds.some(({ reason }) => !TIME.includes(reason)));
  expect(blocked.length).toBeGreaterThan(50);
  const without = blocked.filter(({ found }) => !found.plan.holds.some((hold) => 'action' in hold));
  expect(without.map((one) => `${named(one.cell)}: ${told(one.found)}`)).toEqual([]);
});

test('an abort goes back, or says that it is taken and what it waits for', () => {
  const waiting = answers.filter(({ cell, found }) => cell.order !== 'none' && found.plan.commit === undefined);
  expect(waiting.length).toBeGreaterThan(20);
  for (const { cell, found } of waiting) {
    const [first] = found.plan.holds.map(({ message }) => message);
    expect(first, named(cell)).toContain(
      'The abort is taken: requests and groups go back once the stable version serves',
    );
    expect(first, named(cell)).toContain(
      'though every request fails until it serves: tranche abort vllm --now --accept-outage',
    );
    if (cell.stable === 'unselected') expect(first, named(cell)).toContain('Service vllm-svc takes none of them in');
  }
});

test('no request is sent away from the version that alone serves, unless someone says that all may fail', () => {
  const [serves, lost] = [
    ['serves', 'partly'],
    ['nobody', 'unselected', 'at 0'],
  ];
  const sent = answers.filter(
    ({ cell, found }) =>
      /^(traffic|route-restored)$/.test(cell.rung) &&
      serves.includes(cell.fresh) &&
      lost.includes(cell.stable) &&
      found.plan.commit !== undefined,
  );
  expect(sent.map(({ cell }) => named(cell))).toEqual([]);
});
