/** Where voids open to the outside: their mouths, which tell a pore from a gap between features of the part. */
import type { Vector3 } from '../grid/volume.ts';
import type { BitGrid } from './bit-layout.ts';
import type { DefectRuns } from './shape.ts';

export interface Mouths {
  /** of the two largest ones: area (mm²) across the mouth, the largest first; 0 = there is none */
  areasMm2: [number, number];
  /** diagonal of the box around the largest one */
  lengthMm: number;
  /** between the middles of the two */
  apartMm: number;
  /** from the middle of the largest one to the farthest place of the void */
  depthMm: number;
}

const noMouth: Mouths = { areasMm2: [0, 0], lengthMm: 0, apartMm: 0, depthMm: 0 };

/** More cells than these that touch the outside are one long mouth; nobody asks how many there are. */
const mostCells = 100_000;

/** The mouths of the voids from … to−1; `isOpen`: 1 for those that are open. Faces between a void's cells and `outside`. */
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
    for (let i = starts[d]; i < starts[d + 1] && faces.length <= mostCells; i++) {
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
  /** towards the outside, in faces along each axis */
  normal: Vector3;
}

/** Faces whose cells touch, by edges and corners too, are of one mouth. */
function joinFaces(faces: readonly Face[]): Face[][] {
  if (faces.length > mostCells) return [[...faces]];
  // Whole numbers that are small, as long as the box around them is: those beyond 31 bits take a map several times as long.
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

/** A mouth that is longer than so many diameters of the ball is no pore's, which the ball covers nearly. */
const longestMouth = 2;
/** How far a channel's volume may be from its cross-section times its length. */
const evenShare: [number, number] = [0.7, 1.4];
/** A hole of one even width is deeper than so many of its diameters, where a pore that the surface cuts is not. */
const leastDepth = 1.2;

/**
 * Whether an open void looks like the part's own shape and not like a pore: its mouth is long, as of a gap between teeth
 * or fins, or of a groove, or it is of one width from its mouth to its end or to a second mouth, as of a bore.
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
  return second < area / 10 && depthMm > leastDepth * diameterMm && isEven(area * depthMm);
}
