/** A rejection that the record has lost, and what others have opened and closed of the same branch since. */

import { expect, test } from 'vitest';
import type { Actor } from '../../src/ports/forge.ts';
import { factsDigest } from '../../src/reconcile/documents/digests.ts';
import { order as giveOrder } from '../../src/reconcile/order.ts';
import { NO_OVERRIDES } from '../../src/reconcile/pass.ts';
import { planIntent } from '../../src/rollout/orders/intent.ts';
import { FakeForge } from '../support/fake-forge.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const ADA = { login: 'ada', isBot: false };
/** Who may push below `tranche/`, and so open pull requests of these branches. */
const OTHERS: Readonly<Record<string, Actor>> = {
  someone: { login: 'mallory', isBot: false },
  'an App': { login: 'other[bot]', isBot: true },
};
/** After which the same step may be proposed again. */
const LONG = 660;

class Place {
  readonly world = new World({ files: VLLM_FILES });
  readonly forge = new FakeForge(this.world.repository, () => this.world.now);

  /** A pass after this long; what it waits for. */
  async later(seconds = 30): Promise<readonly string[]> {
    this.world.sync();
    this.world.tick(seconds);
    const { outcomes } = await this.world.pass({ forge: this.forge.port() });
    return outcomes.flatMap(({ plan }) => plan?.holds.map(({ reason }) => reason) ?? []);
  }

  /** Its first step is proposed, and turned down; what its branch is called. Then the record is lost. */
  async turnedDown(): Promise<string> {
    const { world, forge } = this;
    await this.later(60);
    world.sync();
    world.repository.commit('main', { writes: [{ path: 'tranche.yaml', text: 'promotion: pullRequest\n' }] });
    world.edit(LWS_FILE, OLD, NEW);
    expect(await this.later()).toEqual(['ProposalOpen']);
    const [first] = forge.open;
    if (first === undefined) throw new Error('none is open');
    forge.close(first, ADA);
    this.lose();
    return first.branch;
  }

  lose(): void {
    this.world.repository.setHead('tranche-status', undefined);
  }

  /** Another pull request of that branch, opened and closed by the same. */
  async again(branch: string, by: Actor): Promise<void> {
    const { forge } = this;
    const head = this.world.repository.head(branch) ?? '';
    await forge.port().create({ branch, head, base: 'main', title: 'x', body: '' });
    const made = forge.open.find((pull) => pull.branch === branch);
    if (made === undefined) throw new Error('it is not open');
    Object.assign(made, { author: by });
    forge.close(made, by);
  }
}

test.each(Object.entries(OTHERS))('opened and closed again by %s: the rejection counts', async (_, by) => {
  const place = new Place();
  const branch = await place.turnedDown();
  await place.again(branch, by);
  expect(await place.later()).toEqual(['ProposalVetoed']);
  expect(await place.later(LONG)).toEqual(['ProposalVetoed']);
  expect(place.forge.open).toEqual([]);
});

test.each(Object.entries(OTHERS))(
  'opened and closed again by %s while another plan was proposed: the rejection counts once the plan is that again',
  async (_, by) => {
    const place = new Place();
    const branch = await place.turnedDown();
    const { world, forge } = place;
    world.edit(ROLLOUT_FILE, '25%', '50%');
    expect(await place.later()).toEqual(['ProposalOpen']);
    await place.again(branch, by);
    world.edit(ROLLOUT_FILE, '50%\n          pause: {duration: 0}', '25%\n          pause: {duration: 0}');
    await place.later();
    expect(await place.later(LONG)).toEqual(['ProposalVetoed']);
    expect(forge.open).toEqual([]);
  },
);

test('proposed again by an order, and closed by tranche itself since: what was taken back stays so', async () => {
  const place = new Place();
  await place.turnedDown();
  const { world, forge } = place;
  expect(await place.later()).toEqual(['ProposalVetoed']);
  const at = { target: { name: 'vllm', namespace: 'llm' }, overrides: NO_OVERRIDES, by: 'ada' };
  await giveOrder(world.ports({ forge: forge.port() }), at, ({ snapshot }) =>
    planIntent({ kind: 'propose' }, { snapshot, digestOf: factsDigest }),
  );
  expect(await place.later()).toEqual(['ProposalOpen']);
  world.edit(ROLLOUT_FILE, '25%', '50%');
  await place.later();
  expect(forge.open).toEqual([]);
  place.lose();
  world.edit(ROLLOUT_FILE, '50%\n          pause: {duration: 0}', '25%\n          pause: {duration: 0}');
  await place.later();
  expect(await place.later(LONG)).toEqual(['ProposalOpen']);
});

test('where a branch has more pull requests than are read, its step is not proposed; another plan is, and an approval counts', async () => {
  const place = new Place();
  await place.turnedDown();
  const { world, forge } = place;
  forge.isCrowded = () => true;
  expect(await place.later()).toEqual(['ForgeRefused']);
  expect(await place.later(LONG)).toEqual(['ForgeRefused']);
  expect(forge.open).toEqual([]);
  const { outcomes } = await world.pass({ forge: forge.port() });
  const said = outcomes[0]?.plan?.holds[0]?.message;
  expect(said).toMatch(/it has too many\. Change the steps\. Until then: tranche approve /);
  const approved = world.fork();
  const crowd = new FakeForge(approved.repository, () => approved.now, forge);
  crowd.isCrowded = () => true;
  const at = { target: { name: 'vllm', namespace: 'llm' }, overrides: NO_OVERRIDES, by: 'ada' };
  await giveOrder(approved.ports({ forge: crowd.port() }), at, ({ snapshot }) =>
    planIntent({ kind: 'approve', step: undefined }, { snapshot, digestOf: factsDigest }),
  );
  approved.sync();
  approved.tick(30);
  await approved.pass({ forge: crowd.port() });
  expect(approved.subject()).toContain('step 1/');
  world.edit(ROLLOUT_FILE, '25%', '50%');
  forge.isCrowded = () => false;
  expect(await place.later()).toEqual(['ProposalOpen']);
});
