/** The verb `show-stable`: the earlier template on standard output, to be put into the file by hand. */

import { jsonText, oneLine } from '../api/printable.ts';
import { printRelease } from '../api/release.ts';
import { shellText } from '../api/shell-word.ts';
import { type CommonOptions, EXIT, type Io } from '../options.ts';
import type { Ports } from '../reconcile/pass.ts';
import { stableToShow } from '../reconcile/show-stable.ts';
import type { Target } from '../reconcile/target.ts';

/** Two lines of comment say which release and which commit, the document follows as that commit has it. Exit code 1: there is none. */
export async function showStable(
  options: CommonOptions & { readonly target: Target },
  ports: Ports,
  io: Io,
): Promise<number> {
  const shown = await stableToShow(ports, options);
  if (typeof shown === 'string') {
    io.err(`${shown}\n`);
    return EXIT.failed;
  }
  const { file, root, stable } = shown;
  const { commit, text } = stable;
  const release = printRelease(stable.release);
  if (options.output === 'json') io.out(jsonText({ release, commit, file, text }));
  else {
    // A line end in a name would end the comment: what follows it is applied by people.
    const from =
      root === undefined
        ? `git show ${commit}:${oneLine(shellText(file))}`
        : `kustomize build ${oneLine(shellText(root === '' ? '.' : root))} # at ${commit}`;
    const comment = `# release ${release}\n# ${from}\n`;
    io.out(`${comment}${text.endsWith('\n') ? text : `${text}\n`}`);
  }
  return EXIT.ok;
}
