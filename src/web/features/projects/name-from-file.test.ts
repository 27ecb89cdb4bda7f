import { expect, it } from 'vitest';
import { readPartFromName } from './name-from-file.ts';

it.each([
  ['H-77_housing_0412.nii.gz', 'H-77 housing 0412', 'H-77'],
  ['VH-210-A valve.stl', 'VH-210-A valve', 'VH-210-A'],
  ['4711-02_blade.nrrd', '4711-02 blade', '4711-02'],
  ['CT0815_FB033.tif', 'CT0815 FB033', 'FB033'],
  ['cast rod 2.vgl', 'cast rod 2', ''],
  ['scan_0001.tiff', 'scan 0001', ''],
  ['.nrrd', '.nrrd', ''],
  [`${'a'.repeat(300)}.stl`, 'a'.repeat(200), ''],
])('%s is read as %s', (fileName, name, partNumber) => {
  expect(readPartFromName(fileName)).toEqual({ name, partNumber });
});
