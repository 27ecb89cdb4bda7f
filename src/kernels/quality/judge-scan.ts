/**
 * What a scan can carry: contrast to noise, blur, rings, how even its levels are, materials, thin walls, and what is missing.
 * Each index says what was found, in its own unit; what it means for a number is said where the number is used.
 */
import { greyPeaks } from '../grid/histogram.ts';
import type { SummarizedVolume } from '../grid/outliers.ts';
import type { SlabSource, Vector3 } from '../grid/volume.ts';
import { BandSums } from './bands.ts';
import { type BlockGrid, blockCells } from './block-grid.ts';
import { type BlockLevels, edgesOf, findLevels, structureOf, withoutPlane } from './block-levels.ts';

import { hasCutAir } from './cut-air.ts';
import {
  addEdges,
  type DetailSlab,
  type EdgeSteepness,
  measureRings,
  measureWall,
  wallMargin,
} from './detail.ts';
import { findFeature, findSmallestVoid } from './features.ts';
import { findFilled, levelFilled } from './filled-field.ts';
import { findShownPlaces } from './find-places.ts';
import type { ScanIndices } from './scan-indices.ts';
import { readSeen } from './seen-scan.ts';
import { addBlockStreaks, addStreaks, blockStreaks, cellStreaks } from './streaks.ts';

/** Walls thinner than this are thin. */
const thinVoxels = 4;

/** As a share of the contrast: what is less is rounding. */
const leastNoise = 1e-4;
/** Means of noise alone are not alike over a dozen cells. */
const leastStructure = 0.2;
/** An edge makes a block deviate by half of its height and by noise; with more than so much, levels are missing. */
const [edgeShare, edgeDeviations] = [0.75, 3];
/** Below this contrast to noise it is asked whether there is any structure. */
const doubtfulContrast = 3;
/** Planes that single cells are looked at in: so many groups of them. */
const mostSlabs = 12;
const [leastPlanes, mostPlanes] = [24, 48];
const slabCells = 48e6;
const mostWalls = 3000;
const mostEdges = 20_000;
const fewestEdges = 40;
const fewestEven = 8;
const fewestAir = 12;
/** Voids are looked for behind a median filter below this contrast to noise. */
const filteredBelow = 10;
/** Patches of a face that the part covers at least, for it to be cut there. */
const fewestPatches = 4;
/** Thin places at least, for a wall to be one. */
const fewestThin = 4;

/**
 * Reads a scan once for its blocks (all of it up to 512 cells along the longest axis, evenly spread planes of larger ones)
 * and some planes again. O(cells); memory: a slab of planes and 16 bytes a block, of which there are two million at most.
 * @returns null for a scan of fewer than 28 cells along an axis, of one grey value, or whose levels could not be told
 */
export async function judgeScan(scan: SummarizedVolume, signal?: AbortSignal): Promise<ScanIndices | null> {
  const seen = await readSeen(scan, signal);
  if (!seen) return null;
  const { source, blocks, unseen } = seen;
  const { range, histogram } = source;
  const filled = findFilled(blocks);
  const found = filled
    ? await levelFilled(source, blocks, filled, signal)
    : findLevels(blocks, greyPeaks(histogram));
  if (filled && !found) return describeFilled(filled);
  // Edges higher than between any of the levels: what was found is not all that is there.
  const levels = found && withHidden(blocks, found);
  if (!levels) return null;
  const { air, materials, noise } = levels;
  const contrast = materials[0].grey - air;
  const contrastToNoise = noise > leastNoise * Math.abs(contrast) ? contrast / noise : null;
  const isDoubtful = contrastToNoise !== null && contrastToNoise < doubtfulContrast;
  const hasContrast = contrast > 0 && !(isDoubtful && structureOf(blocks) < leastStructure);
  // Where nothing but air fills no block, as in scans of few voxels, its level is a guess.
  if (hasContrast && !filled && levels.even.filter((kind) => kind === 1).length < fewestAir) return null;
  const materialShare = shareAbove(blocks, levels);
  const nothing = {
    rings: null,
    bands: null,
    blurVoxels: null,
    thinnestWallVoxels: null,
    thinShare: 0,
    featureVoxels: null,
  };
  const border = hasContrast ? findBorder(blocks, levels, unseen?.cutSides) : [];
  const { thin, ring, bandsAxis, ...details } = hasContrast
    ? await readDetails(source, blocks, levels, signal)
    : { ...nothing, thin: [], ring: null, bandsAxis: null };
  const lostSlices = contrastToNoise === null ? null : countLost(blocks, levels);
  const { blurVoxels } = details;
  const isAirCut = hasContrast && hasCutAir(blocks, levels, source.dataType);
  const isShown = { materials, border, lostSlices, bandsAxis, isAirCut, thin, ring, top: range[1] };
  return {
    hasContrast,
    isFilled: filled !== null,
    contrastToNoise,
    noiseGrain: contrastToNoise === null ? null : levels.grain,
    airGrey: air,
    materials,
    unevenness: hasContrast ? keepFinite(findUnevenness(blocks, levels)) : null,
    gradient: hasContrast && !filled ? keepFinite(findGradient(blocks, levels)) : null,
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
        ? findSmallestVoid(blurVoxels, contrastToNoise !== null && contrastToNoise < filteredBelow)
        : null,
    places: hasContrast ? findShownPlaces(blocks, levels, isShown) : {},
    unseen: unseen?.field ?? null,
  };
}

