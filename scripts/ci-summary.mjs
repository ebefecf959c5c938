// Counts the tests in a vitest JSON report: prints `PASSED FAILED`, and names what failed on standard error.
// Usage: node scripts/ci-summary.mjs REPORT EXIT-STATUS-OF-VITEST

import { readFileSync } from 'node:fs';

const [report, status] = process.argv.slice(2);

/** The files of the report; none where vitest did not live to write it. */
function testFiles() {
  try {
    return JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch (error) {
    console.error(`no report of the tests: ${error.message}`);
    return [];
  }
}

const files = testFiles();
const tests = files.flatMap((file) => file.assertionResults);
const passed = tests.filter((test) => test.status === 'passed');
const failed = [
  ...tests.filter((test) => test.status === 'failed').map((test) => test.fullName),
  // A file that does not even load has no tests to fail.
  ...files.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).map((file) => file.name),
];
// An error outside of any test, a timeout, or no tests at all: vitest says so only by its status.
if (failed.length === 0 && (status !== '0' || passed.length === 0)) failed.push(`vitest itself, status ${status}`);

for (const name of failed) console.error(`FAILED: ${name}`);
console.log(`${passed.length} ${failed.length}`);
