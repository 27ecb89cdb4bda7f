import { describe, expect, it } from 'vitest';
import { describeContents, describePart } from './export-words.ts';

describe('The description of an export', () => {
  it('names its contents', () => {
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

  it('states the size of each part in a sentence', () => {
    const part = { part: 'radiographs' as const, dataObjectCount: 2, sizeBytes: 3_000_000 };
    expect(describePart('The projections', undefined)).toBe('The projections.');
    expect(describePart('The projections', part)).toMatch(/^The projections, about 3.*MB\.$/);
    expect(describePart('The projections', { ...part, dataObjectCount: 0 })).toBe(
      'The projections: there are none.',
    );
  });
});
