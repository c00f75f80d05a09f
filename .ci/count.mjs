/**
 * Prints the closing line of a check: `count.mjs FILE_OF_VITEST_JSON STEPS_FAILED EXIT_CODE_OF_TESTS`. Any Node since
 * 14 runs it. Exits with 0 only when something passed and nothing failed.
 */
import { readFileSync } from 'node:fs';

const [file, stepsFailed, testsCode] = process.argv.slice(2);
const { passed, failed } = count(readReport());
// A run that ended badly without naming a test (a time limit, an unhandled error) is one failure.
const unnamed = testsCode !== '0' && failed === 0 ? 1 : 0;
const allFailed = failed + unnamed + Number(stepsFailed);
console.log(`${passed} passed, ${allFailed} failed`);
process.exit(passed > 0 && allFailed === 0 ? 0 : 1);

function readReport() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.error(`The tests left no report: ${error.message}`);
    return { numPassedTests: 0, numFailedTests: 0, testResults: [] };
  }
}

/** A file that could not be loaded has no tests to fail, so it counts as one. */
function count(report) {
  const broken = report.testResults.filter((result) => result.status === 'failed' && !hasFailedTest(result)).length;
  return { passed: report.numPassedTests, failed: report.numFailedTests + broken };
}

function hasFailedTest(result) {
  return result.assertionResults.some((test) => test.status === 'failed');
}
