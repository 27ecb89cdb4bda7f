import { expect, it } from 'vitest';
import { readJourneyReport, readUnitReport } from './reports.ts';

const nameTest = (fullName: string, status: string) => ({ fullName, status });

it('names each failed unit test by its file and title', () => {
  const report = {
    ...{ numPassedTests: 2, numFailedTests: 2, numFailedTestSuites: 1 },
    testResults: [
      {
        ...{ name: '/house/src/kernels/a.test.ts', status: 'failed', message: '' },
        assertionResults: [
          nameTest('a sphere has its volume', 'passed'),
          nameTest('a sphere has its area', 'failed'),
          nameTest('a box has its area', 'failed'),
        ],
      },
      {
        ...{ name: '/house/src/kernels/b.test.ts', status: 'passed', message: '' },
        assertionResults: [nameTest('a ring is one', 'passed')],
      },
    ],
  };
  expect(readUnitReport(report, '/house')).toEqual({
    passed: 2,
    failed: 2,
    failures: ['src/kernels/a.test.ts › a sphere has its area', 'src/kernels/a.test.ts › a box has its area'],
    flaky: [],
  });
});

it('names a file that could not be loaded, with the reason', () => {
  const report = {
    ...{ numPassedTests: 0, numFailedTests: 0, numFailedTestSuites: 1 },
    testResults: [
      {
        ...{ name: '/house/.ci/c.test.ts', status: 'failed', message: 'Cannot find module\n at line 1' },
        assertionResults: [],
      },
    ],
  };
  expect(readUnitReport(report, '/house')).toMatchObject({
    failed: 1,
    failures: ['.ci/c.test.ts › Cannot find module'],
  });
});

it('names failed journeys, those that passed on retry, and failures before the first one', () => {
  const nameSpec = (file: string, title: string, status: string) => ({ file, title, tests: [{ status }] });
  const report = {
    stats: { expected: 1, flaky: 1, unexpected: 1 },
    suites: [
      {
        title: 'panes.e2e.ts',
        specs: [
          nameSpec('panes.e2e.ts', 'four panes', 'expected'),
          nameSpec('panes.e2e.ts', 'one pane', 'flaky'),
        ],
        suites: [{ title: 'keys', specs: [nameSpec('panes.e2e.ts', 'arrows move the slice', 'unexpected')] }],
      },
    ],
    errors: [{ message: 'No browser was found.\n at line 3' }],
  };
  expect(readJourneyReport(report)).toEqual({
    passed: 2,
    failed: 1,
    failures: ['e2e/panes.e2e.ts › arrows move the slice', 'e2e › No browser was found.'],
    flaky: ['e2e/panes.e2e.ts › one pane'],
  });
});
