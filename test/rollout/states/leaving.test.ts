/** A strategy changed at rest, or its Rollout gone: what the one before has left does no harm, and the other starts as ever. */

import { expect, test } from 'vitest';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { passed, passes, type Stand, settledOn } from '../../support/ladder-pass.ts';
import { asked, edited, NEWER } from '../../support/ladder-stands.ts';
import { INGRESS_FILE, INGRESS_FILES, INGRESS_TEXT, ROUTE_FILE, SERVICE_FILE } from '../../support/traffic-files.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE } from '../../support/vllm.ts';

const PAUSE = 'pause: {duration: 60}';
const rollouts = {
  partition: ladderRollout('partition', [`replicas: 1, traffic: 5%, ${PAUSE}`, 'replicas: 100%']),
  canary: ladderRollout('canary', [`replicas: 1, traffic: 5%, ${PAUSE}`]),
  blueGreen: ladderRollout('blueGreen', [`replicas: 100%, traffic: 50%, ${PAUSE}`]),
};
type Style = keyof typeof rollouts;

const by = (stand: Stand, style: Style): Stand => ({
  ...stand,
  texts: new Map([...stand.texts, [ROLLOUT_FILE, rollouts[style]]]),
});

/** Delivered to the end, and at rest. */
function delivered(stand: Stand, from: string, to: string): Stand {
  const { texts } = passes(asked(stand, from, to)).stand;
  return { ...stand, texts, stable: settledOn(texts).stable, primary: settledOn(texts).primary };
}

const begun = (style: Style): Stand => passed(settledOn(ladderFiles(rollouts[style]))).stand;
const BETWEEN = NEW.replace(/[0-9]+$/, '50');
const rests = {
  partition: delivered(begun('partition'), OLD, NEW),
  canary: delivered(begun('canary'), OLD, NEW),
  // Twice: the first colour serves again.
  blueGreen: delivered(delivered(begun('blueGreen'), OLD, BETWEEN), BETWEEN, NEW),
};

/** Every rung up to rest. */
const UP: Readonly<Record<Style, readonly string[]>> = {
  partition: [
    'StepReady: step 1/2, template',
    'RungReady: step 1/2, pods, partition 1000000 → 3',
    'RungReady: step 1/2, traffic: – → 5%',
    'StepReady: step 2/2, route-restored',
    'RungReady: step 2/2, pods, partition 3 → 0',
    'Locked: step 2/2, locked, partition 0 → 1000000',
    'Settled: settled',
  ],
  canary: [
    'StepReady: step 1/1, template: vllm-canary',
    'RungReady: step 1/1, pods: canary 0 → 1',
    'RungReady: step 1/1, traffic: – → 5%',
    'Promoted: promote, primary',
    'RouteRestored: promote, route-restored',
    'Settled: settled',
  ],
  blueGreen: [
    'StepReady: step 1/1, template: vllm-green',
    'RungReady: step 1/1, pods: vllm-green 0 → 4',
    'RungReady: step 1/1, traffic: – → 50%',
    'Promoted: promote, all: 50% → 100%',
    'RungReady: promote, switch: vllm-svc → vllm-green',
    'RouteRestored: promote, route-restored',
    'Settled: settled',
  ],
};

const commits = (told: readonly string[]): readonly string[] => told.filter((one) => !one.startsWith('hold'));

test.each<readonly [what: string, before: Style, after: Style]>([
  ['from partition to canary', 'partition', 'canary'],
  ['from partition to blueGreen', 'partition', 'blueGreen'],
  ['from canary to partition', 'canary', 'partition'],
  ['from canary to blueGreen', 'canary', 'blueGreen'],
  ['from blueGreen to partition', 'blueGreen', 'partition'],
  ['from blueGreen to canary', 'blueGreen', 'canary'],
])('at rest %s', (_, before, after) => {
  const changed = by(rests[before], after);
  expect(passes(changed).told).toEqual(['hold ']);
  expect(commits(passes(asked(changed, NEW, NEWER)).told)).toEqual(UP[after]);
});

