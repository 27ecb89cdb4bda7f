/**
 * A volume on one scale: air and material lie at the same grey values everywhere, however they change over the scan. What is
 * read is base + gain · grey, both interpolated between nodes, so that whoever looks for one level finds the local one.
 */
import { defineTask, type OnArena } from '../task.ts';
import { type DataType, type LevelField, type Vector3, viewOf } from './volume.ts';

/** Where air and material lie on the scale: whole numbers of 16 bits with room for noise below and for metal above. */
export const levelled = { air: 12_000, contrast: 12_000 } as const;

/** Lowest and highest value on the scale of a grey value anywhere in planes from … to−1 across an axis. */
export function rangeOnScale(
  { nodes, brickCells, base, gain }: LevelField,
  grey: number,
  axis = 0,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): [number, number] {
  const first = Math.max(0, Math.floor(from / brickCells - 0.5));
  const last = Math.min(nodes[axis] - 1, Math.ceil(to / brickCells - 0.5));
  const step = [1, nodes[0], nodes[0] * nodes[1]][axis];
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < base.length; i++) {
    const place = Math.floor(i / step) % nodes[axis];
    if (place < Math.min(first, last) || place > last) continue;
    const value = base[i] + gain[i] * grey;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

interface LevelInput extends OnArena {
  dataType: DataType;
  nx: number;
  ny: number;
  nodes: Vector3;
  brickCells: number;
  /** addresses */
  base: number;
  gain: number;
  source: number;
  target: number;
  xFrom: number;
  xTo: number;
  yFrom: number;
  yTo: number;
  zFrom: number;
  zTo: number;
}

/** Brings planes onto the scale; what is no number becomes air. O(cells). */
export const levelPlanes = defineTask(import.meta.url, 'levelPlanes', (_, input: LevelInput): void => {
  const { memory, dataType, nx, ny, nodes, brickCells, xFrom, xTo, yFrom, yTo, zFrom, zTo } = input;
  const [kx, ky, kz] = nodes;
  const base = new Float32Array(memory.buffer, input.base, kx * ky * kz);
  const gain = new Float32Array(memory.buffer, input.gain, kx * ky * kz);
  const source = viewOf(dataType, memory.buffer, input.source, nx * ny * (zTo - zFrom));
  const target = new Uint16Array(memory.buffer, input.target, nx * ny * (zTo - zFrom));
  const bases = new Float64Array(kx);
  const gains = new Float64Array(kx);
  for (let z = zFrom; z < zTo; z++) {
    const [z0, zShare] = between(z, brickCells, kz);
    const z1 = Math.min(kz - 1, z0 + 1);
    for (let y = yFrom; y < yTo; y++) {
      const [y0, yShare] = between(y, brickCells, ky);
      const y1 = Math.min(ky - 1, y0 + 1);
      const rows = [z0 * ky + y0, z0 * ky + y1, z1 * ky + y0, z1 * ky + y1];
      const shares = [
        (1 - zShare) * (1 - yShare),
        (1 - zShare) * yShare,
        zShare * (1 - yShare),
        zShare * yShare,
      ];
      for (let k = 0; k < kx; k++) {
        let [b, g] = [0, 0];
        for (let i = 0; i < 4; i++) {
          b += shares[i] * base[rows[i] * kx + k];
          g += shares[i] * gain[rows[i] * kx + k];
        }
        // Half is added for rounding.
        bases[k] = b + 0.5;
        gains[k] = g;
      }
      levelRow(source, target, ((z - zFrom) * ny + y) * nx, xFrom, xTo, brickCells, bases, gains);
    }
  }
});

/** The node before a cell and the share of the way to the next. */
function between(cell: number, brickCells: number, nodes: number): [number, number] {
  const place = Math.min(Math.max((cell + 0.5) / brickCells - 0.5, 0), nodes - 1);
  const node = Math.floor(place);
  return [node, place - node];
}

function levelRow(
  source: ArrayLike<number>,
  target: Uint16Array,
  at: number,
  xFrom: number,
  xTo: number,
  brickCells: number,
  bases: Float64Array,
  gains: Float64Array,
): void {
  const last = bases.length - 1;
  for (let x = xFrom; x < xTo; ) {
    const place = Math.min(Math.max((x + 0.5) / brickCells - 0.5, 0), last);
    const k = Math.min(Math.floor(place), Math.max(0, last - 1));
    const next = Math.min(last, k + 1);
    const isBetween = place > 0 && place < last;
    const stepBase = isBetween ? (bases[next] - bases[k]) / brickCells : 0;
    const stepGain = isBetween ? (gains[next] - gains[k]) / brickCells : 0;
    let base = bases[k] + (bases[next] - bases[k]) * (place - k);
    let gain = gains[k] + (gains[next] - gains[k]) * (place - k);
    // Up to where the next node is passed.
    const node = place <= 0 ? 0 : k + 1;
    const end =
      place >= last ? xTo : Math.min(xTo, Math.max(x + 1, Math.ceil((node + 0.5) * brickCells - 0.5)));
    for (; x < end; x++) {
      const value = base + gain * source[at + x];
      target[at + x] = value >= 0 ? (value < 65_535 ? value : 65_535) : value < 0 ? 0 : levelled.air;
      base += stepBase;
      gain += stepGain;
    }
  }
}
