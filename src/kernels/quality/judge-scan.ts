/**
 * Quality of a scan: contrast-to-noise ratio, blur, rings, uniformity of its levels, materials, thin walls, and missing
 * data. Each index reports a finding in its own unit; its consequence for a measure is stated where the measure is
 * computed.
 */
import { greyPeaks } from '../grid/histogram.ts';
import type { SummarizedVolume } from '../grid/outliers.ts';
import { findSpecks, withoutSpecks } from '../grid/specks.ts';
import { type BlockGrid, blockCells, readBlocks } from './block-grid.ts';
import { type BlockLevels, findLevels, findStructure, listEdges } from './block-levels.ts';

import { hasCutAir } from './cut-air.ts';
import { findEvenGrain } from './even-grain.ts';
import { findSmallestVoid, hidesVoids } from './features.ts';
import { findFilled, levelFilled } from './filled-field.ts';
import { findShownPlaces } from './find-places.ts';
import { withoutUnseen } from './find-unseen.ts';
import { withLighter } from './lighter-part.ts';
import { keepFinite, readDetails, shareAbove } from './read-details.ts';
import type { ScanIndices } from './scan-indices.ts';
import { readSeen, type SeenScan } from './seen-scan.ts';
import { findUnevenness, takeOffTexture } from './unevenness.ts';

/** As a share of the contrast: lower noise is rounding. */
const minNoise = 1e-4;
/** Smallest correlation of block means that is structure; that of noise alone is lower over a dozen cells. */
const minStructure = 0.2;
/**
 * An edge makes a block deviate by half of its height, plus noise; edges above these limits mean that a level is
 * missing.
 */
const [edgeShare, edgeDeviations] = [0.75, 3];
/** Below this contrast-to-noise ratio, structure is checked. */
const doubtfulContrast = 3;
const minAir = 12;
/**
 * Limits of rings, bands, haze, unevenness of the material, gradient of the air, share of double edges and blur; only
 * below all of them do loose pieces count as a lighter material.
 */
const evenUpTo = [0.04, 0.03, 0.04, 0.15, 0.1, 0.25, 1.2] as const;
/** Smallest number of patches of a face covered by the part, or of cells without a value beside it, for it to be cut there. */
const minPatches = 4;

/**
 * Reads a scan once for its blocks (completely up to 512 cells along the longest axis, evenly spaced planes of larger
 * ones) and some planes again. O(cells); memory: a slab of planes and 16 bytes a block, of which there are two million
 * at most.
 * @returns null for a scan of fewer than 28 cells along an axis, of one grey value, or without measurable levels
 */
export async function judgeScan(scan: SummarizedVolume): Promise<ScanIndices | null> {
  const seen = await readSeen(scan);
  return seen && judgeSeen(seen);
}

/** The same for a scan whose blocks were read before, which takes a tenth of the time. */
export async function judgeSeen({ unseen, ...seen }: SeenScan): Promise<ScanIndices | null> {
  const { range, histogram, grid } = seen.source;
  const specks = await findSpecks(seen.source, greyPeaks(histogram));
  const source = specks ? withoutSpecks(seen.source, specks) : seen.source;
  const read = specks && (await readBlocks(source));
  const blocks = read ? (unseen ? withoutUnseen(read, unseen.field, grid.dimensions) : read) : seen.blocks;
  const filled = findFilled(blocks);
  const told = filled ? await levelFilled(source, blocks, filled) : findLevels(blocks, greyPeaks(histogram));
  if (filled && !told) return { ...describeFilled(filled), specks };
  // Edges higher than the difference of any levels mean that something is missing from the levels.
  const shown = told && withHidden(blocks, told);
  const levels = shown && !filled ? withLighter(blocks, shown) : shown;
  if (!levels) return null;
  const { air, materials, noise } = levels;
  const contrast = materials[0].grey - air;
  // When material is darker than air, other peaks were mistaken for them, such as those of dark fringes.
  if (contrast < -doubtfulContrast * noise) return null;
  const contrastToNoise = noise > minNoise * Math.abs(contrast) ? contrast / noise : null;
  const isDoubtful = contrastToNoise !== null && contrastToNoise < doubtfulContrast;
  const hasContrast = contrast > 0 && !(isDoubtful && findStructure(blocks) < minStructure);
  // When no block contains only air, as in scans of few voxels, the level of air is a guess.
  if (hasContrast && !filled && levels.even.filter((kind) => kind === 1).length < minAir) return null;
  const materialShare = shareAbove(blocks, levels);
  const border = hasContrast ? findBorder(blocks, levels, unseen?.cutSides) : [];
  const { thin, gaps, pieces, ring, bandsAxis, ...details } = hasContrast
    ? withoutInvalid(await readDetails(source, blocks, levels))
    : { ...noDetails, pieces: null, thin: [], gaps: [], ring: null, bandsAxis: null };
  const variation = hasContrast ? keepFinite(findUnevenness(blocks, levels)) : null;
  const unevenness = takeOffTexture(variation, details.texture);
  const gradient = hasContrast && !filled ? keepFinite(findGradient(blocks, levels)) : null;
  const { rings, bands, haze, doubleShare, blurVoxels } = details;
  const disturbances = [rings, bands, haze, unevenness, gradient, doubleShare, blurVoxels];
  const isEven = disturbances.every((index, n) => (index ?? 0) <= evenUpTo[n]);
  const { loose, ...found } = (isEven && pieces) || { materials, loose: [] };
  const lostSlices = contrastToNoise === null ? null : countLost(blocks, levels);
  const isAirCut = hasContrast && hasCutAir(blocks, levels, source.dataType);
  const isShown = {
    materials,
    loose,
    border,
    lostSlices,
    bandsAxis,
    isAirCut,
    thin,
    gaps,
    ring,
    seams: details.seams,
    orders: [details.columnOrder, details.rowOrder, details.sliceOrder],
    top: range[1],
  };
  return {
    hasContrast,
    isFilled: filled !== null,
    contrastToNoise,
    noiseGrain: contrastToNoise === null ? null : levels.grain,
    evenGrain: contrastToNoise === null ? null : findEvenGrain(blocks, levels),
    airGrey: air,
    ...found,
    unevenness,
    gradient,
    border,
    fullShare: hasContrast ? findFullShare(blocks, levels) : null,
    bareShare: hasContrast ? findBareShare(blocks, levels) : null,
    saturatedShare:
      contrastToNoise === null || !(materialShare > 0) ? 0 : blocks.atTop / (materialShare * blocks.cells),
    isAirCut,
    lostSlices,
    ...details,
    smallestVoidVoxels:
      hasContrast && blurVoxels !== null
        ? findSmallestVoid(blurVoxels, contrastToNoise !== null && hidesVoids(contrastToNoise, levels.grain))
        : null,
    places: hasContrast ? findShownPlaces(blocks, levels, isShown) : {},
    specks,
    unseen: unseen?.field ?? null,
  };
}

