import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { analyses } from './registry.ts';

const src = path.join(import.meta.dirname, '..', '..');
const isProduct = (file: string) => !/\.test\.tsx?$|\.gen\.|(^|\/)(testing|generated|fixtures)\//.test(file);
const sources = globSync('**/*.{ts,tsx}', { cwd: src })
  .filter(isProduct)
  .map((file) => ({ file, text: readFileSync(path.join(src, file), 'utf8') }));

/** The files of a kind, named after its file in the contract. */
function findOwnFiles(key: string): string[] {
  const declared = sources.filter(({ text }) => text.includes(`key: '${key}'`));
  expect(declared.map((each) => path.dirname(each.file))).toEqual(['contract/analyses']);
  const file = declared[0]?.file ?? '';
  const name = path.basename(file, '.ts');
  return [file, `analyses/${name}.ts`, `web/features/analyses/kinds/${name}.tsx`];
}

const filesWith = (pattern: RegExp) =>
  sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);

it('searches all product sources', () => {
  expect(sources.length).toBeGreaterThan(500);
  expect(filesWith(/declareAnalysis\(/).length).toBe(analyses.length);
});

it.each(analyses)('names $key only in its own files', ({ key }) => {
  const own = findOwnFiles(key);
  expect(filesWith(new RegExp(`\\b${key}\\b`)).filter((file) => !own.includes(file))).toEqual([]);
});

// “mesh” is also a kind of data imported from files.
it.each(analyses.filter(({ statusKey }) => statusKey !== 'mesh'))(
  'names the status key of $key, $statusKey, only in its own files',
  ({ key, statusKey }) => {
    const own = findOwnFiles(key);
    // As a string, or as a field name when it is not a common word.
    const asField = /[A-Z]/.test(statusKey) ? `|^\\s*${statusKey}: [{[]` : '';
    const asText = new RegExp(`['"\`]${statusKey}['"\`]${asField}`, 'm');
    expect(filesWith(asText).filter((file) => !own.includes(file))).toEqual([]);
  },
);
