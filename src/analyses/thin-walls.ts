/**
 * Facts and warnings about walls that are few voxels thick: how they were measured, how well, and when they could not
 * be.
 */

import type { ResultOf } from '#contract/analyses/data-kinds.ts';
import { wallThickness } from '#contract/analyses/wall-thickness.ts';
import { formatNumber } from '#contract/base/format-number.ts';
import { type ThinWalls, thicknessMethods, thinVoxels } from '#kernels/thickness/thin-walls.ts';
import { findDetectionLimit } from '#kernels/walls/detection-limit.ts';
import { findContrastReach } from '#kernels/walls/slab-model.ts';
import type { AnalysisContext } from './analysis.ts';

type Metadata = ResultOf<typeof wallThickness>;
type Described = NonNullable<Metadata['thinWalls']>;

/** In voxels: error of the profile model, and the assumed blur when walls do not show it. */
const [modelVoxels, usualBlur] = [0.02, 0.6];
/** Smaller shares of the surface are rims and corners of thick walls. */
const minShare = 0.001;

/** @returns null when nothing on the surface is thin */
export function describeThinWalls(
  {
    methods,
    look,
    weights,
    toGrey,
  }: Omit<ThinWalls, 'methods'> & {
    methods: Float32Array;
    /** of the filter along each axis */
    weights: readonly number[][];
    toGrey: number;
  },
  { thicknessMm, areaMm2 }: { thicknessMm: Float32Array; areaMm2: Float32Array },
  voxelSizeMm: readonly number[],
): Described | null {
  const voxelMm = Math.max(...voxelSizeMm);
  const blurMm = look?.blurMm ?? null;
  const maxContrastReach = findContrastReach(blurMm ?? 0, voxelMm);
  let [all, thin, byProfile, moved] = [0, 0, 0, 0];
  for (const [v, method] of methods.entries()) {
    const area = areaMm2[v] ?? 0;
    const value = thicknessMm[v] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    all += area;
    if (method === thicknessMethods.betweenFaces) continue;
    thin += area;
    if (method !== thicknessMethods.byProfile) continue;
    byProfile += area;
    moved += area * Math.min(value, maxContrastReach);
  }
  if (!(thin > minShare * all)) return null;
  const uncertaintyMm =
    look && byProfile > 0
      ? 2 * Math.hypot((look.contrastWithin * moved) / byProfile, modelVoxels * voxelMm)
      : null;
  const limits = voxelSizeMm.map((edge, k) =>
    findDetectionLimit(blurMm ?? usualBlur * Math.min(...voxelSizeMm), weights[k] ?? [1], edge),
  );
  return {
    areaShare: thin / all,
    profileShare: byProfile / thin,
    detectionLimitMm: Math.max(...limits),
    uncertaintyMm,
    contrastGray: look && look.contrast * toGrey,
    blurMm,
  };
}

/** If a smaller share was measured by profile, it says nothing about the rest. */
export const minProfileShare = 0.5;
/** A wall of this many voxels is not mistaken for a thin one. */
const safeVoxels = 5;

/**
 * Replaces the scan's general warning about thin walls, since it is known here how they were measured. If they could
 * not be, or walls may be missing from the surface, all numbers that depend on them are unreliable.
 */
export async function warnOfThinWalls(
  { thinWalls, minMm, maxMm }: Pick<Metadata, 'thinWalls' | 'minMm' | 'maxMm'>,
  voxelSizeMm: readonly number[],
  scan: string,
  context: Pick<AnalysisContext, 'quality' | 'doubts'>,
) {
  const doubt = context.doubts.find(({ code }) => code === 'SCAN_THIN_WALLS');
  if (!thinWalls && !doubt) return [];
  const voxelMm = Math.max(...voxelSizeMm);
  const measures = wallThickness.measures
    .map(({ path }) => path)
    .filter((path) => path !== 'maxMm' || maxMm < safeVoxels * voxelMm);
  const about = { code: 'SCAN_THIN_WALLS' as const, measures };
  const quality = await context.quality(scan);
  const seen = quality && quality !== 'unjudged' ? quality.thinnestWallVoxels : null;
  if (!thinWalls) {
    return [{ ...about, message: doubt?.message ?? '', invalidates: true }];
  }
  const { areaShare, profileShare, detectionLimitMm, uncertaintyMm } = thinWalls;
  const mm = (value: number) => `${formatNumber(value, 3)} mm`;
  const found = `${formatNumber(100 * areaShare, 1)} % of the surface lies on walls of fewer than ${thinVoxels} voxels.`;
  const limit = `Walls thinner than ${mm(detectionLimitMm)} leave no surface and are not found.`;
  const thinnestMm = Math.min(minMm, seen === null ? minMm : seen * Math.min(...voxelSizeMm));
  if (uncertaintyMm === null || profileShare < minProfileShare) {
    const message = `${found} Their grey values don’t tell how thick they are: they may be off by a voxel. ${limit}`;
    return [{ ...about, message, invalidates: true }];
  }
  if (thinnestMm < detectionLimitMm) {
    const message = `${found} They are down to ${mm(thinnestMm)}, and thinner ones may be missing. ${limit}`;
    return [{ ...about, message, invalidates: true }];
  }
  const message = `${found} They were measured by the profile of their grey values, to ±${mm(uncertaintyMm)} as a mean over a wall. ${limit}`;
  return [{ ...about, message }];
}
