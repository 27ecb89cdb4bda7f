/**
 * Walls of few voxels, measured by their grey values: the distance between the faces of a surface is too large for
 * them.
 */
import type { Arena } from '../arena.ts';
import { eachPlanes, type ReadPlanes } from '../grid/plane-reader.ts';
import type { CellBox } from '../grid/region.ts';
import { bytesPerVoxel, type DataType, makeView, type SlabSource, type Vector3 } from '../grid/volume.ts';
import { type ArenaSurface, listVertices } from '../surface/extract.ts';
import type { GridLayout, VerticesOnGrid } from '../surface/grid-layout.ts';
import type { SurfaceLevel } from '../surface/surface-level.ts';
import { defineTask } from '../task.ts';
import { type FoundWall, fitWall, fitWalls } from '../walls/fit-walls.ts';
import { judgeFit, type MaterialOfWalls } from '../walls/level-of-walls.ts';
import { type GreyBox, measureUnevenness, readProfile, spanAlong } from '../walls/profile.ts';
import { beside, evenWithin } from '../walls/sample-walls.ts';
import type { WallProfile } from '../walls/slab-model.ts';
import type { ArenaThickness } from './wall-thickness.ts';

/** How a thickness was determined. */
export const thicknessMethods = { betweenFaces: 0, byProfile: 1, undetermined: 2 } as const;

export interface ThinWalls {
  /** address: f32 per vertex, how its thickness was determined */
  methods: number;
  /** number of vertices on walls of few voxels, and of those among them that were measured by their profile */
  thin: number;
  byProfile: number;
  /** contrast and blur of the thin walls; null when there are too few, or they do not determine it */
  look: MaterialOfWalls | null;
}

/** Walls up to this many voxels are measured by their profile. */
export const thinVoxels = 4.5;
/** The profile extends beyond a wall by this many voxels on either side. */
const beyond = 3;
/** Number of walls that determine contrast and blur; voxels on either side of the lines through all other walls. */
const sampled = 500;
const closely = 1;
/**
 * Limit of the difference between the two halves of a single wall's surroundings; with few voxels noise causes some.
 */
const leaningWithin = 0.2;
/** Prior uncertainty of the contrast from places deep in the part, as a share; elsewhere it may differ. */
const contrastOfDepth = 0.05;
/** Prior of the blur in voxels, and its uncertainty. */
const [usualBlur, blurWithin] = [0.6, 0.3];
/**
 * Limits for a fit to count: residual in multiples of the usual residual, distance of the face from the surface, and
 * thickness; both in voxels.
 */
const [maxResidual, maxShift, minVoxels] = [1.6, 1.2, 0.3];
const verticesAtOnce = 2048;
const slabBytes = 16e6;

interface VertexRange extends Omit<VerticesOnGrid, 'grid'>, Placed {
  thickness: number;
  /** 0: no ray lengths */
  ray: number;
}
/** Location of the planes of a region in memory. */
interface Placed {
  dataType: DataType;
  /** cells of whole planes */
  nx: number;
  ny: number;
  cells: CellBox;
  planes: ReadPlanes;
  voxelSizeMm: Vector3;
}

/**
 * Replaces the thickness of walls below 4.5 voxels by that of a blurred slab fitted to the original voxels across them,
 * where it fits. Contrast and blur, common to all walls, are found first. The other vertices keep the distance between
 * the faces.
 */
