/** Groups on another template than that of their file, where nothing is in progress. */

import type { RolloutRecord } from '../../api/record.ts';

/**
 * Whether the last pass has seen groups of the user's own there. Those of a second colour that serves are named without facts: its owner
 * moves them, and they are asked for apart. Anybody may have written a record that no key signs: it only makes an order say so first.
 */
export function groupsElsewhere(record: RolloutRecord | undefined): boolean {
  return record?.holds.some(({ reason, facts }) => reason === 'GroupsElsewhere' && facts !== undefined) === true;
}
