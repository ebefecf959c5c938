/** The settings of the one who runs this, as git finds them: of the machine, then of the person, the last one counts. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../network/proxy.ts';
import { type Config, parseConfig } from './local-config.ts';

/** Everything but the settings of a repository. A file that cannot be read says nothing. */
export function readUserConfig(env: Environment): Config {
  const home = env['HOME'] ?? '';
  const xdg = env['XDG_CONFIG_HOME'] ?? (home === '' ? '' : join(home, '.config'));
  const own = [xdg === '' ? '' : join(xdg, 'git/config'), home === '' ? '' : join(home, '.gitconfig')];
  const files = [
    env['GIT_CONFIG_NOSYSTEM'] === undefined ? (env['GIT_CONFIG_SYSTEM'] ?? '/etc/gitconfig') : '',
    ...(env['GIT_CONFIG_GLOBAL'] === undefined ? own : [env['GIT_CONFIG_GLOBAL']]),
  ];
  return new Map(files.flatMap((file) => [...parseConfig(textOf(file))]));
}

function textOf(file: string): string {
  try {
    return file !== '' && existsSync(file) ? readFileSync(file, 'utf8') : '';
  } catch {
    return '';
  }
}
