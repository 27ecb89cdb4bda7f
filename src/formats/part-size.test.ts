import { describe, expect, it } from 'vitest';
import { identityDirections, makeSlabs } from '#kernels/grid/volume.ts';
import { bytesSource } from './bytes/byte-source.ts';
import { estimate } from './estimate.ts';
import { writeGlb } from './glb/write-glb.ts';
import { writeNrrd } from './nrrd/write-nrrd.ts';
import { openMesh } from './open-mesh.ts';
import { openVolume } from './open-volume.ts';
import { writeStl } from './stl/write-stl.ts';
import { collect } from './testing/collect.ts';

/** A tetrahedron whose longest side is so long, in whatever unit. */
const part = (longest: number) => ({
  positions: Float32Array.from(
    [0, 0, 0, 1, 0, 0, 0, 0.5, 0, 0, 0, 0.25].map((value) => value * longest + 40 * longest),
  ),
  indices: Uint32Array.from([0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]),
});
const stl = (longest: number) => bytesSource('part.stl', writeStl(part(longest)));
const scan = async (voxelMm: number) => {
  const data = new Uint8Array(100 * 50 * 20);
  const grid = {
    dimensions: [100, 50, 20] as [number, number, number],
    voxelSizeMm: [voxelMm, voxelMm, voxelMm] as [number, number, number],
    originMm: [0, 0, 0] as [number, number, number],
    directions: identityDirections(),
  };
  return bytesSource('part.nrrd', await collect(writeNrrd(makeSlabs({ ...grid, dataType: 'uint8', data }))));
};

describe('A part of 0.1 mm or 100 m', () => {
  it.each([
    ['0.1 mm', 0.1, 'mm'],
    ['100 m', 100, 'm'],
    ['100 mm taken for micrometres', 100, 'um'],
    ['20 mm taken for metres', 20, 'm'],
  ] as const)('needs confirmation as a mesh: %s', async (_, longest, unit) => {
    const error = await openMesh([stl(longest)], { unit }).catch((reason) => reason);
    expect(error).toMatchObject({
      code: 'INPUT_INCOMPLETE',
      missing: ['sizeConfirmed'],
      suggested: { unit, sizeMm: [expect.any(Number), expect.any(Number), expect.any(Number)] },
    });
    expect(error.message).toMatch(/would be .* × .* × .* mm in size. Confirm that .* or correct its unit/);
    const { mesh } = await openMesh([stl(longest)], { unit, sizeConfirmed: true });
    expect(mesh.indices).toHaveLength(12);
  });

  it.each([0.001, 100.1])(
    'needs confirmation as a volume of %d mm voxels before the upload',
    async (voxelMm) => {
      const file = await scan(voxelMm);
      await expect(openVolume([file])).rejects.toMatchObject({
        code: 'INPUT_INCOMPLETE',
        missing: ['sizeConfirmed'],
        suggested: { voxelSizeMm: [voxelMm, voxelMm, voxelMm] },
      });
      expect((await estimate([file])).missing).toEqual(['sizeConfirmed']);
      expect((await estimate([file], { sizeConfirmed: true })).missing).toEqual([]);
      expect((await openVolume([file], { sizeConfirmed: true })).grid.voxelSizeMm[0]).toBe(voxelMm);
      // The right voxel size is an answer too.
      expect((await openVolume([file], { voxelSizeMm: [0.1, 0.1, 0.1] })).grid.voxelSizeMm[0]).toBe(0.1);
    },
  );

  it('needs confirmation even if the file states its unit, which may be wrong', async () => {
    const glb = bytesSource('part.glb', writeGlb(part(50_000)));
    await expect(openMesh([glb])).rejects.toMatchObject({
      missing: ['sizeConfirmed'],
      suggested: { sizeMm: [50_000, 25_000, 12_500] },
    });
  });

  it('is not questioned where parts are that large: from 0.3 mm to 9 m', async () => {
    for (const [longest, unit] of [
      [0.3, 'mm'],
      [9, 'm'],
    ] as const)
      expect((await openMesh([stl(longest)], { unit })).warnings).toEqual([]);
  });
});
