import type { Arena } from '../arena.ts';
import type { Vector3 } from '../grid/volume.ts';
import type { Address, Kernels } from '../simd/webassembly.ts';
import { caseTable } from '../surface/case-table.ts';
import { type BitGrid, type Components, dropped } from './bit-layout.ts';

/** Steps of a grey value between air (0) and material (1): integer sums do not depend on their order. */
export const greySteps = 16384;
/** Steps of an area of one squared smallest voxel edge. */
export const areaSteps = 2 ** 20;

/** Indices into the sums of a defect. */
export const sumOf = {
  /** cells of the defect and within two cells of it, with their summed positions and grey values */
  cells: 0,
  x: 1,
  y: 2,
  z: 3,
  grey: 4,
  greyX: 5,
  greyY: 6,
  greyZ: 7,
  /** cells among them below the lower and the upper threshold */
  low: 8,
  high: 9,
  area: 10,
} as const;
export const sumCount = 11;
/** Directions for which the outermost vertices are kept; opposites included. */
const directions: Vector3[] = [];
for (let z = -1; z <= 1; z++) {
  for (let y = -1; y <= 1; y++) {
    for (let x = -1; x <= 1; x++) {
      if (x === 0 && y === 0 && z === 0) continue;
      const length = Math.hypot(x, y, z);
      directions.push([x / length, y / length, z / length]);
    }
  }
}
export const directionCount = directions.length;

/** Partial sums of some defects over some rows; a defect may occur in several of them. */
export interface Tallies {
  numbers: Uint32Array;
  /** sumCount numbers per defect */
  sums: Float64Array;
  /**
   * 4 numbers per direction, directionCount directions per defect: distance, and the vertex (mm from the region's first
   * cell)
   */
  outermost: Float64Array;
}

export interface DefectTriangles {
  /** mm from the region's first cell along the grid's axes; 9 per triangle */
  positions: Float32Array;
  /** 3 per triangle: equal numbers are the same vertex */
  edges: Float64Array;
  owners: Uint32Array;
}

export interface SlabMeasures {
  /** in the order of rows */
  tallies: Tallies[];
  /** of the meshed defects, in the order of rows */
  triangles: DefectTriangles[];
  /** for each sampled plane: count, sum and sum of squares of the grey values deep in material, then deep in air */
  deep: Float64Array[];
}

/** Memory of one thread in the arena. */
export interface MeasureRoom {
  /** address of the struct that kernels read */
  at: Address<'DefectRoom'>;
  /** position of each defect's tally, if it has one */
  slots: number;
  tallies: number;
  triangles: number;
  result: number;
}

const tallyHead = 32;
const tallyBytes = 8 + 8 * (sumCount + 4 * directionCount);
const triangleBytes = 64;
/** One row always fits: it has at most one defect per cell, and ten triangles per cell. */
const tallyCapacity = ({ cells }: BitGrid) => cells[0] + 2048;
const triangleCapacity = ({ cells }: BitGrid) => 10 * cells[0] + 16384;
const purpose = 'Measuring defects';

/** Input of the measurement: a scan, its levels, and the bits that separate defects from other phases. */
export interface ScanOfDefects {
  kind: number;
  bytesPerCell: number;
  /** cells in a row and in a plane of the volume */
  pitch: number;
  planeCells: number;
  spacingMm: Vector3;
  levels: {
    /** grey values that map to 0 and 1 */
    air: number;
    material: number;
    /** the threshold and its uncertainty */
    level: number;
    uncertainty: number;
  };
  /** bits of the phase that defects consist of (air or inclusions), defects and others alike */
  phase: number;
  /** bits of what is neither defect nor the material around it */
  others: number;
  /** defects below this number contribute triangles */
  meshed: number;
}

export function placeScan(arena: Arena, scan: ScanOfDefects): Address<'DefectScan'> {
  const { kind, bytesPerCell, pitch, planeCells, spacingMm, phase, others, meshed } = scan;
  const { air, material, level, uncertainty } = scan.levels;
  const cases = caseTable();
  const places = Float64Array.from(directions.flat());
  const tables = {
    table: arena.allocate(cases.length, purpose),
    directions: arena.allocate(places.byteLength, purpose),
  };
  arena.bytes(tables.table, cases.length).set(cases);
  arena.doubles(tables.directions, places.length).set(places);
  const span = material - air;
  const unit = (value: number) => (value - air) / span;
  return arena.place('DefectScan', {
    ...tables,
    kind,
    bytes: bytesPerCell,
    pitch,
    planeBytes: planeCells * bytesPerCell,
    offset: air,
    gain: 1 / span,
    low: unit(level - uncertainty),
    level: unit(level),
    high: unit(level + uncertainty),
    sizeX: spacingMm[0],
    sizeY: spacingMm[1],
    sizeZ: spacingMm[2],
    phase,
    others,
    meshed,
  });
}

