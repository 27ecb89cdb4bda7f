/** Outcome of a test run; each name is a file and the title of a test in it. */
export interface Outcome {
  passed: number;
  failed: number;
  failures: string[];
  /** Tests that passed on retry. */
  flaky: string[];
}

interface UnitReport {
  numPassedTests: number;
  numFailedTests: number;
  numFailedTestSuites: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string }[];
  }[];
}

/**
 * Reads Vitest's JSON. A file that could not be loaded, or whose hook failed, has no failed test; the file itself is
 * named.
 */
export function readUnitReport(report: UnitReport, root: string): Outcome {
  const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = name.replace(`${root}/`, '');
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length > 0) return failed.map(({ fullName }) => `${file} › ${fullName}`);
    return status === 'failed' ? [`${file} › ${message.split('\n')[0]}`] : [];
  });
  return {
    passed: report.numPassedTests,
    failed: Math.max(report.numFailedTests, report.numFailedTests === 0 ? report.numFailedTestSuites : 0),
    failures,
    flaky: [],
  };
}

interface JourneySuite {
  title: string;
  specs: { file: string; title: string; tests: { status: string }[] }[];
  suites?: JourneySuite[];
}

interface JourneyReport {
  stats: { expected: number; flaky: number; unexpected: number };
  suites: JourneySuite[];
  /** Errors outside every test, for example in the global setup. */
  errors: { message?: string }[];
}

/** Reads Playwright's JSON. */
export function readJourneyReport({ stats, suites, errors }: JourneyReport): Outcome {
  const listSpecs = (suite: JourneySuite): JourneySuite['specs'] => [
    ...suite.specs,
    ...(suite.suites ?? []).flatMap(listSpecs),
  ];
  const specs = suites.flatMap(listSpecs);
  const nameAll = (wanted: string) =>
    specs
      .filter(({ tests }) => tests.some(({ status }) => status === wanted))
      .map(({ file, title }) => `e2e/${file} › ${title}`);
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected,
    failures: [
      ...nameAll('unexpected'),
      ...errors.map(({ message = '' }) => `e2e › ${message.split('\n')[0]}`),
    ],
    flaky: nameAll('flaky'),
  };
}
