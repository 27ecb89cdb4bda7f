/** Tasks for the shell integrals: boxes of grey values around voids and around sound places. */
import { betweenNodes, levelled } from '../grid/level-field.ts';
import { type DataType, type LevelField, makeView, type Vector3 } from '../grid/volume.ts';
import { defineTask, type OnArena } from '../task.ts';
import type { BitGrid } from './bit-layout.ts';
import type { DefectRuns } from './shape.ts';
import {
  beyond,
  hasMiddle,
  integrateShell,
  type ShellOptions,
  shellMargin,
  spreadDistances,
} from './shell-fit.ts';

/** A void, or a ball of sound material that is measured in the same way. */
export interface Place {
  /** its box in cells of the region, `to` exclusive */
  from: Vector3;
  to: Vector3;
  /** the defect's number, or the ball's centre and radius in cells */
  defect: number | null;
  ball: { center: Vector3; radius: number } | null;
}

/** A place whose box has memory in the arena: f32 per cell. */
export interface PlacedPatch extends Place {
  address: number;
}

const listCells = ({ from, to }: Place) => (to[0] - from[0]) * (to[1] - from[1]) * (to[2] - from[2]);

interface GatherInput extends OnArena {
  dataType: DataType;
  /** address of plane zFrom of the volume */
  source: number;
  nx: number;
  ny: number;
  /** planes of the volume */
  zFrom: number;
  zTo: number;
  /** first cell of the region in the volume */
  region: Vector3;
  /** grey values of air and material */
  air: number;
  material: number;
  patches: readonly PlacedPatch[];
}

/**
 * Copies grey values of the boxes that overlap some planes, scaled to 0 for air and 1 for material; NaN and infinity
 * become air.
 */
export const gatherPatches = defineTask(import.meta.url, 'gatherPatches', (_, input: GatherInput): void => {
  const { memory, dataType, nx, ny, zFrom, zTo, region, air } = input;
  const gain = 1 / (input.material - air);
  const source = makeView(dataType, memory.buffer, input.source, nx * ny * (zTo - zFrom));
  for (const patch of input.patches) {
    const { from, to } = patch;
    const [sx, sy] = [to[0] - from[0], to[1] - from[1]];
    const target = new Float32Array(memory.buffer, patch.address, listCells(patch));
    const first = Math.max(from[2] + region[2], zFrom);
    const last = Math.min(to[2] + region[2], zTo);
    for (let z = first; z < last; z++) {
      for (let y = from[1]; y < to[1]; y++) {
        const at = ((z - zFrom) * ny + y + region[1]) * nx + from[0] + region[0];
        const put = ((z - region[2] - from[2]) * sy + y - from[1]) * sx;
        for (let x = 0; x < sx; x++) {
          const value = (source[at + x] - air) * gain;
          target[put + x] = value - value === 0 ? value : 0;
        }
      }
    }
  }
});

/**
 * Numbers per patch: volume, its standard deviation, cells, depth, depth and cells of the middle, centre, level with
 * its slopes, their variances, patchiness, and 1 where a denser material lies in the integral, or its edge does.
 */
export const shellNumbers = 19;

interface MeasureInput extends OnArena {
  grid: BitGrid;
  /** bits of all air */
  air: number;
  runs: DefectRuns;
  options: ShellOptions;
  scale: LocalScale | null;
  /** on the scale of the values, see ShellScan */
  denserFrom: number | null;
  patches: readonly PlacedPatch[];
}

/** Conversion of box values to the scale of local levels; the other scale is that of gatherPatches. */
interface LocalScale {
  field: LevelField;
  region: Vector3;
  air: number;
  material: number;
}