/** @param count number of all defects */
export function measureRoom(arena: Arena, grid: BitGrid, count: number): MeasureRoom {
  const slots = arena.allocate(count * 4, purpose);
  const room = {
    tallies: arena.allocate(tallyHead + tallyCapacity(grid) * tallyBytes, purpose),
    triangles: arena.allocate(triangleCapacity(grid) * triangleBytes, purpose),
    nearest: arena.allocate(grid.words * 64 * 5 + 8, purpose),
    seen: arena.allocate(grid.words * 64 * 4 + 88, purpose),
    deep: arena.allocate((grid.words + 2) * 16 + grid.cells[0] * 4, purpose),
    result: arena.allocate(6 * 8, purpose),
  };
  arena.integers(slots, count).fill(dropped);
  arena.bytes(room.nearest, grid.words * 64).fill(255);
  // Marks cells as not seen in any row.
  arena.integers(room.seen, grid.words * 64).fill(dropped);
  arena.integers(room.tallies, 5).set([0, tallyCapacity(grid), slots, 0, triangleCapacity(grid)]);
  const { tallies, triangles, result } = room;
  return { at: arena.place('DefectRoom', room), slots, tallies, triangles, result };
}

export interface MeasureSlabInput {
  grid: BitGrid;
  scan: Address<'DefectScan'>;
  /** defects as components, numbered from 0 or `dropped` */
  defects: Components;
  /** planes of the region to measure */
  zFrom: number;
  zTo: number;
  /**
   * address of the region's first cell in plane zFrom of the volume; one more plane follows the measured ones (except
   * at the end)
   */
  grey: number;
  planeBytes: number;
  room: MeasureRoom;
}

/**
 * For each defect: grey sums over its cells and those within two cells (each cell belongs to the nearest defect, cells
 * nearer to other air to none), and area and outermost points of its isosurface. All sums are integers, except those of
 * the deep cells, which are summed plane by plane.
 */
export function measureSlab(kernels: Kernels, input: MeasureSlabInput): SlabMeasures {
  const { grid, room, scan, planeBytes } = input;
  const [, ny, nz] = grid.cells;
  const { buffer } = kernels.memory;
  const found: SlabMeasures = { tallies: [], triangles: [], deep: [] };
  const result = new Float64Array(buffer, room.result, 6);
  /** A kernel processes the rows of a plane and stops whenever its results have to be collected first. */
  const throughRows = (from: (yFrom: number) => number) => {
    for (let y = from(0); y < ny; y = from(y)) takeResults(buffer, grid, room, found);
  };
  for (let z = input.zFrom; z < input.zTo; z++) {
    const grey = input.grey + (z - input.zFrom) * planeBytes;
    const plane = { scan, grid: grid.at, defects: input.defects.at, room: room.at, grey, z };
    throughRows((yFrom) => kernels.sumDefects({ ...plane, yFrom }));
    if (z + 1 < nz) throughRows((yFrom) => kernels.crossDefects({ ...plane, yFrom }));
    const step = chooseSampling(nz);
    if (z % step === 0 && z >= deepReach && z < nz - deepReach) {
      kernels.deepGreys({ ...plane, step });
      found.deep.push(result.slice());
    }
  }
  takeResults(buffer, grid, room, found);
  return found;
}

/** Moves tallies and triangles out of the arena to free their memory. */
function takeResults(
  buffer: SharedArrayBuffer,
  grid: BitGrid,
  room: MeasureRoom,
  { tallies, triangles }: SlabMeasures,
): void {
  const head = new Uint32Array(buffer, room.tallies, tallyHead / 4);
  const [count, , , triangleCount] = head;
  const slots = new Uint32Array(buffer, room.slots);
  const numbers = new Uint32Array(count);
  const sums = new Float64Array(count * sumCount);
  const outermost = new Float64Array(count * 4 * directionCount);
  for (let i = 0; i < count; i++) {
    const at = room.tallies + tallyHead + i * tallyBytes;
    numbers[i] = new Uint32Array(buffer, at, 1)[0];
    slots[numbers[i]] = dropped;
    const tally = new Float64Array(buffer, at + 8, sumCount + 4 * directionCount);
    sums.set(tally.subarray(0, sumCount), i * sumCount);
    outermost.set(tally.subarray(sumCount), i * 4 * directionCount);
  }
  if (count > 0) tallies.push({ numbers, sums, outermost });
  const corners = room.triangles + 24 * triangleCapacity(grid);
  const owners = corners + 36 * triangleCapacity(grid);
  if (triangleCount > 0) {
    triangles.push({
      positions: new Float32Array(buffer, corners, 9 * triangleCount).slice(),
      edges: new Float64Array(buffer, room.triangles, 3 * triangleCount).slice(),
      owners: new Uint32Array(buffer, owners, triangleCount).slice(),
    });
  }
  [head[0], head[3]] = [0, 0];
}

/** Sampling interval of planes and rows for the deep cells: a few hundred thousand are enough. */
const chooseSampling = (planes: number) => (planes > 128 ? 4 : planes > 48 ? 2 : 1);

/** Cells on every side that must be of the same phase; must match simd/assembly/defects.ts. */
const deepReach = 3;
