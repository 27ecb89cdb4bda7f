import type { Arena } from '../arena.ts';
import type { CellBox } from '../grid/region.ts';
import { locatePoint } from '../grid/region.ts';
import type { Grid, Vector3 } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { inPieces } from '../pool.ts';
import { kernelTasks } from '../task.ts';
import { caseTable } from './case-table.ts';
import {
  chooseProfiles,
  type EdgeMiddles,
  type EdgeProfiles,
  profileReach,
  profileStep,
  readEdgeProfiles,
  tabulateSlopes,
} from './edge-blur.ts';
import type { GreyGrid, GridLayout } from './grid-layout.ts';
import {
  type Contrast,
  profileReachOfRises,
  type Rises,
  readRises,
  risesBytes,
} from './place-uncertainty.ts';
import type { SurfaceLayout } from './surface-layout.ts';

/** An isosurface in the arena, in mm from the centre of the region's first cell, along the grid's own axes. */
export interface ArenaSurface {
  layout: SurfaceLayout;
  vertices: number;
  triangles: number;
  /** addresses: positions f32 xyz, normals f32 xyz, indices u32 abc */
  positions: number;
  normals: number;
  indices: number;
  /** variances of the blur at clear edges, when requested; see edge-blur.ts */
  edgeVariances?: number[];
  /** grey values on either side of the edges, also only when requested; null when too few edges are clear */
  edgeMiddles?: EdgeMiddles | null;
  /** slope of the grey values across each vertex, when requested; see place-uncertainty.ts */
  rises?: Rises[];
}

export interface ExtractOptions {
  progress?: (fraction: number) => void;
  /** right half of the filter applied to the grid, along an axis; when given, edges are profiled during extraction */
  edgesAfter?: readonly number[];
  /** of the grid; when given, the slope at each vertex is read during extraction */
  contrast?: Contrast | undefined;
  /** planes per task; set by tests only, the result does not depend on it */
  slabPlanes?: number;
}

/** Planes above and below that are needed to place a vertex; its triangles need the two planes above. */
const placingReach = 4;

/**
 * The isosurface at the grid's level: shared vertices, closed, outward orientation, in one pass through the grid.
 * Vertices and triangles are numbered by position alone, so the result does not depend on windows, slabs or threads.
 * Memory: 1/8 byte a cell, 16 a row, 24 a vertex, 12 a triangle.
 * @throws KernelError NO_SURFACE when no cell is above the level
 * @see https://doi.org/10.1109/LDAV.2015.7348069
 */
