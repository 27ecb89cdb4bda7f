import type { Vector3 } from '../grid/volume.ts';
import { type BitGrid, type Components, dropped } from './bit-layout.ts';

/** Steps of a grey value between air (0) and material (1): sums of whole numbers don't depend on their order. */
export const greySteps = 16384;
/** Steps of an area of one squared smallest voxel edge. */
export const areaSteps = 2 ** 20;

/** Grey value of air = 0, of material = 1 throughout. */
export interface MeasureSlabInput {
  grid: BitGrid;
  /** defects as components with numbers 0 … or `dropped` */
  defects: Components;
  /** bits of the phase that defects are made of: air or inclusions, defects and others */
  phase: number;
  /** bits of what is neither defect nor the material around it */
  others: number;
  /** bits of the cells near the outer surface, on both sides; 0 = none */
  zone: number;
  /** planes of the region that are measured */
  zFrom: number;
  zTo: number;
  /** f32 planes from zFrom on, one more than measured (but at the region's end) */
  grey: number;
  spacingMm: Vector3;
  /** grey values that 0 and 1 stand for */
  air: number;
  material: number;
  /** in units of air = 0, material = 1: the threshold, and lower and upper ends of its uncertainty */
  level: number;
  levelLow: number;
  levelHigh: number;
  /** defects below this number give their triangles */
  meshed: number;
  /** case table of the isosurface */
  table: Uint8Array;
}

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
const flat = Float64Array.from(directions.flat());

export interface SlabMeasures {
  /** numbers of the defects that have a share in these planes */
  numbers: number[];
  /** sumCount a defect */
  sums: Float64Array;
  /** 4 a direction, directionCount a defect: how far out, and the vertex (mm from the region's first cell) */
  outermost: Float64Array;
  /** per sampled plane: z, then count, sum, sum of squares of the grey values deep in material, and deep in air */
  deep: number[][];
  /** near the outer surface and credited to no defect: cells, those that are not outside, summed grey steps */
  zone: [number, number, number];
  /** triangles of the meshed defects: place (mm from the first cell), edge of each vertex, defect of each triangle */
  positions: Float32Array;
  edges: Float64Array;
  owners: Uint32Array;
}

interface Tally {
  sums: Float64Array;
  outermost: Float64Array;
}

const reach = 2;
/**
 * Squared distance of the cells beside a defect that count with it: those that are two steps away along an axis and one
 * along both others still hold what blur has carried there.
 */
const farthest = 6;
const ringRows: { dy: number; dz: number; squared: number; width: number }[] = [];
for (let dz = -reach; dz <= reach; dz++) {
  for (let dy = -reach; dy <= reach; dy++) {
    const squared = dy * dy + dz * dz;
    if (squared <= farthest) {
      ringRows.push({ dy, dz, squared, width: Math.min(reach, Math.floor(Math.sqrt(farthest - squared))) });
    }
  }
}

/**
 * Grey sums of each defect over itself and what lies around it by two cells (each cell goes to the nearest defect, cells
 * nearer to other air to none), area and outermost points of its isosurface. All sums are of whole numbers.
 */