/** Of a scan that material fills, and nothing tells what air would be there. */
const describeFilled = ({ material, noise }: { material: number; noise: number }): ScanIndices => ({
  ...{ hasContrast: false, isFilled: true, contrastToNoise: null, noiseGrain: null },
  // As dark as noise makes it; no number is measured from there.
  ...{ airGrey: material - noise, materials: [{ grey: material, share: 1 }] },
  ...{ blurVoxels: null, unevenness: null, gradient: null, rings: null, bands: null, border: [...faceNames] },
  ...{ thinnestWallVoxels: null, thinShare: 0, featureVoxels: null, smallestVoidVoxels: null },
  ...{
    fullShare: null,
    bareShare: null,
    saturatedShare: 0,
    isAirCut: false,
    lostSlices: null,
    places: {},
    unseen: null,
  },
});

/** Blocks at least that are brighter than a material that lies hidden in them. */
const fewestHidden = 12;

/**
 * A material of which so little is in one place that it fills no blocks with blocks of it around them, as pins and balls:
 * where edges are higher than the levels explain, the brightest blocks tell it.
 * @returns null where they explain no more
 */
function withHidden(blocks: BlockGrid, levels: BlockLevels): BlockLevels | null {
  const { air, materials, noise } = levels;
  const edges = edgesOf(blocks);
  const explains = (grey: number) => edges <= edgeShare * (grey - air) + edgeDeviations * noise;
  if (explains(materials[materials.length - 1].grey)) return levels;
  const sorted = Float32Array.from(blocks.means.filter(Number.isFinite)).sort();
  const grey = sorted[Math.max(0, sorted.length - fewestHidden)];
  if (!explains(grey)) return null;
  const middle = (materials[materials.length - 1].grey + grey) / 2;
  const above = (level: number) => sorted.length - sorted.findIndex((value) => value > level);
  const share = above(middle) / above(levels.level);
  const others = materials.map((each) => ({ ...each, share: each.share * (1 - share) }));
  return { ...levels, materials: [...others, { grey, share }] };
}

/** A ramp, say, has edges of no steepness, whose blur is no number. */
const keepFinite = (value: number | null): number | null =>
  value !== null && Number.isFinite(value) ? value : null;

function shareAbove({ means }: BlockGrid, { level }: BlockLevels): number {
  let above = 0;
  for (const mean of means) if (mean > level) above++;
  return above / means.length;
}

/** A block is full that lacks no more than this share of the contrast, and than noise explains. */
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

/** The edge runs through one block at the most, and behind it lies what the surface is of. */
const edgeBlocks = 2;
/** Air, and what is even within a block, as shares of the contrast. */
const airWithin = 0.1;

/** Looks along all rows of blocks, from air to the first even one. */
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

/** Longer runs are gaps that hold nothing, unless the part is on both sides of them. */
const longestGap = 8;

function countLost(
  { lostRuns, means, size, first, stride }: BlockGrid,
  { level }: BlockLevels,
): number | null {
  if (lostRuns === null) return null;
  const [bx, by, bz] = size;
  const hasPart = (layer: number) => {
    const from = Math.min(bz - 1, Math.max(0, layer)) * bx * by;
    return means.subarray(from, from + bx * by).some((mean) => mean > level);
  };
  return lostRuns.reduce((sum, [from, to]) => {
    const length = to - from + 1;
    const below = Math.floor((from - first[2]) / stride) - 1;
    const above = Math.floor((to - first[2]) / stride) + 1;
    return length <= longestGap || (hasPart(below) && hasPart(above)) ? sum + length : sum;
  }, 0);
}

