/** The words of `tranche policy` on the command line. What they mean is loaded only when it is called. */

import type { Command } from 'commander';
import { jsonText } from '../../api/printable.ts';
import { type CommonOptions, EXIT, type Io } from '../../options.ts';
import type { Ports } from '../../reconcile/pass.ts';
import { clusterFlags, type Given, gitFlags, ROLLOUT_NAME, targetFlags, targetOf } from '../flags.ts';

type Run = (verb: (common: CommonOptions, ports: Ports) => Promise<number>) => (given: Given) => Promise<void>;

/** Adds the verbs; `done` gets the exit code of those that need no repository. */
export function addPolicy(
  program: Command,
  io: Io,
  { run, done }: { readonly run: Run; readonly done: (code: number) => void },
): void {
  const policy = program
    .command('policy')
    .description('what RolloutPolicies say: explain <name>, test <place>, schema');
  targetFlags(clusterFlags(gitFlags(policy.command('explain'))))
    .description('what policies say of one Rollout, field by field with file and line, and what they hold now')
    .argument('<name>', ROLLOUT_NAME)
    .action((name: string, given: Given) =>
      run(async (common, ports) => {
        const { explain } = await import('./explain.ts');
        return explain({ ...common, ...targetOf(name, given) }, ports, io);
      })(given),
    );
  policy
    .command('test')
    .description('policies against the RolloutPolicyTests next to them; needs no repository and no cluster')
    .argument('<place...>', 'files, or folders of YAML')
    .action(async (places: readonly string[]) => {
      const { testPolicies } = await import('./test.ts');
      done(await testPolicies(places, io));
    });
  policy
    .command('schema')
    .description('the JSON Schema of a RolloutPolicy, for editors')
    .action(async () => {
      const { policySchema } = await import('../../api/policy-schema.ts');
      io.out(jsonText(policySchema()));
      done(EXIT.ok);
    });
}
