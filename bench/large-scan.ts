/**
 * A synthetic scan of any size that is fast to draw, compresses to about a sixtieth in gzip, and whose every voxel is
 * known, so that a rendered picture can be compared with it: a block with bores and pores in air, with separate grain
 * in each voxel.
 */
import { seededRandom } from '#kernels/random.ts';

const [air, material] = [8000, 40_000];
/** largest difference of a voxel from its material, in either direction */
const grain = 3000;
/** number of alternating grain rows: gzip finds the repetition, yet no row or slice equals its neighbours */
const grainRows = 4;
const poreCount = 300;

export interface LargeScan {
  edge: number;
  /** grey value of a voxel */
  greyAt(x: number, y: number, z: number): number;
  /** yields planes along z; each overwrites the previous one */
  planes(): Generator<Uint16Array<ArrayBuffer>>;
}

/** From … to−1 along x. */
type Span = readonly [from: number, to: number];

export function drawLargeScan(edge: number): LargeScan {
  const random = seededRandom(11);
  const rows = Array.from({ length: grainRows }, () =>
    Float64Array.from({ length: edge }, () => (2 * random() - 1) * grain),
  );
  const toRows = (grey: number) => rows.map((row) => Uint16Array.from(row, (value) => grey + value));
  const [airRows, materialRows] = [toRows(air), toRows(material)];
  const pores = Array.from({ length: poreCount }, () => ({
    center: [0, 0, 0].map(() => edge * (0.12 + 0.76 * random())),
    radius: (edge / 2048) * (4 + 20 * random() ** 3),
  }));
  const share = (part: number) => Math.round(part * edge);
  const half = edge / 2;
  /** Where a row crosses a ball or a bore of this radius, at a distance from its centre. */
  const chord = (middle: number, radius: number, across: number): Span[] => {
    const reach = Math.sqrt(radius * radius - across * across);
    return across < radius ? [[Math.ceil(middle - reach), Math.ceil(middle + reach)]] : [];
  };
  const emptySpans = (y: number, z: number, near: typeof pores): Span[] => [
    // A bore along z in the middle, one along y, one along x, and the pores.
    ...chord(half, 0.16 * edge, Math.abs(y - half)),
    ...chord(0.3 * edge, 0.06 * edge, Math.abs(z - 0.3 * edge)),
    ...(Math.hypot(y - 0.75 * edge, z - 0.7 * edge) < 0.05 * edge ? [[0, edge] as const] : []),
    ...near.flatMap(({ center, radius }) =>
      chord(center[0], radius, Math.hypot(y - center[1], z - center[2])),
    ),
  ];
  const isBeside = (y: number, z: number) =>
    y < share(0.1) || y >= share(0.9) || z < share(0.06) || z >= share(0.94);
  const findGrainRow = (y: number, z: number) => (y + 3 * z) % grainRows;
  return {
    edge,
    greyAt: (x, y, z) => {
      const isEmpty =
        isBeside(y, z) ||
        x < share(0.08) ||
        x >= share(0.92) ||
        emptySpans(y, z, pores).some(([from, to]) => x >= from && x < to);
      return (isEmpty ? airRows : materialRows)[findGrainRow(y, z)][x];
    },
    *planes() {
      const plane = new Uint16Array(edge * edge);
      for (let z = 0; z < edge; z++) {
        const near = pores.filter(({ center, radius }) => Math.abs(z - center[2]) < radius);
        for (let y = 0; y < edge; y++) {
          const empty = airRows[findGrainRow(y, z)];
          const row = plane.subarray(y * edge, (y + 1) * edge);
          row.set(empty);
          if (isBeside(y, z)) continue;
          const [from, to] = [share(0.08), share(0.92)];
          row.set(materialRows[findGrainRow(y, z)].subarray(from, to), from);
          for (const [first, end] of emptySpans(y, z, near)) {
            const clipped = [Math.max(0, first), Math.min(edge, end)] as const;
            row.set(empty.subarray(...clipped), clipped[0]);
          }
        }
        yield plane;
      }
    },
  };
}
