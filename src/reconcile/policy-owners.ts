/** Reads who owns the files that policies hang on: the policies themselves, the configuration, and CODEOWNERS. */

import { CODE_OWNERS_FILES, hasCodeOwner, parseCodeOwners } from '../api/code-owners.ts';
import { CONFIG_FILE, type Config, isBelow } from '../api/config.ts';
import { POLICY_KIND } from '../api/kinds.ts';
import { parseManifestFile } from '../manifests/parse-file.ts';
import type { Git, Oid, TreeFile } from '../ports/git.ts';
import { readPolicies } from './policies/read-policy.ts';
import type { PolicyOwners } from './preflight-findings.ts';

const YAML = /\.ya?ml$/;
const SUFFIXES = ['.yaml', '.yml', '.json'];
/** More files than this are not reported one by one. */
const TOLD_MOST = 5;

/** undefined: no file on the configured paths has a policy. Throws PortError where Git fails. */
export async function policyOwners(
  git: Git,
  { commit, config }: { readonly commit: Oid; readonly config: Config },
): Promise<PolicyOwners | undefined> {
  const { policyPaths, paths } = config;
  const { files } = await git.readAt(commit, { paths, suffixes: SUFFIXES, markers: [POLICY_KIND] });
  const policies = files.map(({ path }) => path);
  if (policyPaths === undefined && policies.length === 0) return undefined;
  const owners = await git.readAt(commit, { paths: [...CODE_OWNERS_FILES], suffixes: [], markers: [] });
  const found = CODE_OWNERS_FILES.map((path) => owners.files.find((file) => file.path === path)).find(Boolean);
  if (found === undefined) return { policyPaths, file: undefined, unowned: [] };
  const patterns = parseCodeOwners(textOf(found));
  const there = policies.filter((path) => policyPaths === undefined || isBelow(policyPaths, path));
  const guarded = [...new Set([...(policyPaths ?? []).flatMap(placesIn), ...there, CONFIG_FILE, found.path])];
  const unowned = guarded.filter((path) => !hasCodeOwner(patterns, path));
  return { policyPaths, file: found.path, unowned: shortened(unowned) };
}

/** The policies that accept a delivery without a direct push, where what they grant counts. Throws PortError where Git fails. */
export async function acceptingPolicies(
  git: Git,
  { commit, config }: { readonly commit: Oid; readonly config: Config },
): Promise<readonly string[]> {
  const { files } = await git.readAt(commit, {
    paths: config.paths,
    suffixes: SUFFIXES,
    markers: ['withoutDirectPush'],
  });
  const parsed = files.flatMap(({ path, content }) =>
    content.kind === 'text' ? [parseManifestFile(path, content.text, [POLICY_KIND])] : [],
  );
  return readPolicies(parsed, [], config).flatMap(({ name, file, lines, policy, outside }) =>
    policy?.withoutDirectPush === 'Accept' && outside === undefined
      ? [`${POLICY_KIND} ${name} (${file}:${lines.withoutDirectPush ?? 1})`]
      : [],
  );
}

/** Files that a path may get: one next to others, and one in a folder. */
function placesIn(path: string): readonly string[] {
  if (YAML.test(path)) return [path];
  const folder = path === '' ? '' : `${path}/`;
  return [`${folder}any.yaml`, `${folder}any/any.yaml`];
}

function textOf({ content }: TreeFile): string {
  return content.kind === 'text' ? content.text : '';
}

function shortened(paths: readonly string[]): readonly string[] {
  const more = paths.length - TOLD_MOST;
  return more > 0 ? [...paths.slice(0, TOLD_MOST), `${more} more`] : paths;
}
