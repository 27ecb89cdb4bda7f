/**
 * Filtered back-projection of radiographs: cone beam (Feldkamp, Davis and Kress 1984, doi:10.1364/JOSAA.1.000612), fan
 * and parallel beam. Projections are read in batches and the volume is accumulated in slabs of planes, so that memory
 * is bounded for any size of either; batches, slabs and threads do not affect the result. O(cells · projections).
 */

import type { KernelPool } from '../arena.ts';
import { KernelError } from '../kernel-error.ts';
import { backProjectAll, chooseBinning } from './back-project.ts';
import { checkField } from './check-field.ts';
import { correctionImages } from './correction-images.ts';
import { type AngleCover, angleCover, checkGeometry, type ScanGeometry } from './geometry.ts';
import {
  type Plan,
  purpose,
  type Radiographs,
  type ReconstructionFacts,
  type ReconstructionOptions,
  type ReconstructionWarning,
} from './plan.ts';
import { previewGrid } from './preview-grid.ts';
import { findRingStripes } from './ring-stripes.ts';
import { surveyScan } from './survey-scan.ts';
import { virtualDetector } from './virtual-detector.ts';

/**
 * Passes the volume (attenuation in 1/mm, f32) to `write`, plane by plane, after calling `begin` with its size.
 * @throws KernelError BAD_INPUT for an impossible geometry, TOO_LARGE
 */
export async function reconstruct(
  radiographs: Radiographs,
  pool: KernelPool,
  options: ReconstructionOptions,
  begin: (facts: ReconstructionFacts) => Promise<(planes: Float32Array<ArrayBuffer>) => Promise<void>>,
): Promise<ReconstructionFacts> {
  const { geometry, projections } = radiographs;
  checkGeometry(geometry);
  const [columns, rows, count] = projections.grid.dimensions;
  if (columns !== geometry.columns || rows !== geometry.rows || count !== geometry.anglesDeg.length) {
    throw new KernelError(
      'BAD_INPUT',
      `There are ${count} projections of ${columns} × ${rows} pixels, but the geometry speaks of ${geometry.anglesDeg.length} of ${geometry.columns} × ${geometry.rows}.`,
    );
  }
  return pool.withArena(async (arena) => {
    const detector = virtualDetector(geometry);
    const cover = angleCover(geometry.beam, geometry.anglesDeg);
    const warnings = coverWarnings(geometry, cover);
    const { layout, flatLevel } = await correctionImages(radiographs, detector, arena, options, warnings);
    const plan: Plan = { radiographs, options, detector, cover, layout, warnings };
    const { densest } = await checkField(plan, arena);
    const { mean, alternating, center } = await surveyScan(plan, arena);
    const isMirrored = cover.fullTurn && !geometry.views && detector.map === null;
    const axisColumn = isMirrored ? center.column : null;
    const means = { columns, rows, mean, alternating, axisColumn };
    const rings = options.ringCorrection ? await findRingStripes(means, arena) : null;
    if (rings) {
      plan.layout = { ...layout, stripes: arena.allocate(rings.stripes.byteLength, purpose) };
      arena.floats(plan.layout.stripes, rings.stripes.length).set(rings.stripes);
    }
    const grid = options.cells ?? previewGrid(geometry, detector, center.column, options.maxDimension);
    const facts: ReconstructionFacts = {
      grid,
      centerColumn: center.column,
      centerOfRotationMm: (center.column - (columns - 1) / 2) * geometry.pixelSizeMm[0],
      howFound: center.howFound,
      mismatch: center.mismatch,
      centerUncertaintyMm: center.uncertainty === null ? null : center.uncertainty * geometry.pixelSizeMm[0],
      binning: chooseBinning(geometry, detector, grid),
      cover: { fullTurn: cover.fullTurn, rangeDeg: cover.rangeDeg },
      ringLevel: rings?.level ?? null,
      flatLevel,
      densestIntegral: densest,
      warnings,
    };
    const write = await begin(facts);
    await backProjectAll(plan, facts, arena, write);
    return facts;
  });
}

function coverWarnings(
  { beam, anglesDeg, pixelSizeMm, columns }: ScanGeometry,
  cover: AngleCover,
): ReconstructionWarning[] {
  const warnings: ReconstructionWarning[] = [];
  const needed = beam === 'parallel' ? 180 : 180 + 1;
  if (cover.rangeDeg < needed - 0.5) {
    warnings.push({
      code: 'ANGLES_MISSING',
      message: `The projections cover ${cover.rangeDeg.toFixed(1)}° only: directions that were not seen are missing in the volume.`,
    });
  }
  const wanted = (Math.PI / 2) * columns * (cover.fullTurn || beam !== 'parallel' ? 1 : 0.5);
  if (anglesDeg.length < wanted / 4) {
    warnings.push({
      code: 'FEW_PROJECTIONS',
      message: `${anglesDeg.length} projections are few for ${columns} columns of ${pixelSizeMm[0]} mm: streaks are to be expected.`,
    });
  }
  return warnings;
}
