/**
 * Uncertainty of single points of a surface, from the grey profile across each: noise and blur displace a point more,
 * the flatter the edge is; an edge flatter than the scan's own edge spread is bent within the blur, as at corners; and
 * where the grey values on either side are not those of air and material, the surface does not lie midway between them.
 */
import { defineTask } from '../task.ts';
import { findEdgeSlope } from './edge-blur.ts';
import type { VerticesOnGrid } from './grid-layout.ts';
import { findPlaceNoise } from './surface-uncertainty.ts';

/** Grey values of a grid, in its own units. */
export interface Contrast {
  air: number;
  /** of material above air */
  height: number;
}

/** Largest distance from a point at which its levels are read, in cells; fits into walls and gaps of three cells. */
const deepest = 3;

/** Planes read on either side of a vertex and of its own plane, along z. */
export function profileReachOfRises([ex, ey, ez]: readonly number[]): number {
  return Math.ceil((deepest * Math.max(ex, ey, ez)) / ez) + 2;
}

/**
 * Two numbers for each of some consecutive vertices: the fall of the grey value per cell towards air, from 0 to 1, and
 * the misfit of the levels on both sides from air and material, summed, from 0 to 4. Both are shares of the contrast,
 * in 65535ths of their range. The fall is 0 where unknown.
 */
export interface Rises {
  /** number of the first vertex */
  from: number;
  values: Uint16Array;
}
const [maxFall, maxMisfit, steps] = [1, 4, 65_535];

/** Vertices per call of the kernel, whose results are then moved out of the arena. */
const readAtOnce = 4096;
/** Memory of a thread that reads rises, in bytes. */
export const risesBytes = 4 * readAtOnce;

interface RisesToRead extends VerticesOnGrid {
  contrast: Contrast;
  /** address of `risesBytes` */
  scratch: number;
}

/** Reads the vertices from … to−1. */
export const readRises = defineTask(
  import.meta.url,
  'readRises',
  (kernels, { grid, from, to, ...rest }: RisesToRead): Rises => {
    const { contrast, scratch, positions, normals } = rest;
    const [ex, ey, ez] = grid.voxelSizeMm;
    const common = {
      ...{ grid: grid.at, positions, normals, ex, ey, ez, ...contrast, deepest },
      ...{ usualMisfit, maxFall, maxMisfit, target: scratch },
    };
    const values = new Uint16Array(2 * (to - from));
    for (let first = from; first < to; first += readAtOnce) {
      const last = Math.min(to, first + readAtOnce);
      kernels.readRises({ ...common, from: first, to: last });
      values.set(new Uint16Array(kernels.memory.buffer, scratch, 2 * (last - first)), 2 * (first - from));
    }
    return { from, values };
  },
);

/** Length of a cell along a vertex's normal, in mm. */
function lengthAlong(normals: Float32Array, v: number, [ex, ey, ez]: readonly number[]): number {
  const [nx, ny, nz] = [normals[3 * v] * ex, normals[3 * v + 1] * ey, normals[3 * v + 2] * ez];
  return Math.sqrt(nx * nx + ny * ny + nz * nz);
}

/** Misfit that noise and a wall of few voxels cause anyway, as a share of the contrast. */
const usualMisfit = 0.15;
/** Below this share of a clear edge's slope, the scan does not support the point. */
const flattest = 0.35;
/** Standard uncertainties as shares of the edge spread: of a single point on the grid, and from bending at a corner. */
const [gridShare, bendShare] = [0.045, 0.22];
/** Smallest standard uncertainty in cells, however sharp the edge is. */
const minShift = 0.02;
/** Share of a clear edge's slope below which an edge counts as bent, and the width of the transition to full weight. */
const [bentBelow, bentOver] = [0.98, 0.06];

/** Properties of the whole surface. */
export interface EdgeFacts {
  /** standard deviation of the scan's blur, in voxels */
  blurVoxels: number;
  /** standard deviation of the noise over the contrast */
  noiseShare: number;
  /** right half of the filter applied to the grid, along an axis */
  weights: readonly number[];
}

/**
 * Expanded uncertainty (k = 2) of each vertex along its normal, in mm; NaN where the scan does not support the vertex.
 * @param rises of all vertices, in parts
 * @param normals of each vertex, along the grid's axes
 * @param target receives one number per vertex, and is returned
 */
export function findPlaceUncertainties(
  rises: readonly Rises[],
  normals: Float32Array,
  voxelSizeMm: readonly number[],
  { blurVoxels, noiseShare, weights, target }: EdgeFacts & { target: Float32Array },
): Float32Array {
  const clearSlope = findEdgeSlope(weights, blurVoxels);
  const edge = Math.sqrt(blurVoxels ** 2 + 1 / 12);
  const always2 = (gridShare * edge) ** 2 + minShift ** 2;
  const noise = findPlaceNoise(noiseShare, edge);
  const computeShift = (slope: number, misfit: number): number => {
    const steepness = slope / clearSlope;
    if (steepness <= flattest || misfit >= maxMisfit) return Number.NaN;
    const bend = bendShare * edge * Math.min(Math.max((bentBelow - steepness) / bentOver, 0), 1);
    return Math.sqrt(always2 + (noise / steepness) ** 2 + bend ** 2 + (misfit / (2 * slope)) ** 2);
  };
  target.fill(Number.NaN);
  for (const { from, values } of rises) {
    for (let i = 0; i < values.length; i += 2) {
      const v = from + i / 2;
      const shift = computeShift((maxFall / steps) * values[i], (maxMisfit / steps) * values[i + 1]);
      target[v] = 2 * lengthAlong(normals, v, voxelSizeMm) * shift;
    }
  }
  return target;
}
