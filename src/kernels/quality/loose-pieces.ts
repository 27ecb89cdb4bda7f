/** Pieces of a lighter material with air all around them, beside a part, too small to fill a block: their own cells tell. */
import type { Vector3 } from '../grid/volume.ts';
import { type BlockGrid, blockCells } from './block-grid.ts';
import type { BlockLevels } from './block-levels.ts';
import type { DetailSlab } from './detail.ts';

/** Heights above air of such a piece, as shares of the contrast: of less it is haze or foam, of more it is of the known material. */
const [lowest, highest] = [0.2, 0.78];
/** Noise is weaker than this share of the contrast, and a block of a piece brighter than that one. */
const [mostNoise, leastOfBlock] = [0.08, 0.05];
/** What pieces come to at least for surfaces to miss something, and at most, as a share of all material. */
const [leastVolume, mostVolume] = [0.005, 0.5];
/** Cells at most: larger ones fill blocks. */
const mostCells = 8000;
/**
 * Deviations of the noise by which the brightest of some hundred cells is too bright, each evened out with its six neighbours, and by which
 * a single cell is: what goes on to a brighter one is a thin place of the part.
 */
const [brightestDeviations, brighterDeviations] = [1, 3.5];

interface Piece {
  height: number;
  cells: number;
  blocks: ReadonlySet<number>;
}

export class LoosePieces {
  /** blocks that hold nothing of a piece, and those that were looked at; 2 of what goes on beyond the planes that were at hand */
  private readonly done: Uint8Array;
  private readonly pieces: Piece[] = [];
  private readonly contrast: number;

  private readonly blocks: BlockGrid;
  private readonly levels: BlockLevels;

  constructor(blocks: BlockGrid, levels: BlockLevels) {
    const { air, materials, noise } = levels;
    this.blocks = blocks;
    this.levels = levels;
    this.contrast = materials[0].grey - air;
    const isTold =
      blocks.stride === blockCells && materials.length === 1 && noise < mostNoise * this.contrast;
    const [least, most] = [leastOfBlock, highest].map((share) => air + share * this.contrast);
    this.done = Uint8Array.from(blocks.means, (mean) => Number(!(isTold && mean > least && mean < most)));
  }

  /** Goes from the brightest cell of each block on to brighter ones. O(cells of blocks that are full in part). */
  add({ values, dimensions: [nx, ny], planes, first }: DetailSlab): void {
    const { air, noise } = this.levels;
    const steps: Vector3 = [1, nx, nx * ny];
    const ways = steps.flatMap((step) => [step, -step]);
    const isInside = (cell: number) => {
      const [x, y, z] = [cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / steps[2])];
      return x > 0 && y > 0 && z > 0 && x + 1 < nx && y + 1 < ny && z + 1 < planes;
    };
    /** The brightest of these cells; those at the ends of the slab left out. */
    const findBrightest = (start: { cell: number; grey: number }, cells: readonly number[]) =>
      cells.reduce((most, cell) => {
        if (!isInside(cell)) return most;
        const grey = ways.reduce((sum, way) => sum + values[cell + way], 2 * values[cell]) / 8;
        return grey > most.grey ? { cell, grey } : most;
      }, start);
    const most = air + highest * this.contrast + brightestDeviations * noise;
    const isLow = (grey: number) => grey < most;
    for (let at = 0; at < this.done.length; at++) if (this.done[at] === 2) this.done[at] = 0;
    for (let at = 0; at < this.done.length; at++) {
      if (this.done[at] > 0) continue;
      const corner = this.findCorner(at, steps, first);
      const z = Math.floor(corner / steps[2]);
      if (z < 1 || z + blockCells >= planes) continue;
      this.done[at] = 1;
      const own = blockPlaces.map(([x, y, z]) => corner + x + y * nx + z * steps[2]);
      let [last, next] = [-1, findBrightest({ cell: -1, grey: Number.NEGATIVE_INFINITY }, own)];
      while (next.cell !== last && isLow(next.grey)) {
        last = next.cell;
        next = findBrightest(
          next,
          ways.map((way) => last + way),
        );
      }
      if (!(isLow(next.grey) && next.grey > air + lowest * this.contrast)) continue;
      const from = (air + next.grey) / 2;
      const found = [next.cell];
      const seen = new Set(found);
      let [isWhole, isLoose] = [true, true];
      for (let n = 0; n < found.length && found.length < mostCells; n++) {
        isWhole = isInside(found[n]);
        isLoose = values[found[n]] < most + brighterDeviations * noise;
        if (!isWhole || !isLoose) break;
        for (const way of ways) {
          const beside = found[n] + way;
          if (seen.has(beside) || values[beside] < from) continue;
          seen.add(beside);
          found.push(beside);
        }
      }
      const blocks = new Set(found.map((cell) => this.findBlock(cell, [nx, ny], first)));
      for (const block of blocks) this.done[block] = isWhole ? 1 : 2;
      if (!isWhole || !isLoose || found.length >= mostCells) continue;
      const { grey } = findBrightest(next, found);
      const height = (grey - brightestDeviations * noise - air) / this.contrast;
      if (isLow(grey)) this.pieces.push({ height, cells: found.length, blocks });
    }
  }

  /**
   * @returns the materials, with the one before them that pieces are of, where there is enough of it for surfaces to miss something, and the
   * blocks of these
   */
  find(): { materials: BlockLevels['materials']; loose: number[] } {
    const { air, materials } = this.levels;
    let all = 0;
    for (const mean of this.blocks.means) all += Math.max(0, mean - air) / this.contrast;
    const cells = this.pieces.reduce((sum, piece) => sum + piece.cells, 0);
    const share = cells / (blockCells ** 3 * all);
    if (!(share > leastVolume && share < mostVolume)) return { materials, loose: [] };
    const height = this.pieces.reduce((sum, piece) => sum + piece.height * piece.cells, 0) / cells;
    const others = materials.map((each) => ({ ...each, share: each.share * (1 - share) }));
    return {
      materials: [{ grey: air + height * this.contrast, share }, ...others],
      loose: this.pieces.flatMap(({ blocks }) => [...blocks]),
    };
  }

  /** Where the first cell of a block lies among the values of a slab. */
  private findCorner(at: number, [, row, plane]: Readonly<Vector3>, first: number): number {
    const { size, first: start } = this.blocks;
    const [bx, by] = size;
    const z = start[2] + Math.floor(at / (bx * by)) * blockCells - first;
    const y = start[1] + (Math.floor(at / bx) % by) * blockCells;
    return z * plane + y * row + start[0] + (at % bx) * blockCells;
  }

  private findBlock(cell: number, [nx, ny]: [number, number], first: number): number {
    const { size, first: start } = this.blocks;
    const place: Vector3 = [cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / (nx * ny)) + first];
    const [i, j, k] = place.map((n, axis) =>
      Math.min(size[axis] - 1, Math.max(0, Math.floor((n - start[axis]) / blockCells))),
    );
    return (k * size[1] + j) * size[0] + i;
  }
}

const blockPlaces = Array.from({ length: blockCells ** 3 }, (_, n): Vector3 => [n & 3, (n >> 2) & 3, n >> 4]);
