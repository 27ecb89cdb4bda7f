/**
 * `npm test`: every check and every test. The last line counts them, the lines before it name the failures. A step that
 * can't run counts as failed.
 * `npm test -- nrrd`: the tests whose path contains that word, without the checks.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Outcome, readJourneyReport, readUnitReport } from './reports.ts';

rmSync('test-results', { recursive: true, force: true });
mkdirSync('test-results', { recursive: true });
// Dozens of processes and threads load the same modules: all but the first find them in the compile cache.
process.env.NODE_COMPILE_CACHE ??= resolve('dist/compiled');
// Node runs journeys directly; Playwright's own compiler needs three times the CPU time for the same.
process.env.PW_DISABLE_TS_ESM ??= '1';

const words = process.argv.slice(2);
const count = { passed: 0, failed: 0 };
/** Listed again at the end, because a log may be truncated before it. */
const failures: string[] = [];
const flaky: string[] = [];
const run = (title: string, command: string, ...args: string[]) => {
  console.log(`\n== ${title}`);
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  return status === 0;
};
/** Prints its output when it has ended, because other checks run at the same time. */
const check = async (title: string, command: string, ...args: string[]) => {
  const said: Buffer[] = [];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => said.push(chunk));
  const passed = await new Promise<boolean>((settle) => {
    child.once('error', (error) => {
      said.push(Buffer.from(`${error}\n`));
      settle(false);
    });
    child.once('close', (status) => settle(status === 0));
  });
  count[passed ? 'passed' : 'failed']++;
  if (!passed) failures.push(title);
  console.log(`\n== ${title}\n${Buffer.concat(said)}== ${title}: ${passed ? 'passed' : 'FAILED'}`);
};
/** Adds a runner's report; a runner that failed without naming a failed test counts as one failure. */
const tests = (title: string, readReport: () => Outcome, command: string, ...args: string[]) => {
  const ok = run(title, command, ...args);
  let found: Outcome = { passed: 0, failed: 0, failures: [], flaky: [] };
  try {
    found = readReport();
  } catch (error) {
    console.error(`${title} left no report: ${error}`);
  }
  if (found.failed === 0 && (!ok || (found.passed === 0 && words.length === 0))) found.failed = 1;
  count.passed += found.passed;
  count.failed += found.failed;
  failures.push(...(found.failed > 0 && found.failures.length === 0 ? [title] : found.failures));
  flaky.push(...found.flaky);
};
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

// The tests need only the build: they start beside the checks, which use one of two processors each.
const checks =
  words.length === 0
    ? [
        check('Types', 'node', '.ci/typecheck.ts'),
        check('Lint', 'biome', 'check', '.'),
        check('Floors', 'npm', 'run', '--silent', 'floors'),
      ]
    : [];
await check('Build', 'node', 'src/build.ts');
tests(
  'Unit and HTTP tests',
  () => readUnitReport(read('test-results/unit.json'), process.cwd()),
  'vitest',
  'run',
  '--reporter=default',
  '--reporter=json',
  '--outputFile.json=test-results/unit.json',
  ...words,
  ...(words.length > 0 ? ['--passWithNoTests'] : []),
);
await Promise.all(checks);
const isWanted = (journey: string) => words.length === 0 || words.some((word) => journey.includes(word));
if (readdirSync('e2e').some((file) => isWanted(`e2e/${file}`)))
  tests(
    'Journeys in a browser, three at a time',
    () => readJourneyReport(read('test-results/e2e.json')),
    'playwright',
    'test',
    ...(words.length > 0 ? ['--pass-with-no-tests', ...words] : []),
  );

if (words.length > 0 && count.passed + count.failed === 1) {
  console.error(`no test's path has ${words.join(' or ')} in it`);
  count.failed = 1;
}
for (const name of flaky) console.log(`passed at the second try: ${name}`);
for (const name of failures) console.log(`FAILED: ${name}`);
console.log(`\n${count.passed} passed, ${count.failed} failed`);
process.exit(count.failed === 0 ? 0 : 1);
