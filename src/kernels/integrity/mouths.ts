/** Mouths of voids that are open to the outside; they distinguish a pore from a gap between features of the part. */
import type { Vector3 } from '../grid/volume.ts';
import type { BitGrid } from './bit-layout.ts';
import type { DefectRuns } from './shape.ts';

export interface Mouths {
  /** area (mm²) across the mouth, of the two largest mouths, the largest first; 0 = none */
  areasMm2: [number, number];
  /** diagonal of the bounding box of the largest one */
  lengthMm: number;
  /** distance between the centres of the two */
  apartMm: number;
  /** distance from the centre of the largest one to the furthest place of the void */
  depthMm: number;
}

const noMouth: Mouths = { areasMm2: [0, 0], lengthMm: 0, apartMm: 0, depthMm: 0 };

/** More cells than this touching the outside count as a single long mouth; their exact number does not matter. */
const maxCells = 100_000;

/**
 * The mouths of the voids from … to−1, from the faces between a void's cells and `outside`; `isOpen`: 1 for open voids.
 */
export function findMouths(
  buffer: SharedArrayBuffer,
  input: {
    grid: BitGrid;
    runs: DefectRuns;
    outside: number;
    spacingMm: Vector3;
    isOpen: Uint8Array;
    from: number;
    to: number;
  },
): Mouths[] {
  const { grid, runs: list, outside, spacingMm, isOpen, from, to } = input;
  const starts = new Uint32Array(buffer, list.starts, list.count + 1);
  const runs = new Uint32Array(buffer, list.runs, list.runCount);
  const rows = new Uint32Array(buffer, list.rows, list.runCount);
  const words = grid.words * 2;
  const bits = new Uint32Array(buffer, outside, words * grid.rows * grid.planes);
  const isOutside = (x: number, y: number, z: number): number =>
    y < 0 || z < 0 || y >= grid.rows || z >= grid.planes || x < 0 || x >= 32 * words
      ? 0
      : (bits[words * (z * grid.rows + y) + (x >>> 5)] >>> (x & 31)) & 1;
  const mouths: Mouths[] = [];
  for (let d = from; d < to; d++) {
    if (isOpen[d - from] !== 1) {
      mouths.push(noMouth);
      continue;
    }
    const faces: Face[] = [];
    const ends: number[] = [];
    for (let i = starts[d]; i < starts[d + 1] && faces.length <= maxCells; i++) {
      const [y, z] = [rows[i] % grid.rows, Math.floor(rows[i] / grid.rows)];
      const [first, last] = [runs[i] & 0xffff, runs[i] >>> 16];
      ends.push(first, y, z, last, y, z);
      for (let x = first; x <= last; x++) {
        const nx = isOutside(x + 1, y, z) - isOutside(x - 1, y, z);
        const ny = isOutside(x, y + 1, z) - isOutside(x, y - 1, z);
        const nz = isOutside(x, y, z + 1) - isOutside(x, y, z - 1);
        if (nx !== 0 || ny !== 0 || nz !== 0) faces.push({ cell: [x, y, z], normal: [nx, ny, nz] });
      }
    }
    mouths.push(measureMouths(joinFaces(faces), ends, spacingMm));
  }
  return mouths;
}

interface Face {
  cell: Vector3;
  /** towards the outside, number of faces along each axis */
  normal: Vector3;
}

