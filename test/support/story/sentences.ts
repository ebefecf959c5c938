/** The sentences that stories are made of, and what each does. */

import { MARK } from '../../../src/api/marks.ts';
import { isDeletion } from '../../../src/ports/git.ts';
import { claims } from './claims.ts';
import { clusterHands } from './cluster-hands.ts';
import { gitHands } from './git-hands.ts';
import { metricsHands } from './metrics-hands.ts';
import { type Look, STATUS } from './rehearse.ts';
import { committed, type Sentence, secondsOf, setField, text, WHO } from './sentence.ts';
import { NAMESPACE, nameOf } from './stage.ts';
import { looked, ordered, stopped, typed } from './verbs.ts';

const git: readonly Sentence[] = [
  {
    pattern: new RegExp(`^${WHO} writes (\\S+): "(.+)"\\.$`),
    act: (player, [who = '', path = '', content]) =>
      committed(player, player.stage.commit(who, [{ path, text: text(content) }], `add ${path}`)),
  },
  {
    // Of a folder of `common`: what is there under the same path becomes that.
    pattern: new RegExp(`^${WHO} puts (\\S+) in Git\\.$`),
    act: (player, [who = '', part = '']) => {
      const writes = Object.entries(player.shared(part)).map(([path, content]) => ({ path, text: content }));
      if (writes.length === 0) throw new Error(`common has no ${part}`);
      return committed(player, player.stage.commit(who, writes, `put ${part}`));
    },
  },
  {
    pattern: new RegExp(`^${WHO} deletes (\\S+)\\.$`),
    act: (player, [who = '', path = '']) =>
      committed(player, player.stage.commit(who, [{ path, text: undefined }], `delete ${path}`)),
  },
  {
    pattern: new RegExp(`^${WHO} (disables|enables) (\\S+)\\.$`),
    act: (player, [who = '', verb = '', name = '']) =>
      setField(player, who, {
        kind: 'Rollout',
        name,
        path: ['spec', 'disabled'],
        value: verb === 'disables' ? true : '',
        message: `${verb.replace(/s$/, '')} ${name}`,
      }),
  },
  {
    pattern: new RegExp(`^${WHO} names (c\\d+) as the stable commit of (\\S+)\\.$`),
    act: (player, [who = '', told = '', name = '']) =>
      setField(player, who, {
        kind: 'LeaderWorkerSet',
        name,
        path: ['metadata', 'annotations', 'tranche.dev/stable'],
        // The digest of another template: the mark can be read, and is not borne out.
        value: `${player.stage.repository.log('main').find(({ oid }) => player.name(oid) === told)?.oid ?? told}@${'e'.repeat(32)}`,
        message: `${name}: stable is ${told}`,
      }),
  },
  {
    pattern: new RegExp(`^${WHO} rewrites main: the last (\\d+) commits are gone\\.$`),
    act: (player, [, count = '']) => {
      const back = player.stage.repository.log('main')[Number(count)];
      player.stage.repository.setHead('main', back?.oid);
    },
  },
  {
    pattern: new RegExp(
      `^${WHO} had branched off (\\d+) commits ago and changed "(.+)" to "(.*)" in (\\S+); (?:she|he) merges (the branch into main|main into the branch, which becomes main)\\.$`,
    ),
    act: (player, [who = '', back = '', from = '', to = '', file = '', way = '']) => {
      const { repository } = player.stage;
      const main = repository.head('main')!;
      const base = repository.log('main')[Number(back)]!.oid;
      repository.setHead('main', base);
      const branch = player.stage.change(who, { file, from: text(from), to: text(to) });
      repository.setHead('main', main);
      const merged = (repository.text('main', file) ?? '').replaceAll(text(from), text(to));
      const parents = way.startsWith('the branch') ? [main, branch] : [branch, main];
      const oid = repository.merge('main', parents, {
        writes: [{ path: file, text: merged }],
        message: way.startsWith('the branch') ? 'Merge pull request #7' : "Merge branch 'main' into feature",
        signature: { name: who, email: `${who.toLowerCase()}@example.com`, atSeconds: player.stage.world.now },
      });
      return committed(player, oid);
    },
  },
  {
    pattern: /^The status branch is (deleted|rewound by (\d+) commits?)\.$/,
    act: ({ stage }, [, count]) => {
      const line = stage.repository.log(STATUS);
      stage.repository.setHead(STATUS, count === undefined ? undefined : line[Number(count)]?.oid);
    },
  },
  {
    pattern: /^Somebody edits the record of (\S+): "(.+)" becomes "(.+)"\.$/,
    act: ({ stage }, [name = '', from = '', to = '']) => {
      const path = `rollouts/default/${NAMESPACE}/${name}.json`;
      const record = stage.repository.text(STATUS, path) ?? '';
      if (!record.includes(from)) throw new Error(`the record has no ${from}`);
      stage.repository.commit(STATUS, { writes: [{ path, text: record.replace(from, to) }], message: 'by hand' });
    },
  },
];

