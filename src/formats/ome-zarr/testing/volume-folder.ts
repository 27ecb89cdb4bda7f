import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { type DataType, type Grid, type Vector3, type VoxelArray, voxelArray } from '#kernels/grid/volume.ts';
import { openDiskStore } from '#storage/blobs/disk-store.ts';
import { storedBytes } from '../layout.ts';
import { openVolumeReader, type VolumeReader } from '../volume-reader.ts';
import { createVolumeWriter } from '../volume-writer.ts';

export const grid = (dimensions: Vector3, change: Partial<Grid> = {}): Grid => ({
  dimensions,
  voxelSizeMm: [1, 1, 1],
  originMm: [0, 0, 0],
  directions: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  ...change,
});

/** A different value for neighbouring voxels, within the range of the type. */
export function filled(
  dimensions: Vector3,
  dataType: DataType,
  value: (x: number, y: number, z: number) => number,
): VoxelArray {
  const [nx, ny, nz] = dimensions;
  const voxels = voxelArray(dataType, nx * ny * nz);
  let at = 0;
  for (let z = 0; z < nz; z += 1)
    for (let y = 0; y < ny; y += 1) for (let x = 0; x < nx; x += 1) voxels[at++] = value(x, y, z);
  return voxels;
}

/** Neighbouring voxels get values far apart. */
export const hash = (x: number, y: number, z: number): number =>
  ((x * 73_856_093) ^ (y * 19_349_663) ^ (z * 83_492_791)) & 0x7fff;

/** A store in a temporary folder with functions to write volumes; `remove` deletes the folder. */
export async function openVolumeFolder() {
  const directory = await mkdtemp(path.join(tmpdir(), 'scanwright-volume-'));
  const store = await openDiskStore(directory);
  let count = 0;
  async function written(
    voxels: VoxelArray,
    dataType: DataType,
    volume: Grid,
    planesAtATime = 7,
    levels?: number,
  ): Promise<VolumeReader> {
    count += 1;
    const key = `volumes/test/${count}`;
    const writer = createVolumeWriter(store, key, { ...volume, dataType, levels });
    const plane = volume.dimensions[0] * volume.dimensions[1];
    for (let at = 0; at < voxels.length; at += plane * planesAtATime) {
      await writer.append(voxels.subarray(at, at + plane * planesAtATime));
    }
    const { sizeBytes } = await writer.finish();
    expect(sizeBytes).toBe(storedBytes(writer.meta));
    return openVolumeReader(store, key);
  }
  return { directory, store, written, remove: () => rm(directory, { recursive: true, force: true }) };
}