export function measureSlab(buffer: SharedArrayBuffer, input: MeasureSlabInput): SlabMeasures {
  const { grid, defects, zFrom, zTo, spacingMm } = input;
  const [nx, ny, nz] = grid.cells;
  const [mx, my, mz] = grid.margin;
  const words = grid.words * 2;
  const bitWords = words * grid.rows * grid.planes;
  const phase = new Uint32Array(buffer, input.phase, bitWords);
  const others = new Uint32Array(buffer, input.others, bitWords);
  const starts = new Uint32Array(buffer, defects.starts, grid.rows * grid.planes + 1);
  const runs = new Uint32Array(buffer, defects.runs, defects.runCount);
  const numbers = new Uint32Array(buffer, defects.numbers, defects.runCount);
  const grey = new Float32Array(buffer, input.grey, nx * ny * (Math.min(zTo + 1, nz) - zFrom));
  const zoneBits = input.zone === 0 ? null : new Uint32Array(buffer, input.zone, bitWords);
  const zone: [number, number, number] = [0, 0, 0];
  const none = dropped;
  const tallies = new Map<number, Tally>();
  const tallyOf = (number: number): Tally => {
    let tally = tallies.get(number);
    if (!tally) {
      tally = { sums: new Float64Array(sumCount), outermost: new Float64Array(4 * directionCount) };
      for (let d = 0; d < directionCount; d++) tally.outermost[4 * d] = Number.NEGATIVE_INFINITY;
      tallies.set(number, tally);
    }
    return tally;
  };
  const bit = (bits: Uint32Array, row: number, x: number) => (bits[row * words + (x >> 5)] >>> (x & 31)) & 1;

  const distance = new Uint8Array(words * 32).fill(255);
  const owner = new Uint32Array(words * 32);
  const credited = new Uint8Array(words * 32);
  let isCredited = false;
  /** The cells near the outer surface in a row, but those that a defect has. */
  const sumZone = (bits: Uint32Array, y: number, z: number) => {
    const row = (z + mz) * grid.rows + y + my;
    const greyRow = ((z - zFrom) * ny + y) * nx - mx;
    const end = mx + nx;
    for (let w = mx >> 5; w <= (end - 1) >> 5; w++) {
      const at = row * words + w;
      // What is outside, and material; neither what the defects are made of.
      let left = bits[at] & (others[at] | ~phase[at]);
      for (; left !== 0; left &= left - 1) {
        const k = 31 - Math.clz32(left & -left);
        const x = w * 32 + k;
        if (x < mx || x >= end || (isCredited && credited[x])) continue;
        zone[0]++;
        zone[1] += 1 - ((others[at] >>> k) & 1);
        zone[2] += Math.round(grey[greyRow + x] * greySteps);
      }
    }
  };
  /** Cells of one row: painted by the defects near it, then summed. */
  const sumRow = (y: number, z: number) => {
    const row = (z + mz) * grid.rows + y + my;
    let low = mx + nx;
    let high = mx - 1;
    for (const { dy, dz, squared, width } of ringRows) {
      const near = row + dz * grid.rows + dy;
      for (let i = starts[near]; i < starts[near + 1]; i++) {
        const number = numbers[i];
        if (number === none) continue;
        const [first, last] = [runs[i] & 0xffff, runs[i] >>> 16];
        const from = Math.max(first - width, mx);
        const to = Math.min(last + width, mx + nx - 1);
        if (from < low) low = from;
        if (to > high) high = to;
        for (let x = from; x <= to; x++) {
          const dx = x < first ? first - x : x > last ? x - last : 0;
          const squaredHere = squared + dx * dx;
          if (squaredHere < distance[x] || (squaredHere === distance[x] && number < owner[x])) {
            distance[x] = squaredHere;
            owner[x] = number;
          }
        }
      }
    }
    if (low > high) return;
    let othersNear = false;
    for (const { dy, dz } of ringRows) {
      const at = (row + dz * grid.rows + dy) * words;
      for (let w = (low - reach) >> 5; w <= (high + reach) >> 5; w++) if (others[at + w]) othersNear = true;
    }
    const greyRow = ((z - zFrom) * ny + y) * nx - mx;
    let tally: Tally | null = null;
    let current = none;
    for (let x = low; x <= high; x++) {
      const squared = distance[x];
      distance[x] = 255;
      if (squared === 255) continue;
      if (squared > 0) {
        if (bit(phase, row, x)) continue;
        if (othersNear && isNearer(row, x, squared)) continue;
      }
      if (owner[x] !== current || !tally) {
        current = owner[x];
        tally = tallyOf(current);
      }
      const { sums } = tally;
      credited[x] = 1;
      isCredited = true;
      const value = grey[greyRow + x];
      const steps = Math.round(value * greySteps);
      sums[sumOf.cells]++;
      sums[sumOf.x] += x - mx;
      sums[sumOf.y] += y;
      sums[sumOf.z] += z;
      sums[sumOf.grey] += steps;
      sums[sumOf.greyX] += steps * (x - mx);
      sums[sumOf.greyY] += steps * y;
      sums[sumOf.greyZ] += steps * z;
      if (value <= input.levelLow) sums[sumOf.low]++;
      if (value <= input.levelHigh) sums[sumOf.high]++;
    }
  };
  /** Whether something else is at least as near as `squared`. */
  const isNearer = (row: number, x: number, squared: number): boolean => {
    for (const { dy, dz, squared: base, width } of ringRows) {
      if (base > squared) continue;
      const near = row + dz * grid.rows + dy;
      for (let dx = -width; dx <= width; dx++) {
        if (base + dx * dx <= squared && bit(others, near, x + dx)) return true;
      }
    }
    return false;
  };

  const seen = new Int32Array(words * 32).fill(-1);
  const positions: number[] = [];
  const edges: number[] = [];
  const owners: number[] = [];
  const corner = new Float64Array(9);
  const edge = [0, 0, 0];
  const smallest = Math.min(...spacingMm) ** 2;
  /** The surface in the cells between rows y, y+1 and planes z, z+1. */
  const crossRow = (y: number, z: number) => {
    const row = (z + mz) * grid.rows + y + my;
    const four = [row, row + 1, row + grid.rows, row + grid.rows + 1];
    for (const near of four) {
      for (let i = starts[near]; i < starts[near + 1]; i++) {
        const number = numbers[i];
        if (number === none) continue;
        for (let x = (runs[i] & 0xffff) - 1; x <= runs[i] >>> 16; x++) {
          if (seen[x] === row) continue;
          seen[x] = row;
          let pattern = 0;
          for (let k = 0; k < 8; k++) pattern |= (1 - bit(phase, four[k >> 1], x + (k & 1))) << k;
          const count = input.table[pattern * 32];
          if (count > 0) addTriangles(number, pattern, count, x - mx, y, z);
        }
      }
    }
  };
  const reachOut = (outermost: Float64Array, x: number, y: number, z: number) => {
    for (let d = 0; d < directionCount; d++) {
      const far = flat[3 * d] * x + flat[3 * d + 1] * y + flat[3 * d + 2] * z;
      if (far <= outermost[4 * d]) continue;
      outermost[4 * d] = far;
      outermost[4 * d + 1] = x;
      outermost[4 * d + 2] = y;
      outermost[4 * d + 3] = z;
    }
  };
  const addTriangles = (number: number, pattern: number, count: number, x: number, y: number, z: number) => {
    const { sums, outermost } = tallyOf(number);
    for (let t = 0; t < count; t++) {
      for (let v = 0; v < 3; v++) {
        const id = input.table[pattern * 32 + 1 + 3 * t + v];
        const axis = id >> 2;
        const [first, second] = [id & 1, (id >> 1) & 1];
        const ax = axis === 0 ? x : x + first;
        const ay = axis === 0 ? y + first : axis === 1 ? y : y + second;
        const az = axis === 2 ? z : z + second;
        const at = ((az - zFrom) * ny + ay) * nx + ax;
        const a = grey[at];
        const b = grey[at + (axis === 0 ? 1 : axis === 1 ? nx : nx * ny)];
        const share = Math.min(Math.max(a === b ? 0.5 : (input.level - a) / (b - a), 0.001), 0.999);
        corner[3 * v] = (ax + (axis === 0 ? share : 0)) * spacingMm[0];
        corner[3 * v + 1] = (ay + (axis === 1 ? share : 0)) * spacingMm[1];
        corner[3 * v + 2] = (az + (axis === 2 ? share : 0)) * spacingMm[2];
        edge[v] = ((az * ny + ay) * nx + ax) * 3 + axis;
        // Each edge is one of these three of exactly one cell, and that cell is visited too.
        if (id === 0 || id === 4 || id === 8)
          reachOut(outermost, corner[3 * v], corner[3 * v + 1], corner[3 * v + 2]);
      }
      const [ux, uy, uz] = [corner[3] - corner[0], corner[4] - corner[1], corner[5] - corner[2]];
      const [vx, vy, vz] = [corner[6] - corner[0], corner[7] - corner[1], corner[8] - corner[2]];
      const area = Math.hypot(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx) / 2;
      sums[sumOf.area] += Math.round((area / smallest) * areaSteps);
      if (number < input.meshed) {
        for (let k = 0; k < 9; k++) positions.push(corner[k]);
        edges.push(edge[0], edge[1], edge[2]);
        owners.push(number);
      }
    }
  };

  const deep: number[][] = [];
  for (let z = zFrom; z < zTo; z++) {
    for (let y = 0; y < ny; y++) {
      sumRow(y, z);
      if (zoneBits) {
        sumZone(zoneBits, y, z);
        if (isCredited) credited.fill(0);
        isCredited = false;
      }
      if (z + 1 < nz && y + 1 < ny) crossRow(y, z);
    }
    if (z % samplingOf(nz) === 0) deep.push([z, ...deepPlane(grid, phase, others, grey, z, zFrom)]);
  }
  const found = [...tallies.keys()].sort((a, b) => a - b);
  const sums = new Float64Array(found.length * sumCount);
  const outermost = new Float64Array(found.length * 4 * directionCount);
  for (const [i, number] of found.entries()) {
    const tally = tallyOf(number);
    sums.set(tally.sums, i * sumCount);
    outermost.set(tally.outermost, i * 4 * directionCount);
  }
  return {
    numbers: found,
    sums,
    outermost,
    deep,
    zone,
    positions: Float32Array.from(positions),
    edges: Float64Array.from(edges),
    owners: Uint32Array.from(owners),
  };
}

