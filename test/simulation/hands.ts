/** What hands do in a story of a delivery that fills a second workload: to its files, and to the groups of its primary. */

import { backHands } from './back-in-time.ts';
import { rolloutFile, splitOwn, withNumber } from './files.ts';
import type { Person } from './people.ts';
import { routeFile, secondName, serviceFile } from './routed-files.ts';
import { killAll, putBack } from './what-if-filled.ts';

type Move = (person: Person) => void;

/** By what a story calls it. */
export const hands = {
  ...backHands,
  paused: (person) => person.say({ paused: true }, 'pause'),
  'the primary dies': ({ universe, workload }) => killAll(universe, workload.name),
  'the route is taken out': takenOut(routeFile),
  'the Service is taken out': takenOut(serviceFile),
  'the Rollout is taken out': takenOut(rolloutFile),
  'the files are back': (person) => {
    putBack(person.universe, person.workload);
    person.say({}, 'the Rollout is back');
  },
  'its groups by hand': (person) => {
    const { universe, workload, text } = person;
    const [own, others] = splitOwn(text);
    universe.emptied.add(secondName(workload) ?? '');
    person.write(`${own}${withNumber(others, 'replicas', 0)}`, 'no groups of the second workload, by hand');
  },
  'its partition by hand': (person) => {
    const [own, others] = splitOwn(person.text);
    person.write(`${own}${withNumber(others, 'partition', 0)}`, 'the second workload released for update, by hand');
  },
  'more of its groups by hand': (person) => {
    const [own, others] = splitOwn(person.text);
    person.write(`${own}${withNumber(others, 'replicas', 5)}`, 'more groups of the second workload, by hand');
  },
  'its second workload is taken out': (person) => {
    const [own] = splitOwn(person.text);
    person.write(own, 'the second workload is deleted, by hand');
  },
  'its Service by hand': ({ universe, workload }) => {
    const path = serviceFile(workload.name);
    const text = universe.text('main', path) ?? '';
    const version = /tranche\.dev\/version: (.*)\n/.exec(text)?.[1] ?? 'nobody';
    const pin = /leaderworkerset\.sigs\.k8s\.io\/template-revision-hash: .*\n/;
    universe.commit(
      path,
      text.replace(pin, `tranche.dev/version: ${version}\n`),
      'its Service selects the new version, by hand',
    );
  },
  'its share by hand': ({ universe, workload }) => {
    const path = routeFile(workload.name);
    const text = universe.text('main', path) ?? '';
    universe.commit(path, text.replace(/weight: 50$/gm, 'weight: 25'), 'other weights, by hand');
  },
  'its strategy by hand': ({ universe, workload }) => {
    const path = rolloutFile(workload.name);
    const text = universe.text('main', path) ?? '';
    const other = text.includes('    blueGreen:\n')
      ? text.replace('    blueGreen:\n', '    canary:\n      enableExtraWorkloadForCanary: true\n')
      : text.replace(/ {4}canary:\n.*\n/, '    blueGreen:\n');
    universe.commit(path, other, 'another strategy');
  },
} as const satisfies Readonly<Record<string, Move>>;

export type Hand = keyof typeof hands;

function takenOut(path: (name: string) => string): Move {
  return ({ universe, workload }) => universe.commit(path(workload.name), undefined, `delete ${path(workload.name)}`);
}
