/** Finds out where a repository on this machine keeps its objects and refs, and whether we can serve it at all. */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { gitError } from './git-error.ts';
import { type Config, isOn, parseConfig } from './local-config.ts';

export type Layout = {
  /** For messages. */
  readonly path: string;
  /** Of this worktree alone: its HEAD. */
  readonly gitFolder: string;
  /** Refs, config and objects; shared by all worktrees. */
  readonly common: string;
  readonly config: Config;
  readonly isBare: boolean;
  /** Our own objects first, then those of alternates. */
  readonly objectFolders: readonly string[];
};

const mostAlternates = 20;
const knownExtensions = new Set([
  'noop',
  'preciousobjects',
  'partialclone',
  'worktreeconfig',
  'relativeworktrees',
  'objectformat',
  'refstorage',
]);

/** A user and a password in a path, as of a URL whose scheme was forgotten. */
const USER = /[^/]+:.*@/;

/** The layout of a bare or normal repository, or of a linked worktree. Throws PortError. */
export function findLayout(path: string): Layout {
  const gitFolder = findGitFolder(resolve(path));
  if (gitFolder === undefined)
    throw cannotOpen(
      `${path.replace(USER, '***@')} is not a Git repository`,
      `Give the URL or the path of one as --repo or TRANCHE_REPO, or call tranche in a clone.${urlMeant(path)}`,
    );
  const shared = join(gitFolder, 'commondir');
  const common = existsSync(shared) ? resolve(gitFolder, readFileSync(shared, 'utf8').trim()) : gitFolder;
  const configFile = join(common, 'config');
  const config = parseConfig(existsSync(configFile) ? readFileSync(configFile, 'utf8') : '');
  checkFormat(path, config);
  const isBare = isOn(config.get('core.bare'), basename(common) !== '.git');
  return { path, gitFolder, common, config, isBare, objectFolders: objectFoldersOf(join(common, 'objects')) };
}

/** The URL that someone meant who typed `host/owner/name`; '' where its first word is no host, or is a folder that is there. */
function urlMeant(path: string): string {
  const [, folder = '', host = '', rest = ''] =
    /^(.*\/)?([a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,})[:/]([^/:]+\/[^/:]+)$/i.exec(path) ?? [];
  return host === '' || existsSync(`${folder}${host}`) ? '' : ` The URL of that is https://${host}/${rest}.`;
}

function findGitFolder(path: string): string | undefined {
  const inside = join(path, '.git');
  if (existsSync(inside)) {
    if (statSync(inside).isDirectory()) return inside;
    const target = readFileSync(inside, 'utf8').match(/^gitdir: (.+)$/m)?.[1];
    return target === undefined ? undefined : resolve(path, target.trim());
  }
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(path, name))) ? path : undefined;
}

function checkFormat(path: string, config: Config): void {
  const version = config.get('core.repositoryformatversion') ?? '0';
  const format = config.get('extensions.objectformat') ?? 'sha1';
  const storage = config.get('extensions.refstorage') ?? 'files';
  if (format !== 'sha1') throw cannotOpen(`${path} names objects by ${format}, wanted sha1`, '');
  if (storage !== 'files') {
    throw cannotOpen(
      `${path} keeps its refs as ${storage}, wanted files`,
      'Serve it over http, or run git refs migrate --ref-format=files.',
    );
  }
  if (version !== '0' && version !== '1')
    throw cannotOpen(`${path} has repository format ${version}, wanted 0 or 1`, '');
  const unknown = [...config.keys()]
    .filter((key) => version === '1' && key.startsWith('extensions.'))
    .find((key) => !knownExtensions.has(key.slice('extensions.'.length)));
  if (unknown !== undefined)
    throw cannotOpen(`${path} uses ${unknown}, which is not known here`, 'Serve it over http.');
}

function objectFoldersOf(own: string): readonly string[] {
  const folders: string[] = [];
  const waiting = [own];
  for (let next = waiting.shift(); next !== undefined && folders.length < mostAlternates; next = waiting.shift()) {
    if (folders.includes(next) || !existsSync(next)) continue;
    folders.push(next);
    const alternates = join(next, 'info', 'alternates');
    if (!existsSync(alternates)) continue;
    const lines = readFileSync(alternates, 'utf8').split('\n');
    waiting.push(
      ...lines
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => resolve(folders.at(-1) ?? '', line)),
    );
  }
  return folders;
}

/** What is checked out: the full name of a ref, or the id of a commit; undefined where HEAD says neither. */
export function headRef({ gitFolder }: Layout): string | undefined {
  const file = join(gitFolder, 'HEAD');
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return /^(?:ref: )?(refs\/\S+|[0-9a-f]{40})$/.exec(text)?.[1];
}

/** Where somebody has `ref` checked out, so that moving it would leave their files behind; undefined: nowhere. */
export function checkedOutAt(layout: Layout, ref: string): string | undefined {
  const heads = layout.isBare ? [] : [{ head: join(layout.common, 'HEAD'), at: dirname(layout.common) }];
  const worktrees = join(layout.common, 'worktrees');
  for (const name of existsSync(worktrees) ? readdirSync(worktrees) : []) {
    heads.push({ head: join(worktrees, name, 'HEAD'), at: `worktree ${name}` });
  }
  const found = heads.find(({ head }) => existsSync(head) && readFileSync(head, 'utf8').trim() === `ref: ${ref}`);
  return found?.at;
}

function cannotOpen(message: string, hint: string) {
  return gitError(message, { operation: 'open', retryable: false, hint });
}
