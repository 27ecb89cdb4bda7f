import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const code = globSync('src/web/**/*.{ts,tsx}', { cwd: root }).map(read);

/** Class names that a style sheet has rules for. */
const listClasses = (sheet: string): Set<string> => {
  const selectors = sheet.replaceAll(/\/\*[\s\S]*?\*\//g, '').matchAll(/([^{};]+)\{/g);
  const names = [...selectors].flatMap(([, selector = '']) => [...selector.matchAll(/\.([a-zA-Z][\w-]*)/g)]);
  return new Set(names.map(([, name = '']) => name));
};

test.each(globSync('src/web/**/*.module.css', { cwd: root }))(
  'each class of %s is named where it is imported',
  (file) => {
    const users = code.filter((text) => text.includes(path.basename(file)));
    const classes = [...listClasses(read(file))];
    expect(classes.length).toBeGreaterThan(0);
    expect(classes.filter((name) => !users.some((text) => new RegExp(`['.]${name}\\b`).test(text)))).toEqual(
      [],
    );
  },
);