/** For a scan in which nothing can be distinguished from air. */
const noDetails = {
  rings: null,
  bands: null,
  texture: null,
  unresolved: null,
  faintShare: 0,
  blurVoxels: null,
  skin: null,
  haze: null,
  sliceOrder: null,
  rowOrder: null,
  columnOrder: null,
  seams: [],
  sway: null,
  doubleShare: null,
  greyShift: null,
  greyStep: null,
  gapShare: 0,
  faintGapShare: 0,
  thinnestWallVoxels: null,
  thinShare: 0,
  featureVoxels: null,
};

/** Infinite grey values leave some indices without a number: these count as not found. */
function withoutInvalid<Details extends Record<keyof typeof noDetails, unknown>>(details: Details): Details {
  const invalid = Object.entries(noDetails).filter(([key]) => {
    const index = details[key as keyof typeof noDetails];
    return typeof index === 'number' && !Number.isFinite(index);
  });
  return { ...details, ...Object.fromEntries(invalid) };
}

/** For a scan filled by material, where the level of air is unknown. */
const describeFilled = (filled: { material: number; noise: number }): Omit<ScanIndices, 'specks'> => ({
  ...noDetails,
  hasContrast: false,
  isFilled: true,
  contrastToNoise: null,
  noiseGrain: null,
  evenGrain: null,
  // Placeholder at the darkest that noise makes it; nothing is measured from it.
  airGrey: filled.material - filled.noise,
  materials: [{ grey: filled.material, share: 1 }],
  unevenness: null,
  gradient: null,
  border: [...faceNames],
  smallestVoidVoxels: null,
  fullShare: null,
  bareShare: null,
  saturatedShare: 0,
  isAirCut: false,
  lostSlices: null,
  places: {},
  unseen: null,
});

/** Smallest number of blocks brighter than a hidden material. */
const minHidden = 12;
/** Multiple of the material's contrast that cupping and rings do not reach in so many blocks. */
const muchDenser = 2;

/**
 * Adds a material with too little volume in one place to fill neighbouring blocks, such as pins and balls: when edges
 * are higher than the levels explain, the brightest blocks determine it.
 * @returns null when those do not explain the edges, either
 */
function withHidden(blocks: BlockGrid, levels: BlockLevels): BlockLevels | null {
  const { air, materials, noise } = levels;
  const edges = listEdges(blocks);
  const densest = materials[materials.length - 1].grey;
  const explains = (grey: number) => edges <= edgeShare * (grey - air) + edgeDeviations * noise;
  // Noise is independent of the edge, so their variances add up.
  if (edges <= Math.hypot(edgeShare * (densest - air), edgeDeviations * noise)) return levels;
  const sorted = Float32Array.from(blocks.means.filter(Number.isFinite)).sort();
  const grey = sorted[Math.max(0, sorted.length - minHidden)];
  if (explains(densest) && grey - air < muchDenser * (densest - air)) return levels;
  if (!explains(grey)) return null;
  const middle = (materials[materials.length - 1].grey + grey) / 2;
  const above = (level: number) => sorted.length - sorted.findIndex((value) => value > level);
  const share = above(middle) / above(levels.level);
  const others = materials.map((each) => ({ ...each, share: each.share * (1 - share) }));
  return { ...levels, materials: [...others, { grey, share }] };
}