export async function extractSurface(
  grey: GreyGrid,
  arena: Arena,
  options: ExtractOptions = {},
): Promise<ArenaSurface> {
  const { progress, edgesAfter, contrast } = options;
  const grid = grey.layout;
  const [ny, nz] = [grid.cells[1] + 2, grid.cells[2] + 2];
  const words = Math.ceil(grid.stride / 64);
  const table = caseTable();
  const shape = {
    words,
    bits: arena.allocate(ny * nz * words * 8, 'The surface'),
    rows: arena.allocate(ny * nz * 16, 'The surface'),
    zero: arena.allocate(words * 8, 'The surface'),
    table: arena.allocate(table.length, 'The surface'),
  };
  const layout: SurfaceLayout = { ...shape, bytes: ny * nz * words * 8, at: arena.place('Surface', shape) };
  arena.bytes(shape.zero, words * 8).fill(0);
  arena.bytes(shape.table, table.length).set(table);
  const totals = arena.allocate(8, 'The surface');
  arena.bytes(totals, 8).fill(0);
  const scratch = Array.from({ length: arena.threads }, () => arena.allocate(risesBytes, 'The surface'));
  const size = planesAtOnce(grid, options);
  const slopes = edgesAfter && tabulateSlopes(edgesAfter);
  const reach = Math.max(
    placingReach,
    slopes ? profileReach(grid.voxelSizeMm) : 0,
    contrast ? profileReachOfRises(grid.voxelSizeMm) : 0,
  );
  // A closed surface has twice as many triangles as vertices.
  const growing = grey.isWhole ? null : arena.reserve([1, 1, 2]);
  let places = { positions: 0, normals: 0, indices: 0 };
  const edges: EdgeProfiles[] = [];
  const rises: Rises[] = [];
  let [vertices, triangles, classified, counted] = [0, 0, 0, 0];
  await grey.eachWindow(
    reach,
    async (window, from, to) => {
      const common = { grid: window.at, surface: layout.at };
      const classifyTo = Math.min(nz, to + 2);
      await inPieces(arena, { from: classified, to: classifyTo, size }, (zFrom, zTo) =>
        arena.run(kernelTasks.classify, { ...common, zFrom, zTo }),
      );
      classified = classifyTo;
      const countTo = Math.min(nz, to + 1);
      await inPieces(arena, { from: counted, to: countTo, size }, (zFrom, zTo) =>
        arena.run(kernelTasks.countRows, { ...common, zFrom, zTo }),
      );
      const sums = { ...common, zFrom: counted, zTo: countTo, totals };
      await arena.run(kernelTasks.sumRows, sums);
      const [allVertices, allTriangles] = arena.integers(totals, 2);
      counted = countTo;
      const end = arena.integers(layout.rows + 16 * to * ny, 4);
      const [lastVertex, lastTriangle] = to < nz ? [end[0], end[3]] : [allVertices, allTriangles];
      const purpose = `A surface of ${lastTriangle} triangles${to < nz ? ' and more' : ''}`;
      const bytes = [12 * lastVertex, 12 * lastVertex, 12 * lastTriangle];
      for (const [i, array] of growing?.entries() ?? []) arena.extend(array, bytes[i], purpose);
      const [positions, normals, indices] =
        growing?.map(({ address }) => address) ?? bytes.map((length) => arena.allocate(length, purpose));
      places = { positions, normals, indices };
      const step = profileStep(lastVertex);
      await inPieces(arena, { from, to, size }, async (zFrom, zTo, lane) => {
        const task = { ...common, ...places, zFrom, zTo, scratch: scratch[lane] };
        await arena.run(kernelTasks.writeSurface, task);
        const [first, last] = listVertices({ layout, vertices: lastVertex }, window, arena, zFrom, zTo);
        const look = { grid: window, ...places, from: first, to: last };
        if (slopes) edges.push(await arena.run(readEdgeProfiles, { ...look, slopes, step }));
        if (!contrast) return;
        rises.push(await arena.run(readRises, { ...look, contrast, scratch: scratch[lane] }));
      });
      [vertices, triangles] = [lastVertex, lastTriangle];
    },
    progress,
  );
  if (triangles === 0) {
    throw new KernelError('NO_SURFACE', 'No surface: no voxel of the region lies above the surface’s level.');
  }
  if (growing) arena.settle(growing, [12 * vertices, 12 * vertices, 12 * triangles]);
  const profiles = slopes && chooseProfiles(edges, vertices);
  return {
    layout,
    vertices,
    triangles,
    ...places,
    ...(profiles && { edgeVariances: profiles.variances, edgeMiddles: profiles.middles }),
    ...(contrast && { rises }),
  };
}

/** Recomputes every vertex and triangle after the grid's span has changed. */
export async function writeSurface(
  grey: GreyGrid,
  surface: ArenaSurface,
  arena: Arena,
  options: ExtractOptions = {},
): Promise<void> {
  const { progress } = options;
  const { layout, positions, normals, indices } = surface;
  const mark = arena.mark();
  const scratch = Array.from({ length: arena.threads }, () => arena.allocate(risesBytes, 'The surface'));
  const size = planesAtOnce(grey.layout, options);
  await grey.eachWindow(
    placingReach,
    (grid, from, to) =>
      inPieces(arena, { from, to, size }, (zFrom, zTo, lane) => {
        const common = { grid: grid.at, surface: layout.at, positions, normals, indices };
        return arena.run(kernelTasks.writeSurface, { ...common, zFrom, zTo, scratch: scratch[lane] });
      }),
    progress,
  );
  arena.release(mark);
}

/**
 * First vertex of planes zFrom … zTo−1, and one past the last. Vertices lie up to a plane above the plane that they
 * belong to.
 */
export function listVertices(
  { layout, vertices }: Pick<ArenaSurface, 'layout' | 'vertices'>,
  { cells }: GridLayout,
  arena: Arena,
  zFrom: number,
  zTo: number,
): [number, number] {
  const [ny, nz] = [cells[1] + 2, cells[2] + 2];
  const rows = arena.integers(layout.rows, 4 * ny * nz);
  const at = (z: number) => (z < nz ? rows[4 * z * ny] : vertices);
  return [at(zFrom), at(zTo)];
}

