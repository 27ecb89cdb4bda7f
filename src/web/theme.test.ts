import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** What draws a verdict, or the limits that one is judged by. */
const ofVerdicts = [
  'theme.ts',
  'ui/status-badge.module.css',
  'features/inspection/inspection.module.css',
  'features/analyses/kinds/plot-histogram.ts',
];

test('green and red mean a verdict, and nothing else has these colours', () => {
  const root = new URL('.', import.meta.url);
  const files = globSync('**/*.{ts,tsx,css}', { cwd: root }).filter(
    (path) => !path.startsWith('api/generated') && !path.includes('.test.'),
  );
  expect(files.length).toBeGreaterThan(200);
  const painted = files.filter((path) =>
    /--sw-(pass|fail)|--mantine-color-(red|green)|\bc(olor)?[=:]\s*["'](red|green)\b|\? '(red|green)'/.test(
      readFileSync(new URL(path, root), 'utf8'),
    ),
  );
  expect(painted.sort()).toEqual([...ofVerdicts].sort());
});