export async function measureThinWalls(
  source: SlabSource,
  {
    surface,
    grid,
    cells,
    level,
  }: { surface: ArenaSurface; grid: GridLayout; cells: CellBox; level: SurfaceLevel },
  { thickness, ray }: ArenaThickness,
  arena: Arena,
): Promise<ThinWalls> {
  const { vertices, positions, normals } = surface;
  const methods = arena.allocate(4 * vertices, 'The wall thickness');
  const flags = arena.floats(methods, vertices).fill(thicknessMethods.betweenFaces);
  const { voxelSizeMm, dimensions } = source.grid;
  const common = { positions, normals, thickness, ray: ray ?? 0 };
  const views = listViews({ ...common, memory: arena.memory, from: 0, to: vertices });
  let [thin, lowest, highest] = [0, Infinity, -Infinity];
  for (let v = 0; v < vertices; v++) {
    if (!isThin(views, v, voxelSizeMm)) continue;
    flags[v] = thicknessMethods.undetermined;
    thin++;
    lowest = Math.min(lowest, views.positions[3 * v + 2]);
    highest = Math.max(highest, views.positions[3 * v + 2]);
  }
  const none: ThinWalls = { methods, thin, byProfile: 0, look: null };
  // When nothing but the walls determines the material's grey value, several thicknesses fit equally well.
  if (thin === 0 || !level.peaks || (level.toldBy !== 'depth' && level.toldBy !== 'walls')) return none;
  const { air, material } = level.peaks;
  const [ex, ey, ez] = voxelSizeMm;
  const around = Math.ceil((thinVoxels + beyond) * Math.max(1, ex / ez, ey / ez)) + 3;
  const planeBytes = dimensions[0] * dimensions[1] * bytesPerVoxel[source.dataType];
  const size = Math.max(8, Math.floor(slabBytes / planeBytes) - 2 * around);
  // A vertex lies up to one plane beside its own.
  const range = {
    from: cells.from[2] + Math.max(0, Math.floor(lowest / ez) - 2),
    to: Math.min(cells.to[2], cells.from[2] + Math.ceil(highest / ez) + 3),
    ...{ size, before: around, after: around, purpose: 'The wall thickness' },
  };
  const [nx, ny] = dimensions;
  const placed = {
    ...common,
    dataType: source.dataType,
    nx,
    ny,
    cells,
    voxelSizeMm: [...voxelSizeMm] as Vector3,
  };
  const eachRange = (work: (input: Omit<VertexRange, 'memory'>) => Promise<void>) =>
    eachPlanes(source, cells, arena, range, async (zFrom, zTo, planes) => {
      // One border plane lies below the region's first.
      const first = zFrom === cells.from[2] ? 0 : zFrom - cells.from[2] + 1;
      const last = zTo === cells.to[2] ? grid.cells[2] + 2 : zTo - cells.from[2] + 1;
      const [from, to] = listVertices(surface, grid, arena, first, last);
      for (let v = from; v < to; v += verticesAtOnce) {
        await work({ ...placed, planes, from: v, to: Math.min(to, v + verticesAtOnce) });
      }
    });

  const found: { from: number; walls: FoundWall[] }[] = [];
  const step = Math.max(1, Math.floor(thin / sampled));
  await eachRange(async (input) => {
    const walls = await arena.run(readThinWalls, { ...input, methods, step, air });
    found.push({ from: input.from, walls });
  });
  const voxelMm = Math.min(...voxelSizeMm);
  const walls = found.sort((a, b) => a.from - b.from).flatMap((each) => each.walls);
  const every = Math.ceil(walls.length / (2 * sampled));
  const fit = fitWalls(
    walls.filter((_, i) => i % every === 0),
    {
      contrast: material - air,
      contrastWithin: level.contrastWithin ?? contrastOfDepth,
      blurMm: usualBlur * voxelMm,
      blurWithinMm: blurWithin * voxelMm,
      air,
    },
  );
  const look = judgeFit(fit, true);
  if (!fit || !look) return none;
  let byProfile = 0;
  await eachRange(async (input) => {
    const { contrast, blurMm } = look;
    const task = { ...input, methods, air, contrast, blurMm, rest: fit.rest };
    byProfile += await arena.run(fitThinWalls, task);
  });
  return { methods, thin, byProfile, look };
}

type Views = ReturnType<typeof listViews>;

function listViews({
  memory: { buffer },
  positions,
  normals,
  thickness,
  ray,
  from,
  to,
}: Pick<VertexRange, 'memory' | 'positions' | 'normals' | 'thickness' | 'ray' | 'from' | 'to'>) {
  const triples = (address: number) => new Float32Array(buffer, address + 12 * from, 3 * (to - from));
  const values = (address: number) => new Float32Array(buffer, address + 4 * from, to - from);
  return {
    positions: triples(positions),
    normals: triples(normals),
    thickness: values(thickness),
    ray: ray === 0 ? null : values(ray),
  };
}

