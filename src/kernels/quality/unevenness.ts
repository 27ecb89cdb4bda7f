/** Variation of the single material's grey value over the part, as from cupping and shading. */
import { solveRows } from '../linear/least-squares.ts';
import type { BlockGrid } from './block-grid.ts';
import { type BlockLevels, median, withoutPlane } from './block-levels.ts';

/**
 * Smallest numbers of blocks for slopes and one common curvature, and for curvatures along each axis; largest number of
 * blocks.
 */
const [minEven, minBent] = [8, 30];
const maxBlocks = 20_000;
/**
 * Edges and gaps in a block increase its standard deviation: it is uniform below this multiple of the lower quartile
 * plus this share of the contrast.
 */
const [evenDeviation, evenWithin] = [1.2, 0.02];
/** Blocks with larger residuals, in standard deviations, are left out of the next fit; number of fits. */
const [maxOffset, turns] = [3, 3];
/** Rounding, as a share of the contrast. */
const minSpread = 1e-6;
/**
 * Width of the interval with 96 % of a normal distribution in standard deviations, median absolute value, and the
 * safety factor for noise.
 */
const [within96, medianOfNormal, noiseTimes] = [4.1, 0.6745, 1.5];

/** Layers and fibres leave up to this multiple of their standard deviation in the fit: 1.4 in wood, 0.8 in laminates. */
const ofTexture = 1.2;

/**
 * What varies slowly over the part beyond what a textured material leaves by chance. Local levels would follow its
 * layers, and be wrong beneath faces.
 */
export const takeOffTexture = (unevenness: number | null, texture: number | null): number | null =>
  unevenness && Math.sqrt(Math.max(0, unevenness ** 2 - (ofTexture * (texture ?? 0)) ** 2));

/**
 * Cupping, shading and drift vary slowly over the part, unlike the effects of blurred edges, gaps and noise on single
 * blocks. Therefore a quadric is fitted to the uniform blocks, after subtracting the plane of the air, and its range
 * counts beyond its own uncertainty. O(blocks).
 * @returns the range (98th minus 2nd percentile over the blocks) as a share of the highest; null with several materials
 * or too few uniform blocks
 */
export function findUnevenness(blocks: BlockGrid, levels: BlockLevels): number | null {
  if (levels.materials.length !== 1) return null;
  const grey = withoutPlane(blocks, levels.airPlane);
  const places = findEven(blocks, levels);
  if (places.length < minEven) return null;
  const contrast = levels.materials[0].grey - levels.air;
  const rows = places.map((at) => listTerms(at, blocks.size, places.length < minBent));
  const values = places.map((at) => grey[at]);
  let kept = rows.map((_, n) => n);
  let fit: number[] = [];
  let spread = 0;
  for (let turn = 0; turn < turns; turn++) {
    const found = solveRows(
      kept.map((n) => rows[n]),
      kept.map((n) => values[n]),
    );
    if (!found) return null;
    fit = rows.map((row) => row.reduce((sum, term, k) => sum + term * found[k], 0));
    spread = median(kept.map((n) => Math.abs(values[n] - fit[n]))) / medianOfNormal;
    const within = maxOffset * Math.max(spread, minSpread * contrast);
    kept = rows.flatMap((_, n) => (Math.abs(values[n] - fit[n]) <= within ? [n] : []));
  }
  const sorted = Float64Array.from(kept, (n) => fit[n]).sort();
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))];
  const fromNoise = noiseTimes * within96 * spread * Math.sqrt(rows[0].length / kept.length);
  return Math.sqrt(Math.max(0, (at(0.98) - at(0.02)) ** 2 - fromNoise ** 2)) / at(0.98);
}

/** Blocks of material without an edge, evenly selected. */
function findEven({ size, deviations }: BlockGrid, { even, air, materials }: BlockLevels): number[] {
  const layer = size[0] * size[1];
  const found: number[] = [];
  for (let at = layer; at < even.length - layer; at++) if (even[at] === 2) found.push(at);
  const quiet = Float32Array.from(found, (at) => deviations[at]).sort()[found.length >> 2];
  const most = Math.hypot(evenDeviation * quiet, evenWithin * (materials[0].grey - air));
  const all = found.filter((at) => deviations[at] <= most);
  const step = Math.ceil(all.length / maxBlocks);
  return all.filter((_, n) => n % step === 0);
}

/** Terms 1, slopes and curvatures at a block; positions relative to the centre as shares of the scan. */
function listTerms(at: number, [bx, by, bz]: BlockGrid['size'], isShort: boolean): number[] {
  const x = (at % bx) / bx - 0.5;
  const y = (Math.floor(at / bx) % by) / by - 0.5;
  const z = Math.floor(at / (bx * by)) / bz - 0.5;
  return [1, x, y, z, ...(isShort ? [x * x + y * y + z * z] : [x * x, y * y, z * z, x * y, x * z, y * z])];
}