const orders: readonly Sentence[] = [
  {
    pattern: new RegExp(`^${WHO} (stops all Rollouts|lets all Rollouts go)\\.$`),
    act: (player, [who = '', what = '']) => stopped(player, who, what.startsWith('stops') ? 'stop' : 'go'),
  },
  {
    pattern: new RegExp(`^${WHO} (?:runs|types|orders) "(?:tranche )?(.+)"\\.$`),
    act: (player, [who = '', line = '']) => typed(player, who, line.split(' ')),
  },
  {
    pattern: new RegExp(
      `^${WHO} aborts (\\S+?)(?:,? (?:and )?(keeping) the newer (?:text|template))?(,? at once)?\\.$`,
    ),
    act: (player, [who = '', name = '', keeping, now]) => {
      const verb = {
        kind: 'abort',
        keepNewer: keeping !== undefined,
        ...(now === undefined ? {} : { now: true }),
      } as const;
      return ordered(player, { who, name, verb });
    },
  },
  {
    pattern: new RegExp(`^${WHO} approves (?:step (\\d+) of )?(\\S+?)(?: for step (\\d+))?\\.$`),
    act: (player, [who = '', step, name = '', other]) => {
      const told = step ?? other;
      return ordered(player, {
        who,
        name,
        verb: { kind: 'approve', step: told === undefined ? undefined : Number(told) },
      });
    },
  },
  {
    pattern: new RegExp(`^${WHO} (pauses|resumes|proposes) (\\S+)\\.$`),
    act: (player, [who = '', verb = '', name = '']) =>
      ordered(player, {
        who,
        name,
        verb: { kind: verb === 'pauses' ? 'pause' : verb === 'resumes' ? 'resume' : 'propose' },
      }),
  },
  {
    pattern: new RegExp(`^${WHO} accepts (\\w+) of (\\S+)\\.$`),
    act: (player, [who = '', hold = '', name = '']) =>
      ordered(player, { who, name, verb: { kind: 'approve', step: undefined, hold } }),
  },
  {
    pattern: new RegExp(`^${WHO} jumps (\\S+) to step (\\d+)\\.$`),
    act: (player, [who = '', name = '', step = '']) =>
      ordered(player, { who, name, verb: { kind: 'jump', step: Number(step) } }),
  },
  {
    pattern: new RegExp(`^${WHO} retries (\\S+)\\.$`),
    act: (player, [who = '', name = '']) => ordered(player, { who, name, verb: { kind: 'retry', release: undefined } }),
  },
  {
    pattern: new RegExp(`^${WHO} acknowledges main for (\\S+)\\.$`),
    act: (player, [who = '', name = '']) => ordered(player, { who, name, verb: { kind: 'acknowledge' } }),
  },
  {
    pattern: new RegExp(`^${WHO} (ejects|aborts and ejects) (\\S+?)( as it is)?\\.$`),
    act: (player, [who = '', verb = '', name = '', asIs]) =>
      ordered(player, {
        who,
        name,
        verb: { abort: verb !== 'ejects', partition: undefined, asIs: asIs !== undefined },
      }),
  },
];

