import type { SlabSource } from '#kernels/grid/volume.ts';

/**
 * The same planes; after reading all, `warnings` receives the number of non-finite voxels. Inside a part they would
 * count as pores that were never scanned, or as material.
 *
 * @param name of the file
 */
export function warnOfNoNumbers(slabs: SlabSource, name: string, warnings: string[]): SlabSource {
  if (!slabs.dataType.startsWith('float')) return slabs;
  /** by plane, as planes may be read more than once */
  const found = new Map<number, number>();
  const [nx, ny, nz] = slabs.grid.dimensions;
  let isLevelKnown = false;
  const addWarning = () => {
    isLevelKnown = true;
    const count = [...found.values()].reduce((sum, each) => sum + each, 0);
    if (count === 0) return;
    warnings.push(
      `${name}: ${count === 1 ? 'one voxel holds' : `${count} voxels hold`} no finite number. What is +∞ counts as material, NaN and −∞ as air.`,
    );
  };
  return {
    ...slabs,
    readSlab: async (zStart, zEnd, signal) => {
      const values = await slabs.readSlab(zStart, zEnd, signal);
      if (isLevelKnown) return values;
      for (let z = zStart, at = 0; z < zEnd; z++) {
        let none = 0;
        for (const end = at + nx * ny; at < end; at++) if (!Number.isFinite(values[at])) none++;
        found.set(z, none);
      }
      if (found.size === nz) addWarning();
      return values;
    },
  };
}