/** A block is full when its deficit is below this share of the contrast plus what noise explains. */
const [fullWithin, fullDeviations] = [0.04, 2];

function findFullShare({ means }: BlockGrid, { materials, air, level, noise }: BlockLevels): number | null {
  const [only, second] = materials;
  if (!only || second) return null;
  const ofNoise = (fullDeviations * noise) / Math.sqrt(blockCells ** 3);
  const from = only.grey - fullWithin * (only.grey - air) - ofNoise;
  let [full, above] = [0, 0];
  for (const mean of means) {
    if (mean > level) above++;
    if (mean > from) full++;
  }
  return above > 0 ? full / above : null;
}

/** An edge runs through one block at most; the block behind it shows what the surface consists of. */
const edgeBlocks = 2;
/** Limits for air, and for a block to be uniform, as shares of the contrast. */
const airWithin = 0.1;

/** Follows all rows of blocks from air to the first uniform block. */
function findBareShare(
  { means, deviations, size }: BlockGrid,
  { materials, air, noise }: BlockLevels,
): number | null {
  const [lightest, next] = materials;
  if (!lightest || !next) return null;
  const contrast = lightest.grey - air;
  const isAir = (at: number) => means[at] < air + airWithin * contrast;
  const isEven = (at: number) => deviations[at] < Math.hypot(airWithin * contrast, 1.35 * noise);
  const strides = [1, size[0], size[0] * size[1]];
  let [bare, faces] = [0, 0];
  for (const [axis, stride] of strides.entries()) {
    const length = size[axis] ?? 0;
    for (let at = 0; at < means.length; at++) {
      if (!isAir(at)) continue;
      const place = Math.floor(at / stride) % length;
      for (const step of [stride, -stride]) {
        const left = step > 0 ? length - 1 - place : place;
        if (left < edgeBlocks || isAir(at + step)) continue;
        const behind = at + (isEven(at + step) ? step : edgeBlocks * step);
        if (!isEven(behind) || isAir(behind)) continue;
        faces++;
        if (means[behind] > (lightest.grey + next.grey) / 2) bare++;
      }
    }
  }
  return faces > 0 ? bare / faces : null;
}

/** Longer runs are empty gaps, unless the part is on both sides of them. */
const longestGap = 8;

function countLost(
  { lostRuns, repeatedSlices, deadPlanes, means, size, first, stride }: BlockGrid,
  { level }: BlockLevels,
): number | null {
  if (lostRuns === null) return null;
  const [bx, by, bz] = size;
  const hasPart = (layer: number) => {
    const from = Math.min(bz - 1, Math.max(0, layer)) * bx * by;
    return means.subarray(from, from + bx * by).some((mean) => mean > level);
  };
  const others = repeatedSlices.length + (deadPlanes ?? 0);
  return lostRuns.reduce((sum, [from, to]) => {
    const length = to - from + 1;
    const below = Math.floor((from - first[2]) / stride) - 1;
    const above = Math.floor((to - first[2]) / stride) + 1;
    return length <= longestGap || (hasPart(below) && hasPart(above)) ? sum + length : sum;
  }, others);
}

function findGradient({ size }: BlockGrid, { airPlane, air, materials }: BlockLevels): number {
  const change = airPlane.slopes.map((slope, axis) => slope * (size[axis] - 1));
  return Math.hypot(...change) / (materials[0].grey - air);
}

const faceNames = ['x-', 'x+', 'y-', 'y+', 'z-', 'z+'] as const;

/** Faces of the scan that the part touches, or would touch if unseen parts were visible. */
function findBorder(
  { faces, means, size }: BlockGrid,
  { level }: BlockLevels,
  cutSides?: Set<number>,
): ScanIndices['border'] {
  const [bx, by, bz] = size;
  return faceNames.filter((_, face) => {
    const axis = face >> 1;
    const end = face % 2 === 1 ? size[axis] - 1 : 0;
    const [u] = faces[face].size;
    let covered = 0;
    for (const [at, mean] of faces[face].means.entries()) {
      if (!(mean > level)) continue;
      const [p, q] = [at % u, Math.floor(at / u)];
      const [i, j, k] = axis === 0 ? [end, p, q] : axis === 1 ? [p, end, q] : [p, q, end];
      if (k < bz && means[(k * by + j) * bx + i] > level) covered++;
    }
    return covered >= minPatches || cutSides?.has(face) === true || hasGap(means, size, level, face);
  });
}

/** Whether material ends at cells without a finite value, on the side of this face of the scan. */
function hasGap(means: Float32Array, size: readonly number[], level: number, face: number): boolean {
  const axis = face >> 1;
  const step = (face % 2 === 1 ? 1 : -1) * [1, size[0], size[0] * size[1]][axis];
  const stride = Math.abs(step);
  let patches = 0;
  for (let i = 0; i < means.length && patches < minPatches; i++) {
    if (!(means[i] > level) || !Number.isFinite(means[i])) continue;
    const at = Math.floor(i / stride) % size[axis];
    if (at !== (step > 0 ? size[axis] - 1 : 0) && !Number.isFinite(means[i + step])) patches++;
  }
  return patches >= minPatches;
}