const mishaps: readonly Sentence[] = [
  {
    pattern: new RegExp(`^${WHO} removes the annotations of tranche from (\\S+)\\.$`),
    act: (player, [who = '', name = '']) => {
      const edits = Object.values(MARK).map((key) => ({
        kind: 'remove' as const,
        path: ['metadata', 'annotations', key],
      }));
      const message = `${name}: tidy up`;
      return committed(player, player.stage.splice(who, { kind: 'LeaderWorkerSet', name }, { edits, message }));
    },
  },
  {
    pattern: /^The cluster cannot be read: "(.+)"\.$/,
    act: ({ stage }, [why]) => {
      stage.unreadable = why;
    },
  },
  {
    pattern: /^The cluster can be read again\.$/,
    act: ({ stage }) => {
      stage.unreadable = undefined;
    },
  },
  {
    pattern: /^The clock of tranche is (\d+) (seconds|minutes|hours) (ahead|behind)\.$/,
    act: ({ stage }, [count = '', unit, way]) => {
      stage.clockAheadSeconds = (way === 'ahead' ? 1 : -1) * secondsOf(count, unit);
    },
  },
  {
    pattern: /^The clock of tranche is right again\.$/,
    act: ({ stage }) => {
      stage.clockAheadSeconds = 0;
    },
  },
  {
    pattern: /^The process has (lost its key|its key again)\.$/,
    act: ({ stage }, [which]) => {
      stage.hasKey = which !== 'lost its key';
    },
  },
  {
    pattern: /^The answer to the next push is lost\.$/,
    act: ({ stage }) => {
      stage.losesAnswer = true;
    },
  },
];

const servers: readonly Sentence[] = [
  {
    pattern: /^A hook refuses every push to (\S+): "(.+)"\.$/,
    act: ({ stage }, [branch = '', rule = '']) => {
      stage.hook = { rule, refuses: (update) => update.branch === branch };
    },
  },
  {
    pattern: /^A hook refuses commits about (\S+?)(?: and every push to (\S+))?: "(.+)"\.$/,
    act: ({ stage }, [name = '', also, rule = '']) => {
      stage.hook = {
        rule,
        refuses: (update) =>
          update.branch === also ||
          (update.branch === 'main' &&
            !isDeletion(update) &&
            update.commits.some((commit) => commit.message.includes(`rollout(${NAMESPACE}/${name})`))),
      };
    },
  },
  {
    pattern: /^The hook is removed\.$/,
    act: ({ stage }) => {
      stage.hook = undefined;
    },
  },
  {
    pattern: new RegExp(`^While tranche decides next, ${WHO} changes "(.+)" to "(.*)" in (\\S+)\\.$`),
    act: ({ stage }, [who = '', from, to, file = '']) => {
      stage.interruption = (repository) => void stage.change(who, { file, from: text(from), to: text(to) }, repository);
    },
  },
  {
    pattern: /^While tranche decides next, another tranche does the same\.$/,
    act: ({ stage }) => {
      stage.interruption = (repository, pass) => pass(repository);
    },
  },
];

const agents: readonly Sentence[] = [
  { pattern: /^The agent syncs\.$/, act: (player) => player.sync('main') },
  {
    pattern: /^The agent syncs the commit (\d+) before\.$/,
    act: (player, [back = '']) => player.sync(player.stage.repository.log('main')[Number(back)]!.oid),
  },
  {
    pattern: /^The agent applies only (\S+) (\S+)\.$/,
    act: (player, [kind = '', name = '']) =>
      player.sync('main', (manifest) => manifest['kind'] === kind && nameOf(manifest) === name),
  },
  {
    pattern: /^The agent (sleeps|wakes)\.$/,
    act: ({ stage }, [verb]) => {
      stage.asleep = verb === 'sleeps';
    },
  },
  {
    pattern: /^The agent (prunes|does not prune)\.$/,
    act: ({ stage }, [verb]) => {
      stage.prunes = verb === 'prunes';
    },
  },
  {
    pattern: /^The agent leaves replicas alone\.$/,
    act: ({ stage }) => {
      stage.ignored = [['spec', 'replicas']];
    },
  },
  {
    pattern: /^The admission policy is in force\.$/,
    act: ({ stage }) => {
      stage.policyInForce = true;
    },
  },
];

const LEADERS = { namespace: NAMESPACE, pods: 'all' } as const;

