/** Services and routes in folders of others: their owners say which Rollouts may share out their requests. */

import { expect, test } from 'vitest';
import { type Config, DEFAULT_CONFIG } from '../../src/api/config.ts';
import { desiredOf } from '../../src/reconcile/desired/desired.ts';
import { withTraffic } from '../../src/reconcile/desired/read-traffic.ts';
import { readWorkload } from '../../src/reconcile/documents/read-workload.ts';
import { trafficFaults } from '../../src/reconcile/observe/observe-traffic.ts';
import { ROUTE_FILE, ROUTE_TEXT, SERVICE_FILE, SERVICE_TEXT, TRAFFIC_FILES } from '../support/traffic-files.ts';
import { LWS_FILE, LWS_TEXT } from '../support/vllm.ts';

type Files = Readonly<Record<string, string>>;

/** Files that are said to be of others, and why a delivery does not start with them. */
function heldBy(files: Files, config: Partial<Config> = {}): readonly string[] {
  const tree = {
    commit: '1'.repeat(40),
    folders: [],
    skipped: () => [],
    files: Object.entries(files).map(([path, text]) => ({
      path,
      oid: path,
      mode: '100644' as const,
      content: { kind: 'text' as const, text },
    })),
  };
  const desired = withTraffic(desiredOf(tree, { ...DEFAULT_CONFIG, ...config }, new Map()), tree, new Map());
  const [entry] = desired.rollouts;
  const file = entry?.workload === undefined ? undefined : readWorkload(entry.workload).workload;
  if (entry === undefined || file === undefined) throw new Error('no Rollout with its workload');
  const found = trafficFaults({ entry, desired }, { file, stable: undefined, scaler: undefined });
  return (found?.issues ?? []).filter(({ reason }) => reason === 'RouteOfOthers').map((issue) => issue.file);
}

/** With these two in other places. */
function moved(service: string, route: string, note = ''): Files {
  const { [SERVICE_FILE]: _service, [ROUTE_FILE]: _route, ...files } = TRAFFIC_FILES;
  const noted = (text: string): string =>
    note === ''
      ? text
      : text.replace(
          '  namespace: llm\n',
          `  namespace: llm\n  annotations: {tranche.dev/allowed-rollouts: '${note}'}\n`,
        );
  return { ...files, [service]: noted(SERVICE_TEXT), [route]: noted(ROUTE_TEXT) };
}

const EDGE = moved('edge/service.yaml', 'edge/route.yaml');
const BOTH = ['edge/service.yaml', 'edge/route.yaml'];

test.each<readonly [what: string, files: Files, config: Partial<Config>, held: readonly string[]]>([
  ['next to the workload', moved(SERVICE_FILE, ROUTE_FILE), {}, []],
  ['next to the Rollout', moved('rollouts/service.yaml', 'rollouts/edge/route.yaml'), {}, []],
  ['in a folder of others', EDGE, {}, BOTH],
  ['the route alone', moved(SERVICE_FILE, 'edge/route.yaml'), {}, ['edge/route.yaml']],
  ['the Service alone', moved('edge/service.yaml', ROUTE_FILE), {}, ['edge/service.yaml']],
  ['named there', moved('edge/service.yaml', 'edge/route.yaml', 'llm/chat, llm/vllm'), {}, []],
  ['another one named there', moved('edge/service.yaml', 'edge/route.yaml', 'llm/chat'), {}, BOTH],
  ['one of that name elsewhere', moved('edge/service.yaml', 'edge/route.yaml', 'talk/vllm'), {}, BOTH],
  ['a pattern is no name', moved('edge/service.yaml', 'edge/route.yaml', 'llm/*'), {}, BOTH],
  ['owned by both', EDGE, { owners: { llm: ['edge', 'apps', 'rollouts'] } }, []],
  ['owned by another folder', EDGE, { owners: { llm: ['apps', 'rollouts'] } }, BOTH],
])('%s', (_, files, config, held) => expect(heldBy(files, config)).toEqual(held));

test('it is not asked of what is in progress: that must return to stable', () => {
  const release = `${'9c41d2e0'.repeat(4)}.7`;
  const marks = `    tranche.dev/release: ${release}\n    tranche.dev/step: 1/4@${release}\n    tranche.dev/stable: ${'4f1c'.repeat(10)}@${'5be0c7aa'.repeat(4)}\n`;
  const [before, after] = LWS_TEXT.split('  namespace: llm\n');
  const under = `${before}  namespace: llm\n  annotations:\n${marks}${after}`;
  expect(heldBy({ ...EDGE, [LWS_FILE]: under })).toEqual([]);
});