const tripleAt = (values: Float32Array, v: number) => [values[3 * v], values[3 * v + 1], values[3 * v + 2]];

/** Sphere and ray agree on a wall; beside edges they do not. */
function isThin({ normals, thickness, ray }: Views, v: number, voxelSizeMm: Vector3): boolean {
  const span = spanAlong(tripleAt(normals, v), voxelSizeMm);
  const wall = thickness[v];
  if (!(wall < thinVoxels * span)) return false;
  return ray === null || Math.abs(ray[v] - wall) <= Math.max(0.25 * wall, span);
}

function profileAt(input: VertexRange, views: Views, v: number, around: number): WallProfile | null {
  const { cells, planes, nx, ny, voxelSizeMm, dataType } = input;
  const normal = tripleAt(views.normals, v);
  const length = Math.hypot(...normal);
  if (!(length > 0.5)) return null;
  const unit = normal.map((n) => n / length);
  const span = spanAlong(unit, voxelSizeMm);
  const plane = nx * ny;
  const box: GreyBox = {
    values: makeView(dataType, input.memory.buffer, planes.address, plane * (planes.last - planes.first)),
    strides: [1, nx, plane],
    offset: (cells.from[2] - planes.first) * plane + cells.from[1] * nx + cells.from[0],
    from: [0, 0, planes.first - cells.from[2]],
    to: [cells.to[0] - cells.from[0], cells.to[1] - cells.from[1], planes.last - cells.from[2]],
    voxelSizeMm,
  };
  return readProfile(box, {
    place: tripleAt(views.positions, v),
    normal: unit,
    fromMm: -views.thickness[v] - beyond * span,
    toMm: beyond * span,
    around,
  });
}

/** Reads wide profiles of every `step`-th thin vertex. */
export const readThinWalls = defineTask(
  import.meta.url,
  'readThinWalls',
  (_, input: VertexRange & { methods: number; step: number; air: number }): FoundWall[] => {
    const views = listViews(input);
    const flags = new Float32Array(
      input.memory.buffer,
      input.methods + 4 * input.from,
      input.to - input.from,
    );
    const walls: FoundWall[] = [];
    let next = 0;
    for (let v = 0; v < flags.length; v++) {
      if (flags[v] !== thicknessMethods.undetermined || next++ % input.step !== 0) continue;
      const profile = profileAt(input, views, v, beside);
      if (profile && measureUnevenness(profile, beside, input.air) < evenWithin)
        walls.push({ profile, slab: { faceMm: 0, thicknessMm: views.thickness[v], air: input.air } });
    }
    return walls;
  },
);

/** Fits profiles and updates thicknesses in place; returns the number of vertices measured. */
export const fitThinWalls = defineTask(
  import.meta.url,
  'fitThinWalls',
  (
    _,
    input: VertexRange & { methods: number; air: number; contrast: number; blurMm: number; rest: number },
  ): number => {
    const views = listViews(input);
    const flags = new Float32Array(
      input.memory.buffer,
      input.methods + 4 * input.from,
      input.to - input.from,
    );
    const { air, contrast, blurMm, rest } = input;
    const most = Math.max(maxResidual * rest, 0.02 * contrast);
    let fitted = 0;
    for (let v = 0; v < flags.length; v++) {
      if (flags[v] !== thicknessMethods.undetermined) continue;
      const profile = profileAt(input, views, v, closely);
      if (!profile || measureUnevenness(profile, closely, air) > leaningWithin) continue;
      const slab = { faceMm: 0, thicknessMm: views.thickness[v], air };
      const left = fitWall(profile, slab, { contrast, blurMm }, air, rest);
      const isFitted =
        left < most &&
        Math.abs(slab.faceMm) < maxShift * profile.spanMm &&
        slab.thicknessMm > minVoxels * profile.spanMm;
      if (!isFitted) continue;
      views.thickness[v] = slab.thicknessMm;
      flags[v] = thicknessMethods.byProfile;
      fitted++;
    }
    return fitted;
  },
);
