import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodeVoxels } from '../bytes/byte-order.ts';
import { bytesSource } from '../bytes/byte-source.ts';
import { openVolume } from '../open-volume.ts';
import { listValues } from '../testing/collect.ts';

const values = new Int16Array([1, -2, 3, -4, 5, -6]);

/** A single-file NIfTI-1 of 3 × 2 × 1 int16 voxels; `change` edits the header. */
function nifti(little: boolean, change: (view: DataView) => void = () => undefined): Uint8Array {
  const bytes = new Uint8Array(352 + 12);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, 348, little);
  [3, 3, 2, 1].forEach((size, i) => {
    view.setInt16(40 + 2 * i, size, little);
  });
  view.setInt16(70, 4, little);
  [1, 500, 250, 1000].forEach((size, i) => {
    view.setFloat32(76 + 4 * i, size, little);
  });
  view.setFloat32(108, 352, little);
  bytes[123] = 3; // micrometres
  bytes.set(new TextEncoder().encode('n+1'), 344);
  bytes.set(encodeVoxels(values, little ? 'little' : 'big'), 352);
  change(view);
  return bytes;
}
const open = (bytes: Uint8Array, name = 'a.nii') => openVolume([bytesSource(name, bytes)]);

describe('NIfTI', () => {
  it.each([true, false])(
    'reads both byte orders and micrometres, plain and in gzip (little endian: %s)',
    async (little) => {
      for (const [bytes, name] of [
        [nifti(little), 'a.nii'],
        [new Uint8Array(gzipSync(nifti(little))), 'a.nii.gz'],
      ] as const) {
        const { grid, slabs, format } = await open(bytes, name);
        expect(format).toBe('nifti');
        expect(grid.voxelSizeMm).toEqual([0.5, 0.25, 1]);
        expect(await listValues(slabs)).toEqual([...values]);
      }
    },
  );

  it('takes axes and origin from the affine rows, else from the quaternion', async () => {
    const affine = nifti(true, (view) => {
      view.setInt16(254, 1, true);
      [-500, 0, 0, 7000, 0, 250, 0, 0, 0, 0, 1000, -1000].forEach((value, i) => {
        view.setFloat32(280 + 4 * i, value, true);
      });
    });
    // 7 mm to the patient's right is −7 in LPS; rows that run to the front are reversed.
    expect((await open(affine)).grid).toMatchObject({
      originMm: [-7, -0.25, -1],
      voxelSizeMm: [0.5, 0.25, 1],
      directions: [1, 0, 0, 0, 1, 0, 0, 0, 1],
    });
    expect(await listValues((await open(affine)).slabs)).toEqual([-4, 5, -6, 1, -2, 3]);
    const turned = nifti(true, (view) => {
      view.setInt16(252, 1, true);
      view.setFloat32(264, Math.SQRT1_2, true); // 90° about z
      view.setFloat32(268, 2000, true);
    });
    const { grid, slabs } = await open(turned);
    [1, 0, 0, 0, 1, 0, 0, 0, 1].forEach((value, i) => {
      expect(grid.directions[i]).toBeCloseTo(value, 6);
    });
    expect(grid.dimensions).toEqual([2, 3, 1]);
    // Columns of the file run to the front, rows to the right: towards −y and x of LPS.
    [-2, -1, 0].forEach((value, i) => {
      expect(grid.originMm[i]).toBeCloseTo(value, 6);
    });
    expect(await listValues(slabs)).toEqual([3, -6, -2, 5, 1, -4]);
  });

  it('refuses four dimensions, other types, and more voxels than there are bytes', async () => {
    await expect(
      open(
        nifti(true, (view) => {
          view.setInt16(40, 4, true);
          view.setInt16(48, 5, true);
        }),
      ),
    ).rejects.toThrow(/3 × 2 × 1 × 5/);
    await expect(open(nifti(true, (view) => view.setInt16(70, 32, true)))).rejects.toThrow(
      /type 32 is not read/,
    );
    await expect(open(nifti(true, (view) => view.setInt16(42, 3000, true)))).rejects.toThrow(
      /need 12352 bytes, but there are 364/,
    );
    await expect(open(nifti(true, (view) => view.setFloat32(108, Number.NaN, true)))).rejects.toThrow(
      /at byte NaN/,
    );
  });

  it('applies slope and intercept, and leaves grey values alone where there is no slope', async () => {
    const scaledBy = (slope: number, intercept: number, type?: number) =>
      open(
        nifti(true, (view) => {
          view.setFloat32(112, slope, true);
          view.setFloat32(116, intercept, true);
          if (type) view.setInt16(70, type, true);
        }),
      );
    const scaled = await scaledBy(2, -1024);
    expect(scaled.dataType).toBe('float32');
    expect(await listValues(scaled.slabs)).toEqual([...values].map((value) => 2 * value - 1024));
    for (const slope of [0, 1, Number.NaN]) {
      const plain = await scaledBy(slope, 0);
      expect([plain.dataType, await listValues(plain.slabs)]).toEqual(['int16', [...values]]);
    }
    expect((await scaledBy(1, 5)).dataType).toBe('float32');
    await expect(scaledBy(2, Number.NaN)).rejects.toThrow(/intercept of the grey values is NaN/);
  });

  it('reports gzip data after the last voxel', async () => {
    const bytes = new Uint8Array(gzipSync(Buffer.concat([nifti(true), Buffer.alloc(12)])));
    const { slabs, warnings } = await open(bytes, 'a.nii.gz');
    expect(await listValues(slabs)).toEqual([...values]);
    expect(warnings.join()).toMatch(/goes on behind the last voxel/);
  });
});
