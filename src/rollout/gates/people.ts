/** Gates that people hold shut in the Rollout: deleted, disabled, paused, wrong. */

import { RENDERERS_PATH } from '../../api/helm-release.ts';
import { SENTINEL } from '../../api/workload.ts';
import { PARTITION_PATH } from '../../api/workload-paths.ts';
import { type Hold, type HoldReason, hold } from '../hold.ts';
import type { Situation } from '../situation.ts';
import { advice, commandLine } from '../texts/advice.ts';

/** Files that are wrong stop every step until somebody mends them. */
export function stalled({ snapshot, state }: Pick<Situation, 'snapshot' | 'state'>): Hold | undefined {
  // Once the primary is released for update nothing has to carry it any more.
  const isReleasedForUpdate = state.kind === 'ladder' && state.stage.kind === 'promote' && state.at !== undefined;
  const issues = snapshot.issues.filter(({ reason }) => !isReleasedForUpdate || reason !== 'PrimaryNotCovered');
  const [issue] = issues;
  if (issue === undefined) return undefined;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const place = issue.line > 0 ? `${issue.file}:${issue.line}` : issue.file;
  return hold(BY_ISSUE[issue.reason] ?? 'Stalled', { seen: `${place}: ${issue.message}${more}`, action: issue.hint });
}

/** Issues that have a hold of their own name: what they tell depends on how many groups there are, not on the files alone. */
const BY_ISSUE: Readonly<Record<string, HoldReason>> = {
  PrimaryNotCovered: 'PrimaryNotCovered',
  GreenServes: 'GreenServes',
};

/** A workload whose Rollout is gone stays as it is: locked, edits of it do nothing; in a batch, they do too much. */
export function rolloutAbsent({ snapshot, file, partition, state, digest, marks }: Situation): Hold | undefined {
  if (snapshot.rollout !== undefined || snapshot.issues.length > 0) return undefined;
  if (state.kind === 'ladder') {
    const back = state.stage.kind === 'rollback' ? '' : advice`; to go back: ${commandLine('abort', snapshot.key)}`;
    return hold('LockedWithoutRollout', {
      seen: `${file.file}: a second workload of ${file.object.name} is being filled, and no Rollout names it any more: no step goes forward, and requests stay where they are`,
      action: advice`Add the Rollout again${back}`,
    });
  }
  if (partition !== SENTINEL) {
    return hold('LockedWithoutRollout', {
      seen: `${file.file}: ${file.object.name} is managed, and no Rollout names it any more: no step goes forward, and an edit of its template restarts the groups from ${partition} up at once`,
      action: advice`Add the Rollout again, or hand it back with: ${commandLine('eject', snapshot.key, '--abort')}`,
    });
  }
  // With another template than the one that is delivered, handing back as it is would restart every group on it.
  const isOther = marks !== undefined && (marks.step !== undefined || digest !== marks.release.digest);
  return hold('LockedWithoutRollout', {
    seen: `${file.file}: ${file.object.name} is managed, but no Rollout names it: edits of its template do nothing`,
    action: advice`Add the Rollout again, or hand it back with: ${commandLine('eject', snapshot.key, isOther ? '--abort' : '')}`,
  });
}

/** Someone took the Rollout out of service; deleting or disabling never promotes. */
export function disabled({ snapshot }: Situation): Hold | undefined {
  return snapshot.rollout?.rollout.disabled === true
    ? hold('Disabled', { seen: 'spec.disabled of the Rollout is true: no step goes forward', waits: 'people' })
    : undefined;
}

/** Someone wants no step forward for now. */
export function paused({ snapshot }: Situation): Hold | undefined {
  if (snapshot.rollout?.rollout.paused !== true) return undefined;
  return hold('Paused', {
    seen: 'spec.strategy.paused of the Rollout is true',
    action: advice`To go on: ${commandLine('resume', snapshot.key)}`,
  });
}

/** A managed workload without a partition is one edit away from a full roll; writing anything into it would guess. */
export function partitionMissing({ workload, marks, snapshot, file }: Situation): Hold | undefined {
  if (marks === undefined || workload.partition !== undefined) return undefined;
  // Of what a HelmRelease renders the entry of ours has it.
  const place = (file.carried === undefined ? PARTITION_PATH : RENDERERS_PATH).join('.');
  const issue = snapshot.issues.find(({ path }) => path === place || path.startsWith(`${place}.`));
  return hold(
    'Stalled',
    issue === undefined
      ? { seen: 'spec.rolloutStrategy.rollingUpdateConfiguration.partition is missing', waits: 'people' }
      : { seen: `${issue.file}:${issue.line}: ${issue.message}`, action: issue.hint },
  );
}
