import { describe, expect, it } from 'vitest';
import { contentsInWords, isUnfinished } from './export-words.ts';

describe('an export in words', () => {
  it('names what it holds', () => {
    expect(contentsInWords({ exportMeshes: true, exportVolumes: true, exportRadiographs: false })).toBe(
      'Meshes and results, volumes',
    );
    expect(contentsInWords({ exportMeshes: false, exportVolumes: false, exportRadiographs: false })).toBe(
      'Nothing',
    );
  });

  it('takes an unknown status for finished', () => {
    expect(isUnfinished('pending')).toBe(true);
    expect(isUnfinished('shelved')).toBe(false);
  });
});