/** Groups faces into mouths: faces whose cells touch, also by edges or corners, belong to one mouth. */
function joinFaces(faces: readonly Face[]): Face[][] {
  if (faces.length > maxCells) return [[...faces]];
  // Keys are relative to the bounding box to keep them small: a Map is several times slower with keys beyond 31 bits.
  const low: Vector3 = [Infinity, Infinity, Infinity];
  const high: Vector3 = [0, 0, 0];
  for (const { cell } of faces) {
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], cell[k] - 1);
      high[k] = Math.max(high[k], cell[k] + 2);
    }
  }
  const [width, height] = [high[0] - low[0], high[1] - low[1]];
  const packKey = (x: number, y: number, z: number) =>
    ((z - low[2]) * height + y - low[1]) * width + x - low[0];
  const left = new Map(faces.map((face) => [packKey(...face.cell), face]));
  const groups: Face[][] = [];
  for (const first of faces) {
    if (!left.delete(packKey(...first.cell))) continue;
    const group = [first];
    for (const { cell } of group) {
      const [x, y, z] = cell;
      for (let k = 0; k < 27; k++) {
        const key = packKey(x + (k % 3) - 1, y + (Math.floor(k / 3) % 3) - 1, z + Math.floor(k / 9) - 1);
        const next = left.get(key);
        if (!next) continue;
        left.delete(key);
        group.push(next);
      }
    }
    groups.push(group);
  }
  return groups;
}

function measureMouths(groups: readonly Face[][], ends: readonly number[], s: Vector3): Mouths {
  const measured = groups
    .map((faces) => {
      const normal = [0, 0, 0];
      const sums = [0, 0, 0];
      const least = [Infinity, Infinity, Infinity];
      const most = [-Infinity, -Infinity, -Infinity];
      for (const face of faces) {
        for (let k = 0; k < 3; k++) {
          const at = face.cell[k] * s[k];
          normal[k] += face.normal[k];
          sums[k] += at;
          least[k] = Math.min(least[k], at);
          most[k] = Math.max(most[k], at);
        }
      }
      const area = Math.hypot(normal[0] * s[1] * s[2], normal[1] * s[0] * s[2], normal[2] * s[0] * s[1]);
      const spans = most.map((end, k) => end - least[k] + s[k]);
      const center = sums.map((sum) => sum / faces.length);
      return { area, lengthMm: Math.hypot(...spans), center, count: faces.length };
    })
    .sort((a, b) => b.count - a.count);
  const [first, second] = measured;
  if (!first) return noMouth;
  let depthMm = 0;
  for (let i = 0; i < ends.length; i += 3) {
    const x = ends[i] * s[0] - first.center[0];
    const y = ends[i + 1] * s[1] - first.center[1];
    const z = ends[i + 2] * s[2] - first.center[2];
    depthMm = Math.max(depthMm, Math.hypot(x, y, z));
  }
  return {
    areasMm2: [first.area, second?.area ?? 0],
    lengthMm: first.lengthMm,
    apartMm: second ? Math.hypot(...first.center.map((at, k) => at - second.center[k])) : 0,
    depthMm,
  };
}

/** A mouth longer than this many ball diameters is not that of a pore, which the ball nearly covers. */
const longestMouth = 2;
/** Range of a channel's volume over cross-section times length. */
const evenShare: [number, number] = [0.7, 1.4];
/**
 * A hole of constant width is a bore when it is deeper than this many diameters; a pore cut by the surface is not that
 * deep.
 */
const minDepth = 1.2;

/**
 * Whether an open void has the shape of a feature of the part rather than of a pore: a long mouth, as of a groove or a
 * gap between teeth or fins, or a constant width from its mouth to its end or to a second mouth, as of a bore.
 */
export function isGap(
  { areasMm2: [area, second], lengthMm, apartMm, depthMm }: Mouths,
  volumeMm3: number,
  ballDiameterMm: number,
): boolean {
  if (area === 0) return false;
  if (lengthMm > longestMouth * ballDiameterMm) return true;
  const [least, most] = evenShare;
  const isEven = (prismMm3: number) => volumeMm3 > least * prismMm3 && volumeMm3 < most * prismMm3;
  const diameterMm = 2 * Math.sqrt(area / Math.PI);
  if (second > area / 2) return isEven(((area + second) / 2) * apartMm);
  return second < area / 10 && depthMm > minDepth * diameterMm && isEven(area * depthMm);
}
