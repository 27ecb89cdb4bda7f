import { globSync, readFileSync } from 'node:fs';
import { Combobox, DEFAULT_THEME, MantineProvider, mergeMantineTheme } from '@mantine/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { cssVariables, theme } from './theme.ts';

/** Files that draw verdicts, or the limits that verdicts are based on. */
const ofVerdicts = [
  'theme.ts',
  'ui/status-badge.module.css',
  'features/inspection/inspection.module.css',
  'features/analyses/kinds/plot-histogram.ts',
];

test('green and red mean a verdict; nothing else uses these colours', () => {
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

test("a native select has the same arrow as Mantine's, in the same colour", () => {
  const drawn = renderToStaticMarkup(createElement(MantineProvider, null, createElement(Combobox.Chevron)));
  const [, path] = /<path d="([^"]+)"/.exec(drawn) ?? [];
  expect(path).toBeTruthy();
  // Mantine colours the arrow with the seventh grey in the light scheme and the fourth dark in the dark scheme.
  const { light, dark } = cssVariables(mergeMantineTheme(DEFAULT_THEME, theme));
  for (const [scheme, ink] of [
    [light, theme.colors?.['gray']?.[6]],
    [dark, theme.colors?.['dark']?.[3]],
  ] as const) {
    const arrow = decodeURIComponent(scheme['--sw-arrow'] ?? '');
    expect(arrow).toContain(`d="${path}"`);
    expect(arrow).toContain(`fill="${ink}"`);
  }
  const plain = readFileSync(new URL('global.css', import.meta.url), 'utf8');
  expect(plain).toMatch(/select:not\(\[class\]\) \{[^}]*background-image: var\(--sw-arrow\)/);
  const others = globSync('**/*.css', { cwd: new URL('.', import.meta.url) }).filter((file) =>
    /select[^{}]*\{[^}]*background(-image)?: (?!transparent)[^;]*(url|gradient)/.test(
      readFileSync(new URL(file, import.meta.url), 'utf8'),
    ),
  );
  expect(others).toEqual([]);
});