const clusters: readonly Sentence[] = [
  {
    pattern: /^(\d+) (seconds|minutes|hours) pass\.$/,
    act: ({ stage }, [count = '', unit]) => stage.world.tick(secondsOf(count, unit)),
  },
  {
    pattern: /^(Group|The workers of group) (\d+) of (\S+) will not become ready on (\S+)\.$/,
    act: ({ stage }, [who, group = '', name = '', image = '']) =>
      void stage.sick.push({ name, group: Number(group), image, pods: who === 'Group' ? 'all' : 'workers' }),
  },
  {
    pattern: /^Group (\d+) of (\S+) gets well\.$/,
    act: ({ stage }, [group = '', name = '']) => {
      stage.sick.splice(
        0,
        stage.sick.length,
        ...stage.sick.filter((one) => one.name !== name || one.group !== Number(group)),
      );
      stage.cluster.setPods({ ...LEADERS, name, group: Number(group) }, { kind: 'ready' });
    },
  },
  {
    pattern: /^Group (\d+) of (\S+) stops being ready\.$/,
    act: ({ stage }, [group = '', name = '']) =>
      stage.cluster.setPods({ ...LEADERS, name, group: Number(group), pods: 'leader' }, { kind: 'unready' }),
  },
  {
    // Of a group that is sick: no kubelet has said anything of its pods so far.
    pattern: /^The pods of group (\d+) of (\S+) get their nodes\.$/,
    act: ({ stage }, [group = '', name = '']) =>
      stage.cluster.setPods(
        { ...LEADERS, name, group: Number(group) },
        { kind: 'waiting', reason: 'ContainerCreating' },
      ),
  },
  {
    pattern: /^A container of group (\d+) of (\S+) crashes\.$/,
    act: ({ stage }, [group = '', name = '']) =>
      stage.cluster.setPods(
        { ...LEADERS, name, group: Number(group), pods: 'leader' },
        { kind: 'restarted', restarts: 1 },
      ),
  },
  {
    pattern: /^The leader of group (\d+) of (\S+) is killed\.$/,
    act: ({ stage }, [group = '', name = '']) =>
      stage.cluster.kill({ ...LEADERS, name, group: Number(group), pods: 'leader' }),
  },
  {
    pattern: /^An autoscaler scales (\S+) to (\d+)\.$/,
    act: ({ stage }, [name = '', replicas = '']) => {
      stage.cluster.scale({ namespace: NAMESPACE, name }, Number(replicas));
    },
  },
  {
    pattern: /^All nodes are gone, with (\d+) groups of (\S+)\.$/,
    act: ({ stage }, [groups = '', name = '']) => {
      stage.cluster.setStock(0);
      for (let group = 0; group < Number(groups); group += 1)
        stage.cluster.kill({ ...LEADERS, name, group, pods: 'leader' });
    },
  },
  {
    pattern: /^Nodes with (\d+) GPUs are back\.$/,
    act: ({ stage }, [amount = '']) => {
      stage.cluster.setStock(Number(amount));
    },
  },
];

const passes: readonly Sentence[] = [
  { pattern: /^Tranche has taken over what is in Git, and all is settled\.$/, act: (player) => player.takeOver() },
  { pattern: /^Tranche looks\.$/, act: async (player) => void (await player.look()) },
  {
    pattern:
      /^Tranche looks every (\d+) (seconds|minutes) (\d+ times|until it settles|until it rests|until (?:(\S+) )?waits for (\w+))\.$/,
    act: (player, [every = '', unit, until = '', name, reason = '']) =>
      player.lookUntil(secondsOf(every, unit), untilOf(until, { name, reason })),
  },
];

function untilOf(
  until: string,
  of: { readonly name: string | undefined; readonly reason: string },
): (seen: Look, before: Look | undefined) => boolean {
  const times = /^(\d+) times$/.exec(until)?.[1];
  if (times !== undefined) {
    let left = Number(times);
    return () => (left -= 1) === 0;
  }
  if (until === 'until it rests')
    return (seen, before) => before !== undefined && [seen, before].every((one) => !one.wroteMain && !one.wroteStatus);
  if (until === 'until it settles') return settled;
  return (seen) =>
    seen.result?.outcomes.some(
      ({ key, plan }) =>
        (of.name === undefined || key.name === of.name) &&
        plan?.holds.some((hold) => hold.reason === of.reason) === true,
    ) ?? false;
}

/** Nothing written, nothing waited for, and nothing in delivery. */
function settled({ result, wroteMain, wroteStatus }: Look): boolean {
  return (
    result !== undefined &&
    !wroteMain &&
    !wroteStatus &&
    result.outcomes.every(
      ({ plan, snapshot }) => plan?.holds.length === 0 && snapshot?.workload?.workload.marks?.step === undefined,
    )
  );
}

const readers: readonly Sentence[] = [
  {
    pattern: /^People read the (live )?status(?: of (\S+))?\.$/,
    act: async (player, [live, name = '']) => player.say(await looked(player, { name, live: live !== undefined })),
  },
];

export const sentences: readonly Sentence[] = [
  ...gitHands,
  ...clusterHands,
  ...metricsHands,
  ...git,
  ...orders,
  ...mishaps,
  ...servers,
  ...agents,
  ...clusters,
  ...passes,
  ...readers,
  ...claims,
];
