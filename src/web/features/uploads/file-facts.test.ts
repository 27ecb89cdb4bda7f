import { describe, expect, it } from 'vitest';
import { readFormats } from '#formats/registry.ts';
import { acceptedFormats, describeCost, fileFacts, formatVoxelSize } from './file-facts.ts';

const known = {
  content: 'volume',
  format: 'nrrd',
  bytes: 2,
  memoryBytes: 512e6,
  seconds: 12.4,
  missing: [],
  suggested: {},
  warnings: [],
} as const;

describe('The description of a file', () => {
  it('lists known facts and omits unknown ones', () => {
    expect(
      fileFacts({
        ...known,
        missing: [],
        warnings: [],
        dimensions: [512, 256, 128],
        voxelSizeMm: [0.02, 0.02, 0.02],
        dataType: 'uint16',
      }),
    ).toEqual(['NRRD volume', '512 × 256 × 128 voxels', '20\u202fµm', 'uint16']);
    expect(fileFacts({ ...known, content: 'mesh', missing: [], warnings: [], format: 'stl' })).toEqual([
      'STL mesh',
    ]);
  });

  it('gives one voxel size if all axes are equal, else three', () => {
    expect(formatVoxelSize([0.0195, 0.0195, 0.0195])).toBe('19.5\u202fµm');
    expect(formatVoxelSize([0.1, 0.1, 0.3])).toBe('0.1 × 0.1 × 0.3\u202fmm');
  });

  it('states the import time, at least one second', () => {
    expect(describeCost(known)).toBe('Import takes about 12\u202fs and 512\u202fMB of memory');
    expect(describeCost({ seconds: 0.01, memoryBytes: 1000 })).toContain('about 1\u202fs');
  });

  it('lists at the drop zone exactly the formats that can be read', () => {
    const named = acceptedFormats.map(({ name }) => name);
    expect(named).toEqual([...readFormats.map(({ name }) => name), 'Radiographs']);
    expect(named).toEqual(expect.arrayContaining(['STEP', 'IGES', '3MF', 'NIfTI']));
    expect(named.join()).not.toMatch(/VTI|DICOM/);
  });
});
