/** What of the configured paths was not read: entries that nothing is at, and links and submodules below the others. */

import { CONFIG_FILE, type Config, isBelow } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { nearest } from '../../api/nearest.ts';
import type { Gaps, Tree } from '../../ports/git.ts';
import { unreadEntries } from './unread-entries.ts';

/** How many links are reported by name. */
const NAMED_MOST = 5;
const NO_GAPS: Gaps = { absent: [], passedOver: [] };

/**
 * A folder may come later, so that an entry without one stops nothing, and is reported. Where no entry leads to anything, most
 * often nothing is delivered that people think is: that is a failure.
 */
export function pathFaults(
  tree: Pick<Tree, 'gaps' | 'files' | 'skipped'>,
  config: Pick<Config, 'paths' | 'lines' | 'policyPaths' | 'namespaces' | 'stopFile'>,
): { readonly issues: readonly Issue[]; readonly warnings: readonly Issue[]; readonly absent: readonly string[] } {
  const { absent, passedOver } = tree.gaps ?? NO_GAPS;
  const missing = new Map(absent.map((one) => [one.path, one]));
  const found = config.paths.flatMap((path, at) => {
    const one = missing.get(path);
    return one === undefined ? [] : [absentPath(one, config.lines?.paths[at])];
  });
  const linked = passedOver.length === 0 ? [] : [passedOverIssue(passedOver)];
  const paths = [...missing.keys()];
  return found.length > 0 && found.length === config.paths.length
    ? { issues: found.map(nothingRead), warnings: linked, absent: paths }
    : {
        issues: [],
        warnings: [...found, ...unreadEntries(tree, config), ...unreachableStop(config), ...linked],
        absent: paths,
      };
}

/** `tranche stop` would be refused, which nobody is to learn in an incident. Where the command line says the paths, nothing is known of others. */
function unreachableStop({ paths, lines, stopFile }: Pick<Config, 'paths' | 'lines' | 'stopFile'>): readonly Issue[] {
  const line = lines?.paths[0];
  if (line === undefined || isBelow(paths, stopFile)) return [];
  return [
    {
      file: CONFIG_FILE,
      line,
      path: 'paths',
      reason: 'StopUnreachable',
      message: `paths has no entry for ${stopFile}, where tranche stop writes: it would stop nothing, and is refused`,
      hint: `Add the folder of ${stopFile} to paths, or name a file on paths as stopFile.`,
    },
  ];
}

function absentPath({ path, folder, beside }: Gaps['absent'][number], line: number | undefined): Issue {
  const isFlag = line === undefined;
  const from = folder === '' ? 'the repository' : folder;
  const wanted = path.slice(folder === '' ? 0 : folder.length + 1).split('/')[0] ?? '';
  const near = beside.includes(wanted) ? undefined : nearest(wanted, beside);
  const there = folder === '' ? near : `${folder}/${near}`;
  const instead = near === undefined ? '' : `; there is ${there}`;
  return {
    file: isFlag ? '' : CONFIG_FILE,
    line: line ?? 0,
    path: 'paths',
    reason: 'PathMissing',
    message: `${isFlag ? `--path ${path}: it` : `paths has "${path}", which`} is not in ${from}${instead}: nothing is read there`,
    hint: 'Correct it, or leave it out until there is something.',
  };
}

function nothingRead(found: Issue): Issue {
  return { ...found, message: `${found.message}, nor at any other path: no Rollout and no policy is seen at all` };
}

function passedOverIssue(paths: readonly string[]): Issue {
  const [first = ''] = paths;
  const more = paths.length > NAMED_MOST ? ` and ${paths.length - NAMED_MOST} more` : '';
  const seen =
    paths.length === 1
      ? 'it is a symbolic link or a submodule, which is not followed'
      : `${paths.slice(0, NAMED_MOST).join(', ')}${more} are symbolic links or submodules, which are not followed`;
  return {
    file: first,
    line: 0,
    path: '',
    reason: 'LinkPassedOver',
    message: `${seen}: no Rollout, workload or RolloutPolicy counts by way of ${paths.length === 1 ? 'it' : 'them'}`,
    hint: `Files of this repository count by their own path: name that under paths in ${CONFIG_FILE}. Put others here themselves. If none of them is for tranche, or all count by their own path, nothing is wrong.`,
  };
}
