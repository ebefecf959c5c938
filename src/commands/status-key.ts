/** `tranche status-key`: makes a key that signs the status branch, and says what becomes of each half. Keeps neither. */

import type { Command } from 'commander';
import { DEFAULT_CONFIG } from '../api/config.ts';
import { jsonText } from '../api/printable.ts';
import { yamlWord } from '../api/yaml-word.ts';
import { ENV, type Io, UsageError } from '../options.ts';
import { type Given, textOf } from './flags.ts';

const CLUSTER = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Adds the verb. */
export function addStatusKey(program: Command, io: Io): void {
  program
    .command('status-key')
    .description('a new key that signs the status branch: both halves, and where each belongs')
    .option('--cluster <name>', 'the cluster whose status it signs, as tranche.yaml calls it', DEFAULT_CONFIG.cluster)
    .option('--output <format>', 'text or json', 'text')
    .action(async (given: Given) => {
      const { newStatusKey } = await import('../wiring.ts');
      const cluster = textOf(given, 'cluster') ?? DEFAULT_CONFIG.cluster;
      if (!CLUSTER.test(cluster)) throw new UsageError(`--cluster is ${JSON.stringify(cluster)}, wanted a DNS label`);
      const output = textOf(given, 'output');
      if (output !== 'text' && output !== 'json') throw new UsageError('--output is neither text nor json');
      const key = { cluster, ...newStatusKey() };
      io.out(output === 'json' ? jsonText(key) : keyText(key));
    });
}

type MadeKey = { readonly cluster: string; readonly privateHalf: string; readonly publicHalf: string };

function keyText({ cluster, privateHalf, publicHalf }: MadeKey): string {
  return `${ENV.statusKey}=${privateHalf}

The private half. Give it to the processes that reconcile ${cluster}, as a secret: anyone who has it
can write what tranche believes. It is shown once, and kept nowhere.

statusKeys:
  - {cluster: ${yamlWord(cluster)}, key: ${publicHalf}}

The public half, for tranche.yaml on the branch that is delivered. Give the processes the
private half first: without it they take no step forward as soon as this is merged.
`;
}
