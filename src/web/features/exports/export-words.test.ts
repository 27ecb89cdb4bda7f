import { describe, expect, it } from 'vitest';
import { describeContents } from './export-words.ts';

describe('an export in words', () => {
  it('names what it holds', () => {
    const none = { exportMeshes: false, exportVolumes: false, exportRadiographs: false };
    const stored = { ...none, volumeFormat: 'nrrd', meshFormats: [] } as const;
    expect(describeContents({ ...stored, meshFormats: [] })).toBe('Nothing');
    expect(
      describeContents({ ...stored, exportMeshes: true, exportVolumes: true, meshFormats: ['stl', '3mf'] }),
    ).toBe('Meshes and results (STL, 3MF), volumes (NRRD)');
    expect(
      describeContents({ ...stored, exportRadiographs: true, volumeFormat: 'omeZarr', meshFormats: [] }),
    ).toBe('Radiographs (OME-Zarr)');
  });
});
