import { globSync, readFileSync } from 'node:fs';
import { Combobox, DEFAULT_THEME, MantineProvider, mergeMantineTheme } from '@mantine/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { cssVariables, theme } from './theme.ts';

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

test("a plain choice carries the arrow of Mantine's, in the same colour", () => {
  const drawn = renderToStaticMarkup(createElement(MantineProvider, null, createElement(Combobox.Chevron)));
  const [, path] = /<path d="([^"]+)"/.exec(drawn) ?? [];
  expect(path).toBeTruthy();
  // Mantine's own rule for the arrow: the seventh grey where it is light, the fourth dark where it is dark.
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
