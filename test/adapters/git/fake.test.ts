/** The contract of Git on the fake, and that its ids are those of real Git. */

import { FakeRepository } from '../../support/fake-git.ts';
import { gitContract } from './contract.ts';

gitContract(
  'the fake',
  async () => {
    const repository = new FakeRepository();
    const refused = new Set<string>();
    const open = () =>
      repository.open({
        before: (operation) => {
          const hit =
            operation.kind === 'push' ? operation.updates.find(({ branch }) => refused.has(branch)) : undefined;
          if (hit === undefined) return undefined;
          return { kind: 'refuse', branch: hit.branch, rule: 'GH006: Protected branch update failed' };
        },
      });
    return {
      git: open(),
      another: open,
      commit: async (branch, files) => {
        const writes = Object.entries(files).map(([path, content]) => ({ path, text: content }));
        return repository.commit(branch, { writes });
      },
      head: async (branch) => repository.head(branch),
      text: async (branch, path) => repository.text(branch, path),
      refuse: async (branch) => {
        refused.add(branch);
      },
    };
  },
  async () => undefined,
);
