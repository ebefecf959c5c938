/** Carries out what a hold names, to the letter: orders typed, fields written, files put back, pods deleted. */

import type { JsonObject } from '../../../src/api/json.ts';
import type { Deed } from '../../../src/rollout/texts/advice.ts';
import { manifestsAt } from '../world.ts';
import type { Player } from './play.ts';
import { NAMESPACE, nameOf } from './stage.ts';
import { typed } from './verbs.ts';

const WHO = 'Ada';

/** What a raised number becomes. */
const REPLICAS = 4;
const BUDGET = '100%';

/** Does it; answers with why that cannot be done, undefined where it is. */
export async function carryOut(player: Player, deed: Deed): Promise<string | undefined> {
  if (deed.kind === 'command') return refusal(await typed(player, WHO, deed.argv));
  const { stage } = player;
  if (deed.kind === 'restore' && deed.documents !== undefined) return thereAgain(player, deed.documents);
  if (deed.kind === 'restore') return restored(player, deed.files);
  if (deed.kind === 'delete') {
    for (const pod of deed.pods) {
      const [, name = '', group = ''] = /^(.+)-(\d+)$/.exec(pod) ?? [];
      const leader = { namespace: NAMESPACE, name, group: Number(group), pods: 'leader' } as const;
      if (stage.cluster.pods(leader).length === 0) return `there is no pod ${pod}`;
      stage.cluster.kill(leader);
    }
    return undefined;
  }
  const { file, value } = stage.find(deed.object.kind, deed.object.name);
  if (file !== deed.file) return `${deed.object.kind} ${deed.object.name} is in ${file}, not in ${deed.file}`;
  const fields =
    deed.kind === 'set'
      ? deed.fields
      : [{ path: deed.path, value: deed.path.at(-1) === 'replicas' ? REPLICAS : BUDGET }];
  if (fields.every((field) => at(value, field.path) === field.value)) return 'it is so already';
  const edits = fields.map(({ path, value: to }) =>
    to === undefined ? ({ kind: 'remove', path } as const) : ({ kind: 'set', path, value: to } as const),
  );
  stage.splice(WHO, deed.object, { edits, message: `${deed.object.name}: as the hold says` });
  return undefined;
}

function refusal(answer: string): string | undefined {
  return answer.startsWith('→') ? undefined : answer.split('\n')[0];
}

function at(value: JsonObject, path: readonly string[]): unknown {
  return path.reduce<unknown>((found, key) => (found as JsonObject | undefined)?.[key], value);
}

/** As the last commit of tranche left them. */
function restored({ stage }: Player, files: readonly string[]): string | undefined {
  const { repository } = stage;
  const last = repository.log('main').find(({ author }) => author.name === 'tranche');
  if (last === undefined) return 'tranche has made no commit';
  const [then, now] = [repository.files(last.oid), repository.files('main')];
  const paths = files.length > 0 ? files : Object.keys({ ...then, ...now });
  const writes = paths.filter((path) => then[path] !== now[path]).map((path) => ({ path, text: then[path] }));
  if (writes.length === 0) return 'it is as the last commit of tranche left it';
  stage.commit(WHO, writes, 'put back what the last commit of tranche left');
  return undefined;
}

/** The files of documents, as the newest commit of main that had them. */
function thereAgain({ stage }: Player, documents: readonly { readonly kind: string; readonly name: string }[]) {
  const { repository } = stage;
  const writes = documents.flatMap(({ kind, name }) =>
    repository
      .log('main')
      .flatMap(({ oid }) => {
        const found = [...manifestsAt(repository, oid, ['apps'])].find(([, manifests]) =>
          manifests.some((manifest) => manifest['kind'] === kind && nameOf(manifest) === name),
        );
        return found === undefined ? [] : [{ path: found[0], text: repository.text(oid, found[0]) }];
      })
      .slice(0, 1),
  );
  if (writes.length < documents.length) return 'main never had it';
  stage.commit(WHO, writes, 'put back what is gone');
  return undefined;
}

/** A deed without the names in it: `abort --now`, `set partition`. */
export function shapeOf(deed: Deed): string {
  if (deed.kind === 'command') return [deed.argv[0], ...deed.argv.slice(2)].join(' ');
  if (deed.kind === 'set')
    return `set ${deed.fields.map(({ path }) => path.at(-1)?.replace('tranche.dev/', '')).join(', ')}`;
  if (deed.kind === 'raise') return `raise ${deed.path.at(-1)}`;
  return deed.kind === 'restore' ? 'restore' : 'delete pods';
}
