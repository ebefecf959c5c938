/** Sentences that must be true: at the end of a story, and at every second from now on. */

import type { JsonObject } from '../../../src/api/json.ts';
import { isRunningAndReady } from '../../../src/simulator/lws/group-state.ts';
import { count as countIn, labelsOf, specOf } from '../../../src/simulator/objects/objects.ts';
import { LWS, PODS } from '../../../src/simulator/objects/resource-table.ts';
import { STATUS } from './rehearse.ts';
import { mostOfAGroup, tellRoutes } from './requests.ts';
import { type Sentence, text } from './sentence.ts';
import { NAMESPACE, type Stage } from './stage.ts';
import { servingGroups, tellGroups } from './tell.ts';

/** All of them. */
export const claims: readonly Sentence[] = [
  {
    pattern: /^From now on at least (\d+) groups of (\S+) serve at every moment\.$/,
    act: ({ stage }, [least = '', name = '']) =>
      stage.watch(`serving ${name}`, () => {
        const serving = servingGroups(stage, name);
        if (serving < Number(least)) throw new Error(`${serving} groups serve: ${tellGroups(stage).join('; ')}`);
      }),
  },
  {
    pattern: /^From now on any number of groups(?: of (\S+))? may serve\.$/,
    act: ({ stage }, [name]) => {
      const names = name === undefined ? stage.cluster.objects.list(LWS).map((lws) => lws.metadata.name) : [name];
      for (const each of names) stage.watch(`serving ${each}`, undefined);
    },
  },
  {
    pattern: /^From now on no (leader|pod) of (\S+) is replaced\.$/,
    act: ({ stage }, [which, name = '']) => {
      const pods = () => podsOf(stage, name, which === 'leader');
      const before = pods();
      stage.watch(`replaced ${name}`, () => {
        const now = pods();
        const wrong = [...before].find(([pod, uid]) => now.get(pod) !== uid);
        if (wrong !== undefined) throw new Error(`${wrong[0]} was replaced: ${tellGroups(stage).join('; ')}`);
      });
    },
  },
  {
    pattern: /^From now on any (?:leader|pod) of (\S+) may be replaced\.$/,
    act: ({ stage }, [name = '']) => stage.watch(`replaced ${name}`, undefined),
  },
  {
    pattern: /^Then every group of (\S+) serves (\S+)\.$/,
    act: ({ stage }, [name = '', tag = '']) => {
      const line = tellGroups(stage).find((told) => told.startsWith(`${name} `)) ?? '';
      const cells = [...line.matchAll(/\d+ (✅|❎|⏳)( \S+)?/g)];
      const wrong = cells.filter(([, sign, image]) => sign === '⏳' || image !== ` ${tag}`);
      if (cells.length === 0 || wrong.length > 0) throw new Error(`wanted every group on ${tag}: ${line}`);
    },
  },
  {
    pattern: /^Then every group of (\S+) has (\d+) pods?, all ready\.$/,
    act: ({ stage }, [name = '', size = '']) => {
      const lws = stage.cluster.objects.list(LWS).find((object) => object.metadata.name === name);
      const groups = countIn(specOf(lws ?? {})['replicas'], 0);
      for (let group = 0; group < groups; group += 1) {
        const pods = stage.cluster.pods({ namespace: NAMESPACE, name, group, pods: 'all' });
        if (pods.length !== Number(size) || !pods.every(isRunningAndReady))
          throw new Error(`group ${group} of ${name} has ${pods.length} pods: ${tellGroups(stage).join('; ')}`);
      }
      if (groups === 0) throw new Error(`${name} has no groups`);
    },
  },
  {
    pattern: /^Then (\S+) is settled in Git\.$/,
    act: ({ stage }, [name = '']) => {
      const { value } = stage.find('LeaderWorkerSet', name);
      const annotations = ((value['metadata'] as JsonObject)['annotations'] ?? {}) as JsonObject;
      if (annotations['tranche.dev/release'] === undefined || annotations['tranche.dev/step'] !== undefined)
        throw new Error(`${name} is not settled: ${JSON.stringify(annotations)}`);
    },
  },
  {
    pattern: /^Clients send requests from now on\.$/,
    act: ({ stage }) => stage.sendRequests(),
  },
  {
    pattern: /^From now on no group is sent more than (\d+) % of the requests of a route\.$/,
    act: ({ stage }, [most = '']) =>
      stage.watch('sent to a group', () => {
        const percent = mostOfAGroup(stage.cluster);
        if (percent > Number(most))
          throw new Error(`${percent} % go to one group: ${tellRoutes(stage.cluster).join('; ')}`);
      }),
  },
  {
    pattern: /^Then (no request has failed|requests failed for (\d+) seconds)\.$/,
    act: ({ stage }, [, seconds = '0']) => {
      if (!stage.requestsAreSent) throw new Error('nobody sends requests');
      if (stage.failedSeconds !== Number(seconds))
        throw new Error(`requests failed for ${stage.failedSeconds} seconds`);
    },
  },
  {
    pattern: /^Then the record of (\S+) says (\S+)\.$/,
    act: ({ stage }, [name = '', phase = '']) => {
      const record = stage.repository.text(STATUS, `rollouts/default/${NAMESPACE}/${name}.json`) ?? '';
      if (!record.includes(`"${phase}"`)) throw new Error(`the record does not say ${phase}: ${record}`);
    },
  },
  {
    pattern: /^Then group (\d+) of (\S+) serves (\S+)\.$/,
    act: ({ stage }, [group = '', name = '', tag = '']) => {
      const line = lineOf(stage, name);
      if (!new RegExp(` ${group} (✅|❎) ${tag}( |$)`).test(line))
        throw new Error(`wanted group ${group} on ${tag}: ${line}`);
    },
  },
  {
    pattern: /^Then (\S+) has (\d+) groups?\.$/,
    act: ({ stage }, [name = '', wanted = '']) => {
      const line = lineOf(stage, name);
      if ([...line.matchAll(/\d+ (✅|❎|⏳)/g)].length !== Number(wanted))
        throw new Error(`wanted ${wanted} groups: ${line}`);
    },
  },
  {
    pattern: /^Then (\S+) (waits|does not wait) for (\w+)\.$/,
    act: ({ seen }, [name = '', verb, reason = '']) => {
      const outcome = seen?.result?.outcomes.find(({ key }) => key.name === name);
      const reasons = outcome?.plan?.holds.map((hold) => hold.reason) ?? [];
      const waits = reason === 'nothing' ? reasons.length === 0 : reasons.some((one) => one === reason);
      if (waits !== (verb === 'waits')) throw new Error(`${name} waits for ${reasons.join(', ') || 'nothing'}`);
    },
  },
  {
    pattern: /^Then (\S+) (says|does not say|has|does not have) "(.+)"\.$/,
    act: (player, [what = '', verb = '', wanted]) => {
      const said = what === 'tranche' ? player.transcript() : player.stage.repository.text('main', what);
      if (said === undefined) throw new Error(`main has no ${what}`);
      if (said.includes(text(wanted)) === verb.startsWith('does not'))
        throw new Error(`${what} ${verb} it not:\n${said}`);
    },
  },
  {
    pattern: /^Then (\S+) is as of (c\d+)\.$/,
    act: (player, [path = '', told = '']) => {
      const { repository } = player.stage;
      const then = repository.log('main').find(({ oid }) => player.name(oid) === told);
      const below = (at: string) =>
        Object.entries(repository.files(at)).filter(([file]) => file === path || file.startsWith(`${path}/`));
      const [now, before] = [below('main'), below(then?.oid ?? told)];
      if (JSON.stringify(now) !== JSON.stringify(before)) throw new Error(`${path} is not as of ${told}`);
    },
  },
];

function lineOf(stage: Stage, name: string): string {
  return tellGroups(stage).find((told) => told.startsWith(`${name} `)) ?? '';
}

/** The UIDs of pods by their names. */
function podsOf(stage: Stage, name: string, leadersOnly: boolean): ReadonlyMap<string, string> {
  const pods = stage.cluster.objects.list(PODS, NAMESPACE).filter((pod) => {
    const labels = labelsOf(pod);
    const isLeader = labels['leaderworkerset.sigs.k8s.io/worker-index'] === '0';
    return labels['leaderworkerset.sigs.k8s.io/name'] === name && (isLeader || !leadersOnly);
  });
  return new Map(pods.map(({ metadata }) => [metadata.name, metadata.uid]));
}