/** Between the extremes of the even blocks of the one material, after the plane of the air and without noise. */
function findUnevenness(blocks: BlockGrid, levels: BlockLevels): number | null {
  if (levels.materials.length !== 1) return null;
  const grey = withoutPlane(blocks, levels.airPlane);
  const [bx, by] = blocks.size;
  const values: number[] = [];
  let averaged = 0;
  for (let at = bx * by; at < grey.length - bx * by; at++) {
    if (levels.even[at] !== 2) continue;
    let [sum, count] = [0, 0];
    for (const step of [0, 1, -1, bx, -bx, bx * by, -bx * by]) {
      if (levels.even[at + step] !== 2) continue;
      sum += grey[at + step];
      count++;
    }
    values.push(sum / count);
    averaged += count;
  }
  if (values.length < fewestEven) return null;
  const sorted = Float64Array.from(values).sort();
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))];
  // Of noise alone 96 % of the means of so many blocks lie within 4.1 of their deviations.
  const ofBlock = Math.max(levels.blockNoise, levels.noise / Math.sqrt(blockCells ** 3));
  const fromNoise = (4.1 * ofBlock) / Math.sqrt(averaged / values.length);
  return Math.sqrt(Math.max(0, (at(0.98) - at(0.02)) ** 2 - fromNoise ** 2)) / at(0.98);
}

function findGradient({ size }: BlockGrid, { airPlane, air, materials }: BlockLevels): number {
  const change = airPlane.slopes.map((slope, axis) => slope * (size[axis] - 1));
  return Math.hypot(...change) / (materials[0].grey - air);
}

const faceNames = ['x-', 'x+', 'y-', 'y+', 'z-', 'z+'] as const;

/** Faces of the scan that the part touches, or would without what was not seen. */
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
    return covered >= fewestPatches || cutSides?.has(face) === true;
  });
}

type Details = Pick<
  ScanIndices,
  'rings' | 'bands' | 'blurVoxels' | 'thinnestWallVoxels' | 'thinShare' | 'featureVoxels'
> & {
  /** blocks of thin walls */
  thin: readonly number[];
  /** across which slices lie off those beside them */
  bandsAxis: number | null;
  /** where the strongest ring is; 0: about no middle */
  ring: { layer: number; radius: number } | null;
};

