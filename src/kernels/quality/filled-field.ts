/** A scan filled by material, such as a region within a part: there is no air around it, only in its pores. */
import type { SlabSource } from '../grid/volume.ts';
import { type BlockGrid, blockCells } from './block-grid.ts';
import { type BlockLevels, median } from './block-levels.ts';

/** Blocks differ by more than this many standard deviations of their mean; less is noise. */
const noiseDeviations = 8;
/** The darkest block must differ from the material this many times as much as the brightest one. */
const darkOver = 2;
/** Blocks within this share of the way to the darkest one are still material. */
const materialWithin = 1 / 3;
/** Share of each face, and of all blocks, that must be material. */
const [faceShare, minFull] = [0.8, 0.65];
/**
 * Number of darkest places measured cell by cell, their distance in blocks, and the largest difference between two that
 * agree, as a share.
 */
const [maxPlaces, apartBlocks, agreeWithin] = [12, 3, 0.06];

/** Whether material fills the scan up to all of its faces, with darker places within it. */
export function findFilled({
  means,
  deviations,
  faces,
}: BlockGrid): { material: number; noise: number } | null {
  const finite = Float32Array.from(means.filter(Number.isFinite)).sort();
  if (finite.length === 0) return null;
  const at = (share: number) => finite[Math.floor(share * (finite.length - 1))];
  const material = at(0.5);
  const noise = median([...deviations].filter((value) => value >= 0));
  const dark = material - at(0);
  const least = noiseDeviations * (noise / Math.sqrt(blockCells ** 3));
  if (!(dark > Math.max(least, darkOver * (at(1) - material)))) return null;
  const from = material - materialWithin * dark;
  const isMaterial = (value: number) => value > from;
  const findMaterialShare = (values: Float32Array) => values.filter(isMaterial).length / values.length;
  const isFilled =
    findMaterialShare(finite) > minFull && faces.every((face) => findMaterialShare(face.means) > faceShare);
  return isFilled ? { material, noise } : null;
}

/**
 * The levels of such a scan, when its widest pores show the grey value of air: the darkest cubes of 3 × 3 × 3 cells of
 * at least two pores, 5 or more cells across, must agree on it.
 * @returns null when they do not
 */
export async function levelFilled(
  source: SlabSource,
  blocks: BlockGrid,
  { material, noise }: { material: number; noise: number },
): Promise<BlockLevels | null> {
  const lows: number[] = [];
  for (const block of listDarkest(blocks)) {
    const low = await findFloor(source, blocks, block, { material, noise });
    if (low !== null) lows.push(low);
  }
  const [darkest, next] = lows.sort((a, b) => a - b);
  if (darkest === undefined || next === undefined) return null;
  // The lowest of several means is biased by noise.
  const ofNoise = noise / Math.sqrt(27);
  const air = darkest + ofNoise;
  if (next - darkest > agreeWithin * (material - air) + 2 * ofNoise) return null;
  const within = 0.1 * (material - air);
  const even = Uint8Array.from(blocks.means, (mean, i) =>
    Math.abs(mean - material) < within && blocks.deviations[i] < Math.hypot(within, 1.35 * noise) ? 2 : 0,
  );
  return {
    air,
    materials: [{ grey: material, share: 1 }],
    level: (air + material) / 2,
    noise,
    grain: null,
    airPlane: { middle: air, slopes: [0, 0, 0] },
    even,
  };
}

/** The darkest blocks, far enough apart to be different pores. */
function listDarkest({ means, size }: BlockGrid): number[] {
  const [bx, by] = size;
  const place = (at: number) => [at % bx, Math.floor(at / bx) % by, Math.floor(at / (bx * by))];
  const order = Array.from(means.keys())
    .filter((at) => Number.isFinite(means[at]))
    .sort((a, b) => means[a] - means[b]);
  const chosen: number[] = [];
  for (const at of order) {
    if (chosen.length === maxPlaces) break;
    const here = place(at);
    const isApart = chosen.every((other) =>
      place(other).some((n, k) => Math.abs(n - here[k]) >= apartBlocks),
    );
    if (isApart) chosen.push(at);
  }
  return chosen;
}

/**
 * Lowest mean of 3 × 3 × 3 cells in a block and just beside it.
 * @returns null when it is not a plateau: the seven cells in its centre are darker, or too few cells around it are dark
 */
async function findFloor(
  source: SlabSource,
  { size, first, stride }: BlockGrid,
  block: number,
  { material, noise }: { material: number; noise: number },
): Promise<number | null> {
  const [nx, ny, nz] = source.grid.dimensions;
  const place = [
    block % size[0],
    Math.floor(block / size[0]) % size[1],
    Math.floor(block / (size[0] * size[1])),
  ];
  const from = place.map((n, k) => Math.max(0, first[k] + n * stride - 3));
  const to = place.map((n, k) => Math.min([nx, ny, nz][k], first[k] + n * stride + blockCells + 3));
  const values: ArrayLike<number> = await source.readSlab(from[2], to[2]);
  const at = (x: number, y: number, z: number) => values[((z - from[2]) * ny + y) * nx + x];
  let [least, middle] = [Number.POSITIVE_INFINITY, 0];
  eachCell(from, to, 1, (x, y, z) => {
    let [sum, cross] = [0, 0];
    for (let k = 0; k < 27; k++) {
      const [dx, dy, dz] = [(k % 3) - 1, (Math.floor(k / 3) % 3) - 1, Math.floor(k / 9) - 1];
      const value = at(x + dx, y + dy, z + dz);
      sum += value;
      if (Math.abs(dx) + Math.abs(dy) + Math.abs(dz) <= 1) cross += value;
    }
    if (sum / 27 < least) [least, middle] = [sum / 27, cross / 7];
  });
  let dark = 0;
  eachCell(from, to, 0, (x, y, z) => {
    if (at(x, y, z) < (least + material) / 2) dark++;
  });
  const isFlat = least - middle < flatWithin * (material - least) + noise * crossNoise;
  const isDark = material - least > darkDeviations * noise;
  return isDark && isFlat && dark >= minDarkCells ? least : null;
}

/** When both are air, centre and cube differ by less than this share of the contrast plus the noise of seven cells. */
const [flatWithin, crossNoise] = [0.035, 0.7];
/** Anything but a pore is that dark only by chance. */
const darkDeviations = 3;
/** Number of dark cells in a ball that contains a cube of 3 cells and its blurred edge: radius 2.6. */
const minDarkCells = 74;

function eachCell(
  from: readonly number[],
  to: readonly number[],
  margin: number,
  work: (x: number, y: number, z: number) => void,
): void {
  for (let z = from[2] + margin; z < to[2] - margin; z++)
    for (let y = from[1] + margin; y < to[1] - margin; y++)
      for (let x = from[0] + margin; x < to[0] - margin; x++) work(x, y, z);
}
