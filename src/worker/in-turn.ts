import type { SlabSource, VoxelArray } from '#kernels/grid/volume.ts';

/**
 * Reads planes in their order, several of which may be asked for at once, and passes all of them on. The next ones are read
 * while these are passed on, and none beyond: memory of a slab more than without.
 */
export function inTurn(
  source: Pick<SlabSource, 'readSlab'>,
  pass: (planes: VoxelArray) => Promise<void>,
): SlabSource['readSlab'] {
  let next = 0;
  let begun: Promise<unknown> = Promise.resolve();
  let passed: Promise<unknown> = Promise.resolve();
  return (zStart, zEnd, signal) => {
    if (zStart !== next) throw new RangeError(`planes from ${zStart} on were requested instead of ${next}`);
    next = zEnd;
    const reading = begun.then(() => source.readSlab(zStart, zEnd, signal));
    const begins = Promise.all([reading, passed]);
    const passing = begins.then(async ([planes]) => {
      await pass(planes);
      return planes;
    });
    begun = begins;
    passed = passing;
    return passing;
  };
}
