/** Sentences about hands on files in Git: expressions, older files and folders, reverts, Rollouts of another workload. */

import type { JsonObject } from '../../../src/api/json.ts';
import { mergeRoom } from '../merge-with-git.ts';
import { yamlValues } from '../yaml-values.ts';
import type { Player } from './play.ts';
import { committed, type Sentence, setField, text, WHO } from './sentence.ts';
import type { Stage } from './stage.ts';

/** Fields by the short names that people have for them. */
const SHORT: Readonly<Record<string, readonly string[]>> = {
  replicas: ['spec', 'replicas'],
  paused: ['spec', 'strategy', 'paused'],
  ...Object.fromEntries(
    ['partition', 'maxUnavailable', 'maxSurge'].map((field) => [
      field,
      ['spec', 'rolloutStrategy', 'rollingUpdateConfiguration', field],
    ]),
  ),
};

/** `spec.replicas`, `metadata.annotations."tranche.dev/step"`, or a short name. */
export function fieldPath(told: string): readonly string[] {
  return SHORT[told] ?? (told.match(/"[^"]+"|[^.]+/g) ?? []).map((key) => key.replaceAll('"', ''));
}

/** A commit of main by the name that transcripts give it. */
function commitNamed(player: Player, told: string): string {
  const found = player.stage.repository.log('main').find(({ oid }) => player.name(oid) === told);
  if (found === undefined) throw new Error(`main has no ${told}`);
  return found.oid;
}

type Write = { readonly path: string; readonly text: string | undefined };

/** What makes some files those of another set. */
function difference(now: Readonly<Record<string, string>>, then: Readonly<Record<string, string>>): readonly Write[] {
  return Object.keys({ ...now, ...then })
    .filter((path) => now[path] !== then[path])
    .map((path) => ({ path, text: then[path] }));
}

const isIn = (path: string, folder: string): boolean =>
  folder === '.' || path === folder || path.startsWith(`${folder.replace(/\/$/, '')}/`);

/** `git checkout THEN -- PATHS`, and what came into these folders since then goes. */
function putBack(
  player: Player,
  who: string,
  of: { readonly paths: readonly string[]; readonly told: string },
): string {
  const { repository } = player.stage;
  const { paths, told } = of;
  const writes = difference(repository.files('main'), repository.files(commitNamed(player, told))).filter(({ path }) =>
    paths.some((folder) => isIn(path, folder)),
  );
  if (writes.length === 0) throw new Error(`${paths.join(', ')} is as of ${told} already`);
  return committed(player, player.stage.commit(who, writes, `put ${paths.join(' and ')} back`));
}

/** `git revert` of commits, the newest first, each by a commit of its own. Throws where git finds conflicts. */
async function revert(player: Player, who: string, oids: readonly string[]): Promise<string> {
  const { repository } = player.stage;
  const line = repository.log('main');
  const room = await mergeRoom();
  try {
    for (const [at, { oid, message, parents }] of line.entries()) {
      const parent = parents[0];
      if (!oids.includes(oid) || parent === undefined) continue;
      const ours = repository.files('main');
      const merged = room.merge({ base: repository.files(oid), ours, theirs: repository.files(parent) });
      const subject = message.split('\n')[0] ?? '';
      if (merged === undefined) throw new Error(`git cannot revert the commit ${at} before: ${subject}`);
      const body = `Revert "${subject}"\n\nThis reverts commit ${oid}.`;
      const writes = difference(ours, merged);
      if (writes.length > 0) player.stage.commit(who, writes, body);
    }
  } finally {
    room.remove();
  }
  return committed(player, repository.head('main') ?? '');
}

/** From one commit to another, both included; `told` in either order. */
function range(player: Player, told: readonly [string, string]): readonly string[] {
  const line = player.stage.repository.log('main').map(({ oid }) => oid);
  const ends = told.map((name) => line.indexOf(commitNamed(player, name)));
  return line.slice(Math.min(...ends), Math.max(...ends) + 1);
}

/** The documents of a template, each with its separator before it where it has one. */
function documentsOf(content: string): readonly string[] {
  return content.split(/^(?=---$)/m);
}

function isObject(document: string, of: { readonly kind: string; readonly name: string }): boolean {
  const [value] = yamlValues(document);
  return value?.['kind'] === of.kind && (value['metadata'] as JsonObject | undefined)?.['name'] === of.name;
}

/** The path and the template of the file that holds an object. */
function holding(stage: Stage, of: { readonly kind: string; readonly name: string }) {
  const { file } = stage.find(of.kind, of.name);
  return { file, content: stage.repository.text('main', file) ?? '' };
}

function targetOf(stage: Stage, rollout: string): string {
  const spec = stage.find('Rollout', rollout).value['spec'] as JsonObject;
  return partOf((spec['workloadRef'] as JsonObject)['name']);
}

function retarget(player: Player, who: string, of: { readonly rollout: string; readonly to: string }): string {
  const path = ['spec', 'workloadRef', 'name'];
  return setField(player, who, {
    kind: 'Rollout',
    name: of.rollout,
    path,
    value: of.to,
    message: `${of.rollout}: of ${of.to}`,
  });
}

/** Changes one template by an expression or a quoted part of it; throws where nothing of it is met. */
function replaced(
  content: string,
  of: { readonly what: string; readonly which: string | undefined; readonly to: string },
): string {
  const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(of.what) ?? [];
  const quoted = text(of.what.slice(1, -1)).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const isExpression = of.what.startsWith('/');
  const pattern = new RegExp(isExpression ? source : quoted, `${flags.replaceAll(/[gm]/g, '')}gm`);
  const found = [...content.matchAll(pattern)];
  const chosen =
    of.which === undefined ? found : found.slice(of.which === 'last' ? -1 : Number(of.which) - 1).slice(0, 1);
  if (chosen.length === 0) throw new Error(`${of.what} is not in\n${content}`);
  const starts = chosen.map((match) => match.index);
  return content.replace(pattern, (all: string, ...rest: readonly unknown[]) => {
    const at = rest.findIndex((one) => typeof one === 'number');
    if (!starts.includes(Number(rest[at]))) return all;
    return isExpression ? text(of.to).replaceAll(/\$(\d)/g, (_, nth) => partOf(rest[Number(nth) - 1])) : text(of.to);
  });
}

const partOf = (part: unknown): string => (typeof part === 'string' ? part : '');

const NTH: Readonly<Record<string, string>> = { first: '1', second: '2', third: '3', fourth: '4', last: 'last' };

/** What `to` is in one template: an expression in slashes, or a quoted part; all of it, or the nth alone. */
export const CHANGE = '(?:the (first|second|third|fourth|last) )?("(?:.+?)"|/.+/[a-z]*) to "(.*)"';

/** The template after a change that `CHANGE` describes. */
export function changed(content: string, [which, what = '', to = '']: readonly (string | undefined)[]): string {
  return replaced(content, { what, to, which: which === undefined ? undefined : NTH[which] });
}

const CLAUSE =
  /(?:;|,|) (?:and )?(?=(?:changes|writes|puts|deletes|moves|copies|sets|removes|takes|appends|reverts|swaps|retargets|disables|enables|restores) )/;

/** Several clauses as one commit: each is played, and then only what all of them come to is left. */
async function together(player: Player, who: string, clauses: readonly string[]): Promise<string> {
  const { repository } = player.stage;
  const before = repository.head('main');
  await player.unnamed(async () => {
    for (const clause of clauses) await player.act(`${who} ${clause}.`);
  });
  return squashed(player, who, before);
}

function squashed(player: Player, who: string, before: string | undefined): string {
  const { repository } = player.stage;
  const writes = difference(repository.files(before ?? ''), repository.files('main'));
  const message = repository.log('main')[0]?.message.split('\n')[0] ?? '';
  repository.setHead('main', before);
  return committed(player, player.stage.commit(who, writes, message));
}

const edits: readonly Sentence[] = [
  {
    pattern: new RegExp(
      `^${WHO} changes ${CHANGE} in (?:(?:the )?(?:document )?([A-Z]\\w+) (\\S+) of )?(\\S+)\\.$`,
      's',
    ),
    act: (player, [who = '', which, what, to, kind, name = '', path = '']) => {
      const content = player.stage.repository.text('main', path);
      if (content === undefined) throw new Error(`main has no ${path}`);
      const next =
        kind === undefined
          ? changed(content, [which, what, to])
          : documentsOf(content)
              .map((one) => (isObject(one, { kind, name }) ? changed(one, [which, what, to]) : one))
              .join('');
      const message = `${path}: ${text(to).trim().split('\n').at(-1)?.trim()}`;
      return committed(player, player.stage.commit(who, [{ path, text: next }], message));
    },
  },
  {
    pattern: new RegExp(`^${WHO} appends "(.+)" to (\\S+)\\.$`),
    act: (player, [who = '', more, path = '']) => {
      const content = `${player.stage.repository.text('main', path) ?? ''}${text(more)}`;
      return committed(player, player.stage.commit(who, [{ path, text: content }], `more of ${path}`));
    },
  },
  {
    pattern: new RegExp(`^${WHO} (moves|copies) (\\S+) to (\\S+)\\.$`),
    act: (player, [who = '', verb = '', from = '', to = '']) => {
      const content = player.stage.repository.text('main', from);
      if (content === undefined) throw new Error(`main has no ${from}`);
      const gone = verb === 'moves' ? [{ path: from, text: undefined }] : [];
      const writes = [...gone, { path: to, text: content }];
      return committed(player, player.stage.commit(who, writes, `${verb} ${from} to ${to}`));
    },
  },
  {
    pattern: new RegExp(`^${WHO} takes (?:the )?(?:document )?([A-Z]\\w+) (\\S+) out of (\\S+)\\.$`),
    act: (player, [who = '', kind = '', name = '']) => {
      const { file, content } = holding(player.stage, { kind, name });
      const rest = documentsOf(content).filter((one) => !isObject(one, { kind, name }));
      const left = rest.join('').replace(/^---\n/, '');
      const writes = [{ path: file, text: left.trim() === '' ? undefined : left }];
      return committed(player, player.stage.commit(who, writes, `${kind} ${name} goes`));
    },
  },
  {
    pattern: new RegExp(`^${WHO} sets (?:the )?(\\S+) of (?:(?:the )?([A-Z]\\w+) )?(\\S+) to (.+) in Git\\.$`),
    act: (player, [who = '', field = '', kind, name = '', told = '']) => {
      const value = /^(true|false|-?\d+|".*")$/.test(told) ? (JSON.parse(told) as string | number | boolean) : told;
      const message = `${name}: ${field} ${told}`;
      const of = kind ?? (field === 'paused' || field.startsWith('spec.strategy') ? 'Rollout' : 'LeaderWorkerSet');
      return setField(player, who, { kind: of, name, path: fieldPath(field), value, message });
    },
  },
  {
    pattern: new RegExp(
      `^${WHO} removes (?:the )?(?!annotations )(\\S+) of (?:(?:the )?([A-Z]\\w+) )?(\\S+) in Git\\.$`,
    ),
    act: (player, [who = '', field = '', kind = 'LeaderWorkerSet', name = '']) =>
      setField(player, who, { kind, name, path: fieldPath(field), value: '', message: `${name}: no ${field}` }),
  },
];

const backInTime: readonly Sentence[] = [
  {
    pattern: new RegExp(`^${WHO} (?:puts|restores) (\\S+(?:(?:,| and|, and) \\S+)*?)(?: back)? as of (c\\d+)\\.$`),
    act: (player, [who = '', paths = '', told = '']) =>
      putBack(player, who, {
        paths: paths.split(/, and | and |, /).map((path) => path.replace(/^everything$/, '.')),
        told,
      }),
  },
  {
    pattern: new RegExp(`^${WHO} reverts (c\\d+)(?: and (c\\d+))?\\.$`),
    act: (player, [who = '', ...told]) =>
      revert(
        player,
        who,
        told.flatMap((name) => (name === undefined ? [] : commitNamed(player, name))),
      ),
  },
  {
    pattern: new RegExp(`^${WHO} reverts (c\\d+)(?: to |\\.\\.+|–|-)(c\\d+)\\.$`),
    act: (player, [who = '', from = '', to = '']) => revert(player, who, range(player, [from, to])),
  },
  {
    pattern: new RegExp(`^${WHO} reverts the last (?:commit|(\\d+) commits)\\.$`),
    act: async (player, [who = '', count = '1']) => {
      const line = player.stage.repository.log('main').slice(0, Number(count));
      return revert(
        player,
        who,
        line.map(({ oid }) => oid),
      );
    },
  },
];

const rollouts: readonly Sentence[] = [
  {
    pattern: new RegExp(`^${WHO} swaps (?:the )?(?:Rollouts )?(\\S+) and (\\S+)\\.$`),
    act: (player, [who = '', one = '', other = '']) => {
      const [first, second] = [targetOf(player.stage, one), targetOf(player.stage, other)];
      const before = player.stage.repository.head('main');
      return player
        .unnamed(async () => {
          retarget(player, who, { rollout: one, to: second });
          retarget(player, who, { rollout: other, to: first });
        })
        .then(() => squashed(player, who, before));
    },
  },
  {
    pattern: new RegExp(
      `^${WHO} (?:retargets|points) (?:the )?(?:Rollout )?(\\S+) (?:to|at) (?:LeaderWorkerSet )?(\\S+)\\.$`,
    ),
    act: (player, [who = '', rollout = '', to = '']) => retarget(player, who, { rollout, to }),
  },
  {
    pattern: new RegExp(`^${WHO} commits at once: (.+)\\.$`, 's'),
    act: (player, [who = '', clauses = '']) => together(player, who, clauses.split(CLAUSE)),
  },
  {
    // What people have committed since the last pass becomes one commit.
    pattern: new RegExp(`^${WHO} commits (?:it|this|all of it)? ?at once\\.$`),
    act: (player, [who = '']) => squashed(player, who, player.mainAtLook),
  },
];

/** All of them. */
export const gitHands: readonly Sentence[] = [...edits, ...backInTime, ...rollouts];
