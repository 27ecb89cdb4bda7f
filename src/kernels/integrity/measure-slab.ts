import type { Arena } from '../arena.ts';
import type { Vector3 } from '../grid/volume.ts';
import type { Address, Kernels } from '../simd/webassembly.ts';
import { caseTable } from '../surface/case-table.ts';
import { type BitGrid, type Components, dropped } from './bit-layout.ts';

/** Steps of a grey value between air (0) and material (1): sums of whole numbers don't depend on their order. */
export const greySteps = 16384;
/** Steps of an area of one squared smallest voxel edge. */
export const areaSteps = 2 ** 20;

/** Places in the sums of a defect. */
export const sumOf = {
  /** cells of the defect and within two cells of it, their summed place and grey */
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
/** Directions of the outermost vertices that are kept, and their opposites. */
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

/** What some defects have come to in some rows; one may be in several of these. */
export interface Tallies {
  numbers: Uint32Array;
  /** sumCount a defect */
  sums: Float64Array;
  /** 4 a direction, directionCount a defect: how far out, and the vertex (mm from the region's first cell) */
  outermost: Float64Array;
}

export interface DefectTriangles {
  /** mm from the region's first cell along the grid's axes; 9 a triangle */
  positions: Float32Array;
  /** 3 a triangle: equal numbers are the same vertex */
  edges: Float64Array;
  owners: Uint32Array;
}

export interface SlabMeasures {
  /** in the order of rows */
  tallies: Tallies[];
  /** of the meshed defects, in the order of rows */
  triangles: DefectTriangles[];
  /** for each sampled plane count, sum, sum of squares of the grey values deep in material, and deep in air */
  deep: Float64Array[];
}

/** One thread's room in the arena. */
export interface MeasureRoom {
  /** of what kernels read of it */
  at: Address<'DefectRoom'>;
  /** where each defect's tally is, if it has one */
  slots: number;
  tallies: number;
  triangles: number;
  result: number;
}

const tallyHead = 32;
const tallyBytes = 8 + 8 * (sumCount + 4 * directionCount);
const triangleBytes = 64;
/** One row fits in at any rate: it has at most a defect a cell, and ten triangles. */
const tallyCapacity = ({ cells }: BitGrid) => cells[0] + 2048;
const triangleCapacity = ({ cells }: BitGrid) => 10 * cells[0] + 16384;
const purpose = 'Measuring defects';

/** What is measured in: a scan, its levels, and bits of what defects are told from. */
export interface ScanOfDefects {
  kind: number;
  bytesPerCell: number;
  /** cells in a row and in a plane of the volume */
  pitch: number;
  planeCells: number;
  spacingMm: Vector3;
  levels: {
    /** grey values that stand for 0 and 1 */
    air: number;
    material: number;
    /** the threshold and how far it may be off */
    level: number;
    uncertainty: number;
  };
  /** bits of the phase that defects are made of: air or inclusions, defects and others */
  phase: number;
  /** bits of what is neither defect nor the material around it */
  others: number;
  /** defects below this number give their triangles */
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

/** @param count of all defects */
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
  // No row has that number.
  arena.integers(room.seen, grid.words * 64).fill(dropped);
  arena.integers(room.tallies, 5).set([0, tallyCapacity(grid), slots, 0, triangleCapacity(grid)]);
  const { tallies, triangles, result } = room;
  return { at: arena.place('DefectRoom', room), slots, tallies, triangles, result };
}

export interface MeasureSlabInput {
  grid: BitGrid;
  scan: Address<'DefectScan'>;
  /** defects as components with numbers 0 … or `dropped` */
  defects: Components;
  /** planes of the region that are measured */
  zFrom: number;
  zTo: number;
  /** the region's first cell in plane zFrom of the volume; one plane more than measured is there (but at its end) */
  grey: number;
  planeBytes: number;
  room: MeasureRoom;
}

/**
 * Grey sums of each defect over itself and what lies around it by two cells (each cell goes to the nearest defect, cells
 * nearer to other air to none), area and outermost points of its isosurface. All sums are of whole numbers, but those of
 * the deep cells, which are summed plane by plane.
 */
export function measureSlab(kernels: Kernels, input: MeasureSlabInput): SlabMeasures {
  const { grid, room, scan, planeBytes } = input;
  const [, ny, nz] = grid.cells;
  const { buffer } = kernels.memory;
  const found: SlabMeasures = { tallies: [], triangles: [], deep: [] };
  const result = new Float64Array(buffer, room.result, 6);
  /** A kernel goes through the rows of a plane, and stops where its results have to be taken away first. */
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

/** Tallies and triangles out of the arena, where there is room for others then. */
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

/** Every how many planes and rows the deep cells are looked at: a few hundred thousand of them say enough. */
const chooseSampling = (planes: number) => (planes > 128 ? 4 : planes > 48 ? 2 : 1);

/** Cells on every side that have to be of the same kind; as in assembly/defects.ts. */
const deepReach = 3;
