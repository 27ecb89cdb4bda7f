/**
 * How far single places of a surface may lie off, read across each of them: noise and blur move a place the further, the
 * flatter the edge is there; an edge flatter than the scan's own bends within the blur, as at corners; and where the grey
 * values on either side are not those of air and material, midway between them is not where the surface lies.
 */
import type { Arena } from '../arena.ts';
import { inPieces, type KernelPool } from '../pool.ts';
import { defineTask, type OnArena } from '../task.ts';
import { greyReader, nearestReader, slopeOfEdge } from './edge-blur.ts';
import { type ArenaSurface, verticesOf } from './extract.ts';
import { type GreyGrid, type GridLayout, planesOf } from './grid-layout.ts';
import { edgeWeights } from './refine-surface.ts';
import type { GreyFilter } from './smoothing.ts';
import { noiseOfPlaces } from './surface-uncertainty.ts';

/** What holds of the whole surface. */
export interface EdgeFacts {
  /** grey value of air, and how far material lies above it, in the grid's own units */
  air: number;
  contrast: number;
  /** standard deviation of the scan's blur, in voxels */
  blurVoxels: number;
  /** standard deviation of the noise over the contrast */
  noiseShare: number;
  filter: GreyFilter;
}

/** Flatter than this share of a clear edge: the scan does not carry the place. */
const flattest = 0.35;
/** Cells on either side of a place that its levels are looked for in; walls and gaps of three reach them. */
const depths = [2, 3];
/** Of an edge as wide as the blur: what a grid leaves open of a single place, and what a corner bends it by. */
const [gridShare, bendShare] = [0.04, 0.2];
/** In cells, however sharp an edge is. */
const leastShift = 0.02;
/** Share of a clear edge's slope below which it counts as bent, and over which it comes to count in full. */
const [bentBelow, bentOver] = [0.98, 0.06];
/** What noise and a wall of few voxels make of the levels beside it, as a share of the contrast. */
const usualMisfit = 0.15;

type Placed = OnArena & { grid: GridLayout; positions: number; normals: number; from: number; to: number };

/** Expanded uncertainties (k = 2) of the places of vertices from … to−1, in mm; NaN where the scan does not carry one. */
export const readPlaceUncertainties = defineTask(
  import.meta.url,
  'readPlaceUncertainties',
  (
    { memory: { buffer } },
    { grid, from, to, ...input }: Placed & { facts: EdgeFacts & { slope: number }; values: number },
  ): void => {
    const { air, contrast, blurVoxels, noiseShare, slope: clearSlope } = input.facts;
    const [positions, normals] = [input.positions, input.normals].map(
      (address) => new Float32Array(buffer, address + 12 * from, 3 * (to - from)),
    );
    const planes = planesOf(buffer, grid);
    const [grey, cell] = [greyReader(grid, planes), nearestReader(grid, planes)];
    const [ex, ey, ez] = grid.voxelSizeMm;
    const out = new Float32Array(buffer, input.values + 4 * from, to - from);
    const edge = Math.sqrt(blurVoxels ** 2 + 1 / 12);
    const always2 = (gridShare * edge) ** 2 + leastShift ** 2;
    const noise = noiseOfPlaces(noiseShare, edge);
    for (let v = 0; v < out.length; v++) {
      const [x, y, z] = [positions[3 * v] / ex, positions[3 * v + 1] / ey, positions[3 * v + 2] / ez];
      const [nx, ny, nz] = [normals[3 * v], normals[3 * v + 1], normals[3 * v + 2]];
      const step = Math.sqrt((nx * ex) ** 2 + (ny * ey) ** 2 + (nz * ez) ** 2);
      const [dx, dy, dz] = [(nx * step) / ex, (ny * step) / ey, (nz * step) / ez];
      const slope = (grey(x - dx, y - dy, z - dz) - grey(x + dx, y + dy, z + dz)) / (2 * contrast);
      const steepness = slope / clearSlope;
      // Written so that what lies outside of the grid (NaN) fails it too.
      if (!(steepness > flattest)) {
        out[v] = Number.NaN;
        continue;
      }
      let [inside, outside] = [-Infinity, Infinity];
      for (const depth of depths) {
        const deeper = cell(x - depth * dx, y - depth * dy, z - depth * dz);
        const further = cell(x + depth * dx, y + depth * dy, z + depth * dz);
        if (deeper > inside) inside = deeper;
        if (further < outside) outside = further;
      }
      const lack = Math.abs((inside - air) / contrast - 1) - usualMisfit;
      const rest = Math.abs((outside - air) / contrast) - usualMisfit;
      const misfit = (Math.max(0, lack) + Math.max(0, rest)) / (2 * slope);
      const bend = bendShare * edge * Math.min(Math.max((bentBelow - steepness) / bentOver, 0), 1);
      const shift = Math.sqrt(always2 + (noise / steepness) ** 2 + bend ** 2 + misfit ** 2);
      out[v] = shift < Infinity ? 2 * step * shift : Number.NaN;
    }
  },
);

/** Of every vertex of a surface in the arena, in mm. Memory: 4 bytes a vertex of the arena, given back. */
export async function findPlaceUncertainties(
  grey: GreyGrid,
  surface: ArenaSurface,
  facts: EdgeFacts,
  pool: KernelPool,
  arena: Arena,
  { signal, progress }: { signal: AbortSignal; progress?: (fraction: number) => void },
): Promise<Float32Array<ArrayBuffer>> {
  const { memory } = arena;
  const { positions, normals, vertices } = surface;
  const mark = arena.mark();
  const values = arena.allocate(vertices * 4, 'The uncertainties');
  const placed = { ...facts, slope: slopeOfEdge(edgeWeights(facts.filter), facts.blurVoxels) };
  // A vertex lies up to a plane above its own, and corrections have moved it by less than another.
  const reach = Math.max(...depths) + 3;
  await grey.eachWindow(reach, { signal, progress }, async (grid, zFrom, zTo) => {
    const [from, to] = verticesOf(surface, grey.layout, arena, zFrom, zTo);
    await inPieces(pool, { from, to, size: 16_384 }, { signal }, (first, last) => {
      const input = { memory, grid, positions, normals, from: first, to: last, facts: placed, values };
      return pool.run(readPlaceUncertainties, input, { signal });
    });
  });
  const found = new Float32Array(arena.floats(values, vertices));
  arena.release(mark);
  return found;
}
