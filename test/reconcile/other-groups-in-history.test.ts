/** A document of another API group is no workload, Rollout or Service of ours in any commit, whatever its kind, name and annotations say. */

import { expect, test } from 'vitest';
import { commonFiles } from '../scenarios/check-stories.ts';
import { EVIL, Forgery } from '../support/forgery.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';

const ABORT = { kind: 'abort', keepNewer: false } as const;
const WAYS: Readonly<Record<string, (at: Forgery) => Promise<string>>> = {
  abort: (at) => at.order(ABORT),
  'eject --abort': (at) => at.eject({ abort: true }),
};

/** What tranche would have made of the workload, had it had this image from the beginning. */
async function settledOn(image: string): Promise<string> {
  const at = new Forgery({ ...VLLM_FILES, [LWS_FILE]: VLLM_FILES[LWS_FILE].replaceAll(OLD, image) });
  await at.until('adopt');
  return at.text();
}
const evil = await settledOn(EVIL);
const as = (version: string, text: string): string => text.replace(/^apiVersion: .*/m, `apiVersion: ${version}`);
const asked = (at: Forgery): void => void at.write(LWS_FILE, at.text().replaceAll(OLD, NEW));
const ownOf = (at: Forgery): string =>
  at
    .text()
    .split('---\n')
    .find((one) => one.includes('leaderworkerset.x-k8s.io/v1\n')) ?? '';

const OUT = 'at rest, and out with the request';
// One of our own group next to it is taken for the workload while it is there.
const PLACED = [
  ['example.com/v1', 'before adoption'],
  ['example.com/v1', 'at rest'],
  ['example.com/v1', OUT],
  ['leaderworkerset.x-k8s.io/v2', OUT],
] as const;
const CASES = PLACED.flatMap(([version, when]) => Object.keys(WAYS).map((way) => [version, when, way] as const));

test.each(CASES)(
  'a LeaderWorkerSet of %s in front of it %s: %s puts back what main had',
  async (version, when, way) => {
    const at = new Forgery();
    const put = (): void => void at.write(LWS_FILE, `${as(version, evil)}---\n${at.text()}`);
    if (when === 'before adoption') put();
    await at.until('adopt');
    await at.round();
    if (when !== 'before adoption') put();
    await at.round();
    if (when === OUT) at.write(LWS_FILE, ownOf(at));
    asked(at);
    await at.until('step 1/');
    expect(ownOf(at)).toContain(NEW);
    expect(await WAYS[way]?.(at)).toMatch(/^abort|stable template back/);
    for (let round = 0; round < 4; round += 1) await at.round();
    expect(ownOf(at)).toContain(OLD);
    expect(ownOf(at)).not.toContain(EVIL);
    expect(at.world.groups()).toMatch(/^(\d:v0\.10\.0\+ ?){4}$/);
  },
);

const SERVED = ['vllm-without-requests', 'vllm-service', 'vllm-routed', 'partition-routed-steps'];
const ROUTED: Readonly<Record<string, string>> = Object.assign({}, ...SERVED.map(commonFiles));
const BEFORE = ['apps/vllm/service.yaml', 'apps/vllm/route.yaml', LWS_FILE];

test.each(BEFORE)(
  'in front of the document in %s, in the middle of a share: the rollback goes to its end',
  async (path) => {
    const at = new Forgery(ROUTED);
    for (let round = 0; round < 3; round += 1) await at.round();
    at.write(LWS_FILE, at.text().replaceAll('v0.10.0', 'v0.10.1'));
    for (let round = 0; round < 30 && !at.text().includes('tranche.dev/rung: "traffic"'); round += 1) await at.round();
    const [first = ''] = at.text(path).split('\n---\n');
    const twin = `${as('serving.knative.dev/v1', first.trimEnd())}\n---\n`;
    at.write(path, twin + at.text(path));
    expect(await at.order(ABORT)).toMatch(/^abort/);
    await at.until('rolled back', 30);
    const { outcomes } = await at.round();
    expect(outcomes[0]?.plan?.issues).toEqual([]);
    expect(at.text(path).startsWith(twin)).toBe(true);
    expect(at.text().slice(path === LWS_FILE ? twin.length : 0)).not.toContain('v0.10.1');
  },
);
