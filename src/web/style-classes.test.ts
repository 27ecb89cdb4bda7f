import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const here = import.meta.dirname;
const listFiles = (pattern: string) => globSync(pattern, { cwd: here }).map((file) => path.join(here, file));
const readText = (file: string) => readFileSync(file, 'utf8');

/** The classes that each style sheet defines, and those that importing code uses. */
function readSheets() {
  const sources = listFiles('**/*.{ts,tsx}');
  const imports = sources.flatMap((source) => {
    const text = readText(source);
    return [...text.matchAll(/import (\w+) from '([^']+\.css)'/g)].map(([, name = '', from = '']) => ({
      sheet: from.startsWith('#web/') ? path.join(here, from.slice(5)) : path.join(source, '..', from),
      text,
      taken: [...text.matchAll(new RegExp(`(?<![\\w./])${name}(?:\\.|\\[')(\\w+)`, 'g'))].map(
        ([, taken]) => taken,
      ),
    }));
  });
  const composed = listFiles('**/*.module.css').flatMap((user) => {
    const text = readText(user);
    return [...text.matchAll(/composes: (\w+) from "([^"]+)"/g)].map(([, name, from = '']) => ({
      sheet: path.join(user, '..', from),
      text,
      taken: [name],
    }));
  });
  return listFiles('**/*.module.css').map((sheet) => {
    const rules = readText(sheet).replaceAll(/\/\*[\s\S]*?\*\/|"[^"]*"/g, '');
    return {
      file: path.relative(here, sheet),
      named: new Set([...rules.matchAll(/\.([a-zA-Z][\w-]*)/g)].map(([, name = '']) => name)),
      users: [...imports, ...composed].filter((each) => each.sheet === sheet),
    };
  });
}

test('Each class of a style sheet is used by a file that imports it', () => {
  const sheets = readSheets();
  expect(sheets.length).toBeGreaterThan(20);
  const unused = sheets.flatMap(({ file, named, users }) =>
    [...named]
      // by its name, or as a string literal in the code
      .filter((name) => !users.some(({ text, taken }) => taken.includes(name) || text.includes(`'${name}'`)))
      .map((name) => `${file} .${name}`),
  );
  expect(unused).toEqual([]);
});

test('Each class that the code uses exists in its style sheet', () => {
  const missing = readSheets().flatMap(({ file, named, users }) =>
    users
      .flatMap(({ taken }) => taken)
      .filter((name) => name !== undefined && !named.has(name))
      .map((name) => `${file} .${name}`),
  );
  expect(missing).toEqual([]);
});
