import { expect, test } from 'vitest';
import { exportFileName } from './export-contents.ts';

test('an archive is named after project, part and day', () => {
  const at = new Date('2026-11-21T23:59:59Z');
  expect(exportFileName({ name: 'Hollow housing', partNumber: 'HH-200', serialNumber: '0007' }, at)).toBe(
    'Hollow housing_HH-200_0007_2026-11-21.zip',
  );
  expect(exportFileName({ name: 'a/b', partNumber: null, serialNumber: ' ' }, at)).toBe('a-b_2026-11-21.zip');
});