const planesAtOnce = ({ stride, cells }: GridLayout, { slabPlanes }: ExtractOptions) =>
  slabPlanes ?? Math.max(1, Math.floor(4e6 / (stride * (cells[1] + 2))));

export interface PlacedMesh {
  mesh: Required<Omit<TriangleMesh, 'scalars'>>;
  boundsMm: { min: Vector3; max: Vector3 };
}

/** Vertices or triangles per chunk: a few milliseconds of copying. */
const copiedAtOnce = 100_000;

/**
 * Transforms a surface in the arena into the scan's frame, in place; it can no longer be used with the grid afterwards.
 * The arrays are views of the arena's memory and are valid for as long as that memory is kept.
 * @param eachPlaced called for vertices from … to−1 once they are in place
 */
export async function placeSurface(
  arena: Arena,
  surface: ArenaSurface,
  { grid, cells }: { grid: Grid; cells: CellBox },
  eachPlaced?: (from: number, to: number) => void,
): Promise<PlacedMesh> {
  const { vertices, triangles } = surface;
  const { directions } = grid;
  const boundsMm: PlacedMesh['boundsMm'] = {
    min: [Infinity, Infinity, Infinity],
    max: [-Infinity, -Infinity, -Infinity],
  };
  const mark = arena.mark();
  const [d0, d1, d2, d3, d4, d5, d6, d7, d8] = directions;
  const [ox, oy, oz] = locatePoint(grid, cells.from);
  const frame = arena.place('Frame', { d0, d1, d2, d3, d4, d5, d6, d7, d8, ox, oy, oz });
  const boxes = Array.from({ length: arena.threads }, () => arena.allocate(24, 'The mesh'));
  // A mirrored grid reverses the orientation of every triangle.
  if (determinant(directions) < 0) {
    const corners = { from: 0, to: triangles, size: copiedAtOnce };
    await inPieces(arena, corners, (from, to) => {
      const input = { indices: surface.indices + 12 * from, count: to - from };
      return arena.run(kernelTasks.turnTriangles, input);
    });
  }
  const range = { from: 0, to: vertices, size: copiedAtOnce };
  await inPieces(arena, range, async (from, to, lane) => {
    const [positions, normals] = [surface.positions + 12 * from, surface.normals + 12 * from];
    const placed = { placedPositions: positions, placedNormals: normals, box: boxes[lane] };
    const input = { frame, positions, normals, count: to - from, ...placed };
    await arena.run(kernelTasks.placeVertices, input);
    const box = arena.floats(boxes[lane], 6);
    for (let k = 0; k < 3; k++) {
      boundsMm.min[k] = Math.min(boundsMm.min[k], box[k]);
      boundsMm.max[k] = Math.max(boundsMm.max[k], box[3 + k]);
    }
    eachPlaced?.(from, to);
  });
  arena.release(mark);
  return { mesh: meshIn(arena, surface), boundsMm };
}

const meshIn = (arena: Arena, { positions, normals, indices, vertices, triangles }: ArenaSurface) => ({
  positions: arena.floats(positions, 3 * vertices),
  normals: arena.floats(normals, 3 * vertices),
  indices: arena.integers(indices, 3 * triangles),
});

/** `placeSurface` into a copy that outlives the arena, made in chunks so that the caller's thread stays responsive. */
export async function makeMesh(
  arena: Arena,
  surface: ArenaSurface,
  place: { grid: Grid; cells: CellBox },
): Promise<PlacedMesh> {
  const source = meshIn(arena, surface);
  const mesh = {
    positions: new Float32Array(source.positions.length),
    normals: new Float32Array(source.normals.length),
    indices: new Uint32Array(source.indices.length),
  };
  const share = surface.triangles / surface.vertices;
  const { boundsMm } = await placeSurface(arena, surface, place, (from, to) => {
    const ranges = {
      positions: [from, to],
      normals: [from, to],
      indices: [from * share, to * share],
    } as const;
    for (const name of ['positions', 'normals', 'indices'] as const) {
      const [first, last] = ranges[name].map((number) => 3 * Math.round(number));
      mesh[name].set(source[name].subarray(first, last), first);
    }
  });
  return { mesh, boundsMm };
}

const determinant = (d: Grid['directions']) =>
  d[0] * (d[4] * d[8] - d[5] * d[7]) -
  d[3] * (d[1] * d[8] - d[2] * d[7]) +
  d[6] * (d[1] * d[5] - d[2] * d[4]);
