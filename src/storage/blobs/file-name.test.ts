import { expect, test } from 'vitest';
import { safeName } from './file-name.ts';

test('a name is a single path segment on every system', () => {
  expect(safeName('../../etc/passwd')).toBe('-..-etc-passwd');
  expect(safeName('a\u0000b<c>:d"e|f?g*h\\i')).toBe('a-b-c--d-e-f-g-h-i');
  expect(safeName('  . ')).toBe('unnamed');
  expect(safeName('CON.txt')).toBe('_CON.txt');
  expect(safeName('Gehäuse Ø12')).toBe('Gehäuse Ø12');
});

test('invisible characters and direction controls are removed from a name', () => {
  expect(safeName('part\u202egnp.exe')).toBe('partgnp.exe');
  expect(safeName('a\u200bb\ufeffc')).toBe('abc');
  expect(safeName('\u200b')).toBe('unnamed');
  expect(safeName('a\u0085b\u2028c')).toBe('a-b-c');
});

test('a long name is shortened to whole characters, keeping its extension', () => {
  expect(safeName('检'.repeat(200))).toBe('检'.repeat(60));
  expect(safeName(`${'x'.repeat(200)}.nii.gz`)).toBe(`${'x'.repeat(113)}.nii.gz`);
  expect(safeName(`a${'😀'.repeat(100)}.stl`)).toBe(`a${'😀'.repeat(43)}.stl`);
  expect(safeName(`${'x'.repeat(118)}. y`)).toBe('x'.repeat(118));
});
