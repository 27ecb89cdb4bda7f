import type { Arena } from '../arena.ts';
import { KernelError } from '../kernel-error.ts';
import type { ProjectionLayout } from './filter-projections.ts';
import { freeBeamLevel } from './line-integrals.ts';
import { purpose, type Radiographs, type ReconstructionOptions, type ReconstructionWarning } from './plan.ts';
import { excludeStuckPixels } from './stuck-pixels.ts';
import type { VirtualDetector } from './virtual-detector.ts';

/** Stores dark and gain images in the arena, and the pixel positions of a tilted detector. */
export async function correctionImages(
  { geometry, projections, values, flat, dark, flatLevel, darkLevel }: Radiographs,
  detector: VirtualDetector,
  arena: Arena,
  { scatterShare = 0 }: ReconstructionOptions,
  warnings: ReconstructionWarning[],
): Promise<{ layout: ProjectionLayout; flatLevel: number | null }> {
  const { columns, rows } = geometry;
  const pixels = columns * rows;
  for (const [name, image] of [
    ['flat', flat],
    ['dark', dark],
  ] as const) {
    if (image && image.length !== pixels) {
      throw new KernelError(
        'BAD_INPUT',
        `The ${name} image has ${image.length} pixels, a projection has ${pixels}.`,
      );
    }
  }
  let level = flatLevel ?? null;
  if (values === 'counts' && !flat && level === null) {
    level = freeBeamLevel(await projections.readSlab(0, 1), columns);
    warnings.push({
      code: 'FREE_BEAM_ASSUMED',
      message: `There are no flat images: ${Number(level.toPrecision(5))}, what the borders of the first projection show, was taken for the free beam.`,
    });
  }
  if (!(scatterShare >= 0 && scatterShare < 1))
    throw new KernelError(
      'BAD_INPUT',
      `The share of scatter is ${scatterShare}; it must be from 0 to below 1, as a share of the free beam.`,
    );
  const layout: ProjectionLayout = {
    dataType: projections.dataType,
    values,
    columns,
    rows,
    dark: arena.allocate(pixels * 4, purpose),
    gain: arena.allocate(pixels * 4, purpose),
    scatterShare,
    stripes: 0,
    rowsReversed: detector.rowsReversed,
  };
  const [darks, gains] = [arena.floats(layout.dark, pixels), arena.floats(layout.gain, pixels)];
  for (let i = 0; i < pixels; i++) {
    darks[i] = dark ? dark[i] : (darkLevel ?? 0);
    const span = (flat ? flat[i] : (level ?? 1)) - darks[i];
    gains[i] = span > 0 && span < Infinity ? 1 / span : 0;
  }
  if (values === 'counts') await excludeStuckPixels(projections, darks, gains);
  const dead = gains.reduce((sum, gain) => sum + Number(gain === 0), 0);
  if (values === 'counts' && dead === pixels) {
    throw new KernelError(
      'BAD_INPUT',
      'No pixel of the flat image is brighter than the dark one: check flat and dark.',
    );
  }
  if (values === 'counts' && dead > 0)
    warnings.push({
      code: 'DEAD_PIXELS',
      message: `${dead} dead pixels were filled in from their neighbours.`,
    });
  return { layout, flatLevel: values === 'counts' && !flat ? level : null };
}