/** Every how many planes and rows the deep cells are looked at: a few hundred thousand of them say enough. */
const samplingOf = (planes: number) => (planes > 128 ? 4 : planes > 48 ? 2 : 1);

/** Cells on every side that have to be of the same kind. */
const deepReach = 3;

/**
 * Count, sum and sum of squares of grey values with nothing but material, and nothing but air, around: free of partial
 * volume, they say what material and air are. Values far from the peak are of another material and left out.
 */
function deepPlane(
  grid: BitGrid,
  phase: Uint32Array,
  air: Uint32Array,
  grey: Float32Array,
  z: number,
  zFrom: number,
): number[] {
  const [nx, ny, nz] = grid.cells;
  const [mx, my, mz] = grid.margin;
  const words = grid.words * 2;
  const result = [0, 0, 0, 0, 0, 0];
  if (z < deepReach || z >= nz - deepReach) return result;
  const mixed = new Uint32Array(words);
  const full = new Uint32Array(words);
  for (let y = deepReach; y < ny - deepReach; y += samplingOf(nz)) {
    mixed.fill(0);
    full.fill(0xffffffff);
    for (let dz = -deepReach; dz <= deepReach; dz++) {
      for (let dy = -deepReach; dy <= deepReach; dy++) {
        const at = ((z + dz + mz) * grid.rows + y + dy + my) * words;
        for (let w = 0; w < words; w++) {
          mixed[w] |= phase[at + w] | air[at + w];
          full[w] &= air[at + w];
        }
      }
    }
    let material = 0;
    let empty = 0;
    const row = ((z - zFrom) * ny + y) * nx;
    for (let x = 0; x < nx; x++) {
      const w = (x + mx) >> 5;
      const k = (x + mx) & 31;
      material = (mixed[w] >>> k) & 1 ? 0 : material + 1;
      empty = (full[w] >>> k) & 1 ? empty + 1 : 0;
      const value = grey[row + x - deepReach];
      if (material > 2 * deepReach && Math.abs(value - 1) < 0.5) {
        result[0]++;
        result[1] += value;
        result[2] += value * value;
      } else if (empty > 2 * deepReach && Math.abs(value) < 0.5) {
        result[3]++;
        result[4] += value;
        result[5] += value * value;
      }
    }
  }
  return result;
}
