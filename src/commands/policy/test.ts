/** `tranche policy test`: policies against the tests that people have written next to them; no repository, no cluster. */

import { issueLine } from '../../api/issue-line.ts';
import { POLICY_TEST_KIND } from '../../api/kinds.ts';
import { nearest } from '../../api/nearest.ts';
import { NOTICE_EVENTS, type NoticeEvent } from '../../api/policy-notify.ts';
import { parsePolicyTest } from '../../api/policy-test.ts';
import { parseManifestFile } from '../../manifests/parse-file.ts';
import { EXIT, type Io, UsageError } from '../../options.ts';
import { fieldIssue } from '../../reconcile/documents/read-rollout.ts';
import { askPolicies } from '../../reconcile/policy-test.ts';
import { HOLDS } from '../../rollout/hold.ts';
import { filesIn } from '../text-files.ts';

/** Exit code 1 where a test fails, or a file is wrong. */
export async function testPolicies(places: readonly string[], io: Io): Promise<number> {
  const files = await filesIn(places, io);
  const documents = [...files].map(([file, text]) => parseManifestFile(file, text, [POLICY_TEST_KIND]));
  const told = documents.flatMap(({ issues }) => issues.map((issue) => `wrong: ${issueLine(issue)}`));
  let [passed, failed] = [0, told.length];
  for (const document of documents.flatMap((file) => file.documents)) {
    const { test, faults } = parsePolicyTest(document.value);
    told.push(...faults.map((fault) => `wrong: ${issueLine(fieldIssue(document, fault))}`));
    const lines = test === undefined ? ['wrong'] : verdict(files, test);
    told.push(...(test === undefined ? [] : lines));
    if (lines.length === 0) passed += 1;
    else failed += 1;
  }
  if (passed + failed === 0)
    throw new UsageError(
      `no ${POLICY_TEST_KIND} in ${places.join(', ')}: name the folder that has one, or write one, as docs/policies.md shows`,
    );
  io.out([...told, `${passed} passed, ${failed} failed`].map((line) => `${line}\n`).join(''));
  return failed === 0 ? EXIT.ok : EXIT.failed;
}

/** What is wrong with the answer; nothing: as expected. */
function verdict(files: ReadonlyMap<string, string>, test: Parameters<typeof askPolicies>[1]): readonly string[] {
  const { verdicts, tells, issues } = askPolicies(files, test);
  const wrong = [
    ...issues.map((issue) => `wrong: ${issueLine(issue)}`),
    ...noHolds(test),
    ...NOTICE_EVENTS.flatMap((event) => untold(test, { event, told: tells[event] })),
  ];
  const seen = [...new Set(verdicts.map(({ held }) => held.reason))].sort();
  const wanted = [...new Set(test.expect)].sort();
  if (seen.join() === wanted.join()) return wrong;
  const holds = verdicts.map(({ held }) => `    ${held.reason}. ${held.message}`);
  return [
    ...wrong,
    `${test.name}: wanted ${wanted.join(', ') || 'no hold'}, got ${seen.join(', ') || 'no hold'}`,
    ...new Set(holds),
  ];
}

/** Words of `expect` that no hold is called. */
function noHolds({ name, expect }: Parameters<typeof askPolicies>[1]): readonly string[] {
  const names = Object.keys(HOLDS);
  return expect
    .filter((word) => !names.includes(word))
    .map((word) => {
      const meant = nearest(word, names);
      return `${name}: no hold is called ${word}${meant === undefined ? '' : `: did you mean ${meant}?`}`;
    });
}

/** Where others are notified of an event than the test wants; an event that it does not name may tell anybody. */
function untold(
  { name, tells }: Parameters<typeof askPolicies>[1],
  { event, told }: { readonly event: NoticeEvent; readonly told: readonly string[] },
): readonly string[] {
  const wanted = tells[event];
  if (wanted === undefined || [...new Set(wanted)].sort().join() === told.join()) return [];
  return [`${name}: of ${event} wanted told ${wanted.join(', ') || 'nobody'}, told is ${told.join(', ') || 'nobody'}`];
}