/** Computes the integral of each patch; positions in cells of the region. */
export const measurePatches = defineTask(
  import.meta.url,
  'measurePatches',
  (_, input: MeasureInput): Float64Array => {
    const { memory, grid, options, patches } = input;
    const result = new Float64Array(shellNumbers * patches.length);
    const most = Math.max(0, ...patches.map(listCells));
    const [owns, others, inners] = [new Uint8Array(most), new Uint8Array(most), new Uint8Array(most)];
    for (const [i, patch] of patches.entries()) {
      const { from, to, ball } = patch;
      const size = to.map((n, k) => n - from[k]) as Vector3;
      const read = new Float32Array(memory.buffer, patch.address, listCells(patch));
      const values = input.scale ? levelValues(read, patch, input.scale) : read;
      const other = others.subarray(0, values.length).fill(beyond);
      const hasAir = paintBits(memory.buffer, grid, input.air, patch, other);
      const own = owns.subarray(0, values.length).fill(beyond);
      let inner: Uint8Array | null = null;
      if (ball) paintBall(ball, from, size, own);
      else {
        paintRuns(memory.buffer, grid, input.runs, patch, own);
        let cells = 0;
        for (let k = 0; k < own.length; k++) {
          if (own[k] !== 0) continue;
          other[k] = beyond;
          cells++;
        }
        if (hasMiddle(cells, options.reach)) {
          inner = inners.subarray(0, values.length);
          for (let k = 0; k < own.length; k++) inner[k] = own[k] === 0 ? beyond : 0;
          spreadDistances(inner, size, options.reach + 1);
        }
        spreadDistances(own, size, shellMargin(options.reach));
      }
      if (hasAir) spreadDistances(other, size, shellMargin(options.reach));
      // The blurred edge of a denser material says as little about the material's level as that of other air.
      const denser = paintAbove(values, input.denserFrom, own, other, options.reach);
      if (denser < beyond) spreadDistances(other, size, shellMargin(options.reach));
      const found = integrateShell({ values, size, own, other, inner }, options);
      const center = found.center.map((n, k) => n + from[k]);
      const { volume, deviation, cells, depth, middle, level, variances, patchiness } = found;
      const isBesideDenser = denser < (2 * options.reach) ** 2;
      const ofLevel = [...level, ...variances, patchiness, Number(isBesideDenser)];
      result.set(
        [volume, deviation, cells, depth, middle.depth, middle.cells, ...center, ...ofLevel],
        shellNumbers * i,
      );
    }
    return result;
  },
);

function levelValues(
  values: Float32Array,
  { from, to }: Place,
  { field, region, air, material }: LocalScale,
): Float32Array {
  const { nodes, brickCells, base, gain } = field;
  const [kx, ky] = nodes;
  const result = new Float32Array(values.length);
  const columns = Array.from({ length: to[0] - from[0] }, (_, x) =>
    betweenNodes(x + from[0] + region[0], brickCells, kx),
  );
  let at = 0;
  for (let z = from[2]; z < to[2]; z++) {
    const [z0, z1, w] = betweenNodes(z + region[2], brickCells, nodes[2]);
    for (let y = from[1]; y < to[1]; y++) {
      const [y0, y1, v] = betweenNodes(y + region[1], brickCells, ky);
      const rows = [(z0 * ky + y0) * kx, (z0 * ky + y1) * kx, (z1 * ky + y0) * kx, (z1 * ky + y1) * kx];
      const shares = [(1 - w) * (1 - v), (1 - w) * v, w * (1 - v), w * v];
      for (const [x0, x1, u] of columns) {
        let [b, g] = [0, 0];
        for (let i = 0; i < 4; i++) {
          b += shares[i] * ((1 - u) * base[rows[i] + x0] + u * base[rows[i] + x1]);
          g += shares[i] * ((1 - u) * gain[rows[i] + x0] + u * gain[rows[i] + x1]);
        }
        const grey = air + values[at] * (material - air);
        result[at++] = (b + g * grey - levelled.air) / levelled.contrast;
      }
    }
  }
  return result;
}

/** Writes 0 where a bit of the box is set; returns whether any is. */
function paintBits(
  buffer: SharedArrayBuffer,
  { words, rows, planes, margin }: BitGrid,
  bits: number,
  { from, to }: Place,
  target: Uint8Array,
): boolean {
  const all = new Uint32Array(buffer, bits, 2 * words * rows * planes);
  let [at, any] = [0, false];
  for (let z = from[2]; z < to[2]; z++) {
    for (let y = from[1]; y < to[1]; y++) {
      const row = ((z + margin[2]) * rows + y + margin[1]) * words * 2;
      for (let x = from[0] + margin[0]; x < to[0] + margin[0]; x++, at++) {
        if (((all[row + (x >> 5)] >>> (x & 31)) & 1) === 0) continue;
        target[at] = 0;
        any = true;
      }
    }
  }
  return any;
}