/** The selector of our Service while the new version has a share. */
function selectorAtShare(start: Stand): string {
  let stand = start;
  for (let count = 0; count < 20; count += 1) {
    const now = passed(stand);
    stand = now.stand;
    if (!now.told.includes('traffic: –')) continue;
    const [, ours = ''] = (stand.texts.get(SERVICE_FILE) ?? '').split('name: vllm-svc-canary');
    return /selector:\n([\s\S]*?)\n {2}ports/.exec(ours)?.[1] ?? '';
  }
  throw new Error('no share');
}

const LABEL = / *tranche.dev\/version: "?[0-9a-f]{32}\.[0-9]+"?/;

test('our Service selects what the strategy in force wants, whatever made it', () => {
  for (const [before, stand] of Object.entries(rests)) {
    const one = selectorAtShare(asked(by(stand, 'partition'), NEW, NEWER));
    expect(one, before).toMatch(/name: "?vllm"?\n/);
    expect(one, before).toMatch(LABEL);
    const two = selectorAtShare(asked(by(stand, 'canary'), NEW, NEWER));
    expect(two, before).toContain('name: "vllm-canary"');
    expect(two, before).not.toMatch(LABEL);
  }
});

test('a canary whose Service selects another label than its groups have is not given a share', () => {
  let stand = asked(rests.canary, NEW, NEWER);
  for (let told = ''; !told.includes('pods: canary'); ) ({ stand, told } = passed(stand));
  const broken = edited(stand, SERVICE_FILE, '"vllm-canary"', '"vllm-canary-of-old"');
  expect(passed(broken).told).toMatch(/^hold .*(NotServing|CanaryEdited)/);
  expect(broken.texts.get(ROUTE_FILE)).not.toContain('vllm-svc-canary');
});

test('while green serves nothing else starts, and what it takes is said', () => {
  const green = delivered(begun('blueGreen'), OLD, NEW);
  for (const style of ['partition', 'canary'] as const) {
    const { plan, told, stand } = passed(asked(by(green, style), NEW, NEWER));
    expect(told).toBe('hold GreenServes');
    expect(plan.holds[0]?.message).toContain('Deliver once more by blueGreen');
    expect(commits(passes(by(stand, 'blueGreen')).told).at(-1)).toBe('Settled: settled');
  }
});

test('the documents of another strategy stay byte for byte', () => {
  const told = (stand: Stand): string | undefined => stand.texts.get(LWS_FILE)?.split('---\n').at(1);
  const { stand } = passes(asked(by(rests.canary, 'partition'), NEW, NEWER));
  expect(told(stand)).toBe(told(rests.canary));
});

const service = ladderFiles(rollouts.canary).get(SERVICE_FILE) ?? '';
const PORT = '          port: 80\n';
const WEIGHTED = `${PORT}          weight: 90\n        - name: vllm-svc-canary\n${PORT}          weight: 10\n`;
const byIngress = new Map([
  ...Object.entries(INGRESS_FILES),
  [LWS_FILE, ladderFiles(rollouts.canary).get(LWS_FILE) ?? ''],
]);
const NGINX = 'nginx.ingress.kubernetes.io/';

/** What people have written before they asked for anything: another Service of our name, another Ingress. */
const theirs = [
  ...(['partition', 'canary', 'blueGreen'] as const).map((style) => {
    const other = service.replace('name: vllm-svc', 'name: vllm-svc-canary').replaceAll(/: vllm$/gm, ': other');
    const files = ladderFiles(rollouts[style], [[PORT, WEIGHTED]]);
    return [style, new Map([...files, [SERVICE_FILE, `${service}---\n${other}`]]), ROUTE_FILE] as const;
  }),
  [
    'Ingress',
    new Map([
      ...byIngress,
      [
        INGRESS_FILE,
        `${INGRESS_TEXT}---\n${INGRESS_TEXT.replace('name: chat', 'name: chat-canary').replace(`${NGINX}proxy-body-size: 8m`, `${NGINX}canary: "true"\n    ${NGINX}canary-weight: "10"`)}`,
      ],
    ]),
    INGRESS_FILE,
  ] as const,
];

test('at rest, a share of others under our names stays', () => {
  for (const [what, files, path] of theirs) {
    const { told, stand } = passes(settledOn(files));
    expect(told, what).toEqual(['Adopted: adopt', 'hold ']);
    expect(stand.texts.get(path), what).toBe(files.get(path));
  }
});
