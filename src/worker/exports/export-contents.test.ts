import { expect, test } from 'vitest';
import { exportFileName, safeName } from './export-contents.ts';

test('a name is one step of a path on every system', () => {
  expect(safeName('../../etc/passwd')).toBe('-..-etc-passwd');
  expect(safeName('a\u0000b<c>:d"e|f?g*h\\i')).toBe('a-b-c--d-e-f-g-h-i');
  expect(safeName('  . ')).toBe('unnamed');
  expect(safeName('CON.txt')).toBe('_CON.txt');
  expect(safeName('Gehäuse Ø12')).toBe('Gehäuse Ø12');
});

test('an archive is named by project, part and day', () => {
  const at = new Date('2026-11-21T23:59:59Z');
  expect(exportFileName({ name: 'Hollow housing', partNumber: 'HH-200', serialNumber: '0007' }, at)).toBe(
    'Hollow housing_HH-200_0007_2026-11-21.zip',
  );
  expect(exportFileName({ name: 'a/b', partNumber: null, serialNumber: ' ' }, at)).toBe('a-b_2026-11-21.zip');
});
