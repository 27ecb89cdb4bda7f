import type { KernelPool } from '../arena.ts';
import { rangeOnScale } from '../grid/level-field.ts';
import type { GreyOutline } from '../grid/outline.ts';
import { planeReader } from '../grid/plane-reader.ts';
import { wholeGrid } from '../grid/region.ts';
import { bytesPerVoxel, type LevelField, type SlabSource, voxelArray } from '../grid/volume.ts';

/** A volume on the scale of local air and material, converted while it is read: never in memory as a whole. */
export function levelledSource(source: SlabSource, field: LevelField, pool: KernelPool): SlabSource {
  const levelled: SlabSource = {
    grid: source.grid,
    dataType: 'uint16',
    levelledOf: { source, field },
    readSlab: (zStart, zEnd) =>
      pool.withArena(async (arena) => {
        const [nx, ny] = source.grid.dimensions;
        const planes = zEnd - zStart;
        const purpose = 'The local levels';
        const bytes = nx * ny * planes * bytesPerVoxel.uint16;
        const address = arena.allocate(bytes, purpose);
        const read = planeReader(levelled, wholeGrid(source.grid), arena, { planes, purpose });
        await read({ address, first: zStart }, zStart, zEnd);
        const slab = voxelArray('uint16', nx * ny * planes);
        new Uint8Array(slab.buffer).set(arena.bytes(address, bytes));
        return slab;
      }),
  };
  return levelled;
}

/** The outline on that scale: upper bounds of the converted grey values. */
export function levelledOutline(outline: GreyOutline, field: LevelField): GreyOutline {
  const { step, greatest } = outline;
  const onScale = (values: (number | null)[], axis: number) =>
    values.map((grey, i) =>
      grey === null ? null : rangeOnScale(field, grey, axis, i * step, (i + 1) * step - 1)[1],
    );
  return { step, greatest: [onScale(greatest[0], 0), onScale(greatest[1], 1), onScale(greatest[2], 2)] };
}