async function readDetails(
  source: SlabSource,
  blocks: BlockGrid,
  levels: BlockLevels,
  signal?: AbortSignal,
): Promise<Details> {
  const { size, stride, first } = blocks;
  const [nx, ny, nz] = source.grid.dimensions;
  const walls = findThinBlocks(blocks, levels);
  const planes = Math.min(nz, Math.max(leastPlanes, Math.min(mostPlanes, Math.floor(slabCells / (nx * ny)))));
  // Walls are followed for some cells, so groups of planes overlap by twice as many.
  const inner = Math.max(4, planes - 2 * wallMargin);
  const count = nz === planes ? 1 : Math.min(mostSlabs, Math.ceil((nz - 2 * wallMargin) / inner));
  const wallStep = Math.max(1, Math.ceil(walls.length / mostWalls));
  const rings: { height: number; radius: number; layer: number }[] = [];
  const [streaks, wide] = [cellStreaks(), blockStreaks()];
  addBlockStreaks(blocks, levels, wide);
  const bands = new BandSums([nx, ny, nz]);
  const edges: EdgeSteepness = [[], [], []];
  const thin: number[] = [];
  const widths: number[] = [];
  for (let n = 0; n < count; n++) {
    signal?.throwIfAborted();
    // From the first plane of a layer of blocks, so that layers lie in it whole.
    const wanted = count === 1 ? 0 : ((nz - planes) * n) / (count - 1);
    const layer = Math.max(0, Math.floor((wanted - first[2]) / stride));
    const from = nz === planes ? 0 : Math.min(first[2] + layer * stride, nz - planes);
    const values: ArrayLike<number> = await source.readSlab(from, from + planes, signal);
    const slab: DetailSlab = { values, dimensions: [nx, ny, nz], first: from, planes, blocks, levels };
    const layers = [0, 1].map((end) => (from + end * planes - first[2]) / stride);
    const firstLayer = Math.max(0, Math.ceil(layers[0]));
    const lastLayer = Math.min(size[2], Math.floor(layers[1]));
    const step = Math.max(1, Math.floor((lastLayer - firstLayer) / 3));
    for (let k = firstLayer + (step >> 1); k < lastLayer; k += step)
      rings.push({ ...measureRings(slab, k), layer: k });
    addStreaks(slab, streaks);
    bands.add(slab);
    if (edges.flat().length < mostEdges) addEdges(slab, edges);
    for (let w = 0; w < walls.length; w += wallStep) {
      const at = walls[w];
      const k = Math.floor(at / (size[0] * size[1]));
      if (k < firstLayer || k >= lastLayer) continue;
      const place: Vector3 = [at % size[0], Math.floor(at / size[0]) % size[1], k];
      const thickness = measureWall(slab, place);
      if (Number.isNaN(thickness)) continue;
      widths.push(thickness);
      if (thickness < thinVoxels) thin.push(thickness);
    }
  }
  // A ring goes through several of the planes; where there are few, the one plane that shows most may lie in a face.
  const sortedRings = rings.sort((a, b) => a.height - b.height);
  const ring = sortedRings[Math.floor(0.9 * (rings.length - 1))];
  const sortedThin = Float64Array.from(thin).sort();
  const isThin = thin.length >= fewestThin;
  const material = shareAbove(blocks, levels) * blocks.means.length;
  const { strongest } = bands;
  return {
    rings: rings.length > 0 ? keepFinite(Math.max(ring.height, streaks.height, wide.height)) : null,
    bands: strongest && strongest.height / (levels.materials[0].grey - levels.air),
    bandsAxis: strongest && strongest.height > 0 ? strongest.axis : null,
    blurVoxels: findBlur(edges),
    thinnestWallVoxels: isThin ? sortedThin[Math.floor(0.1 * thin.length)] : null,
    thinShare: isThin
      ? Math.min(1, (thin.length / widths.length) * (walls.length / Math.max(1, material)))
      : 0,
    thin: isThin ? walls : [],
    ring: rings.length > 0 ? ring : null,
    featureVoxels: findFeature(widths, walls.length / Math.max(1, material)),
  };
}

/** Blocks with material whose neighbours hold none that is full: there the part is thinner than two blocks. */
function findThinBlocks({ size, means, deviations }: BlockGrid, levels: BlockLevels): number[] {
  const { level, noise, air, materials } = levels;
  const contrast = materials[0].grey - air;
  const isFull = (at: number) => means[at] > level && deviations[at] < Math.hypot(noise, 0.15 * contrast);
  const [bx, by, bz] = size;
  const found: number[] = [];
  for (let k = 1; k + 1 < bz; k++) {
    for (let j = 1; j + 1 < by; j++) {
      for (let i = 1; i + 1 < bx; i++) {
        const at = (k * by + j) * bx + i;
        if (!(means[at] > air + 0.2 * contrast) || isFull(at)) continue;
        let isNearFull = false;
        for (let c = -1; c <= 1 && !isNearFull; c++) {
          for (let b = -1; b <= 1 && !isNearFull; b++) {
            for (let a = -1; a <= 1 && !isNearFull; a++) isNearFull = isFull(at + (c * by + b) * bx + a);
          }
        }
        if (!isNearFull) found.push(at);
      }
    }
  }
  return found;
}

/** Without the cells' own length and that of the differences. */
/** Along one axis edges are blurred more than on the whole, as by slices thicker than they are apart, from this ratio on. */
const unlike = 1.25;

/** Of the axis along which it is largest, where the axes differ; null without enough edges. */
function findBlur(edges: EdgeSteepness): number | null {
  const all = edges.flat();
  if (all.length < fewestEdges) return null;
  const blur = keepFinite(blurOf(trimmedMean(all)));
  const alongAxes = edges
    .filter(({ length }) => length >= fewestEdges)
    .map((each) => blurOf(trimmedMean(each)));
  const largest = Math.max(...alongAxes.filter(Number.isFinite));
  return blur !== null && largest > unlike * blur ? largest : blur;
}

const blurOf = (steepness: number) => Math.sqrt(Math.max(0, 1 / (4 * Math.PI * steepness ** 2) - 1 / 6));

/** Mean without the tenth at each end: corners and curved faces are there. */
function trimmedMean(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const cut = Math.floor(sorted.length / 10);
  const kept = sorted.subarray(cut, sorted.length - cut);
  return kept.reduce((sum, value) => sum + value, 0) / kept.length;
}