/**
 * Writes 0 into the distances to other air where a value exceeds the level beyond the reach of any air, where it is no
 * overshoot of a sharpened edge. Returns the smallest squared distance of such a cell to the void; `beyond` when there
 * is none.
 */
function paintAbove(
  values: Float32Array,
  level: number | null,
  own: Uint8Array,
  other: Uint8Array,
  reach: number,
): number {
  let nearest = beyond;
  if (level === null) return nearest;
  const near = reach ** 2;
  for (let i = 0; i < values.length; i++) {
    if (!(values[i] > level && own[i] > near && other[i] > near)) continue;
    other[i] = 0;
    nearest = Math.min(nearest, own[i]);
  }
  return nearest;
}

function paintRuns(
  buffer: SharedArrayBuffer,
  { rows, margin }: BitGrid,
  list: DefectRuns,
  { from, to, defect }: Place,
  target: Uint8Array,
): void {
  const starts = new Uint32Array(buffer, list.starts, list.count + 1);
  const runs = new Uint32Array(buffer, list.runs, list.runCount);
  const runRows = new Uint32Array(buffer, list.rows, list.runCount);
  const [nx, ny] = [to[0] - from[0], to[1] - from[1]];
  const number = defect ?? 0;
  for (let i = starts[number]; i < starts[number + 1]; i++) {
    const y = (runRows[i] % rows) - margin[1] - from[1];
    const z = Math.floor(runRows[i] / rows) - margin[2] - from[2];
    const at = (z * ny + y) * nx - margin[0] - from[0];
    target.fill(0, at + (runs[i] & 0xffff), at + (runs[i] >>> 16) + 1);
  }
}

/** Squared distances to a ball. */
function paintBall(
  { center, radius }: { center: Vector3; radius: number },
  from: Vector3,
  [nx, ny, nz]: Vector3,
  target: Uint8Array,
): void {
  for (let z = 0, i = 0; z < nz; z++) {
    for (let y = 0; y < ny; y++) {
      for (let x = 0; x < nx; x++, i++) {
        const [u, v, w] = [x + from[0] - center[0], y + from[1] - center[1], z + from[2] - center[2]];
        const rest = Math.max(0, Math.sqrt(u * u + v * v + w * w) - radius);
        target[i] = rest < 15 ? Math.round(rest * rest) : beyond;
      }
    }
  }
}

/** For each ball, whether it contains no air. */
export const findSoundBalls = defineTask(
  import.meta.url,
  'findSoundBalls',
  (
    _,
    input: OnArena & { grid: BitGrid; air: number; balls: readonly { center: Vector3; radius: number }[] },
  ): boolean[] => {
    const { words, rows, planes, margin, cells } = input.grid;
    const all = new Uint32Array(input.memory.buffer, input.air, 2 * words * rows * planes);
    const isSound = ({ center, radius }: { center: Vector3; radius: number }) => {
      const reach = Math.floor(radius);
      if (center.some((n, k) => n < radius || n > cells[k] - 1 - radius)) return false;
      for (let dz = -reach; dz <= reach; dz++) {
        for (let dy = -reach; dy <= reach; dy++) {
          const rest = radius * radius - dz * dz - dy * dy;
          if (rest < 0) continue;
          const width = Math.floor(Math.sqrt(rest));
          const row = ((center[2] + dz + margin[2]) * rows + center[1] + dy + margin[1]) * words * 2;
          const x = center[0] + margin[0];
          for (let at = x - width; at <= x + width; at++) {
            if ((all[row + (at >> 5)] >>> (at & 31)) & 1) return false;
          }
        }
      }
      return true;
    };
    return input.balls.map(isSound);
  },
);
