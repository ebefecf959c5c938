/** What users get in a story, and what the server of metrics says of it. */

import { mapsAt } from '../../../src/api/weighted-routes.ts';
import { PODS } from '../../../src/simulator/objects/resource-table.ts';
import type { SimulatedMetrics } from '../simulated-metrics.ts';
import { committed, type Sentence, WHO } from './sentence.ts';
import { NAMESPACE, type Stage } from './stage.ts';

const MOODS: Readonly<Record<string, SimulatedMetrics['mood']>> = {
  dies: 'dead',
  warns: 'warns',
  'has no series': 'missing',
  'has each series of two scrapers': 'twice',
  'has native histograms alone': 'native',
  'answers again': 'well',
};

export const metricsHands: readonly Sentence[] = [
  {
    pattern: /^Of 1000 requests on (\S+) (\d+) fail\.$/,
    act: ({ stage }, [image = '', count]) => {
      const before = stage.metrics.bad;
      stage.metrics.bad = (pod, at) => (isOn(stage, pod, image) ? Number(count) : before(pod, at));
    },
  },
  {
    pattern: /^Of 1000 requests on group (\d+) of (\S+) (\d+) fail\.$/,
    act: ({ stage }, [group = '', name = '', count]) => {
      const before = stage.metrics.bad;
      stage.metrics.bad = (pod, at) => (pod === `${name}-${group}` ? Number(count) : before(pod, at));
    },
  },
  {
    pattern: /^Each leader gets (\d+) requests in 100 seconds\.$/,
    act: ({ stage }, [count]) => {
      stage.metrics.requestsPerSecond = Number(count) / 100;
    },
  },
  {
    pattern:
      /^The metrics server (dies|warns|has no series|has each series of two scrapers|has native histograms alone|answers again)\.$/,
    act: ({ stage }, [what = '']) => {
      stage.metrics.mood = MOODS[what] ?? 'well';
    },
  },
  {
    pattern: /^The alert (\S+) (fires|is over)\.$/,
    act: ({ stage }, [alert = '', what]) => {
      if (what === 'fires') stage.metrics.firing.add(alert);
      else stage.metrics.firing.delete(alert);
    },
  },
  {
    // As its file is now, which commits of tranche name.
    pattern: new RegExp(`^${WHO} lets the Analysis (\\S+) lead (\\S+) back\\.$`),
    act: (player, [who = '', analysis = '', name = '']) => {
      const messages = player.stage.repository.log('main').map(({ message }) => message);
      const blob = new RegExp(`\\b${analysis}@[0-9a-f]{12}`).exec(messages.join('\n'))?.[0] ?? '';
      const path = ['metadata', 'annotations', 'tranche.dev/analysed'];
      const edits = [{ kind: 'set', path, value: blob } as const];
      const message = `${name}: ${analysis} may lead back`;
      return committed(player, player.stage.splice(who, { kind: 'Rollout', name }, { edits, message }));
    },
  },
];

function isOn({ cluster }: Stage, pod: string, image: string): boolean {
  const found = cluster.objects.get({ resource: PODS, namespace: NAMESPACE, name: pod });
  const containers = mapsAt(found, ['spec', 'containers']);
  return containers.some(({ image: own }) => typeof own === 'string' && own.endsWith(`:${image}`));
}
