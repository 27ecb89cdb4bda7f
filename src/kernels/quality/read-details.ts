/** Details of a scan that only single cells show, read in some of its planes. */
import type { SummarizedVolume } from '../grid/outliers.ts';
import type { Vector3 } from '../grid/volume.ts';
import { BandSums } from './bands.ts';
import { type BlockGrid, blockCells } from './block-grid.ts';
import type { BlockLevels } from './block-levels.ts';
import {
  addEdges,
  type DetailSlab,
  type EdgesSeen,
  measureRings,
  measureWall,
  type SteepEdge,
  type SteepEdges,
  wallMargin,
} from './detail.ts';
import { findDoubleShare, noDoubles } from './double-edge.ts';
import { EdgeMotion } from './edge-motion.ts';
import { EdgeShape } from './edge-shape.ts';
import { findHaze } from './edge-tail.ts';
import { FaintGaps } from './faint-gaps.ts';
import { FaintPlaces } from './faint-places.ts';
import { findFeature } from './features.ts';
import { FineStructure } from './fine-structure.ts';
import { addGreys } from './grey-steps.ts';
import { LoosePieces } from './loose-pieces.ts';
import { findGapBlocks, measureGap } from './narrow-gaps.ts';
import { NoiseShape } from './noise-shape.ts';
import type { ScanIndices } from './scan-indices.ts';
import { addSteps, findOrder, noSteps } from './slice-order.ts';
import { SeamSums, type SliceBlurs } from './slice-seams.ts';
import { SplitWalls } from './split-walls.ts';
import { addBlockStreaks, addStreaks, blockStreaks, cellStreaks } from './streaks.ts';
import { findInner, TextureSums } from './texture.ts';

/** Walls thinner than this are thin. */
const thinVoxels = 4;

/** Number of groups of planes read cell by cell, and planes per group. */
const maxSlabs = 12;
const [minPlanes, maxPlanes] = [24, 48];
const slabCells = 48e6;
const maxWalls = 3000;
const maxGaps = 20_000;
const maxEdges = 20_000;
const minEdges = 40;
/**
 * Smallest number of edges that determine the blur of a part with few flat faces to a tenth: each alone gives it to a
 * fifth, and is counted up to twice.
 */
const minOfAll = 20;
/** Smallest number of edges that determine haze; each is a mean of sixteen lines. */
const minTails = 8;
/** Smallest number of thin places that make a thin wall. */
const minThin = 4;

type Details = Pick<
  ScanIndices,
  | 'rings'
  | 'bands'
  | 'texture'
  | 'unresolved'
  | 'faintShare'
  | 'blurVoxels'
  | 'skin'
  | 'haze'
  | 'sliceOrder'
  | 'rowOrder'
  | 'columnOrder'
  | 'seams'
  | 'sway'
  | 'doubleShare'
  | 'greyShift'
  | 'greyStep'
  | 'thinnestWallVoxels'
  | 'thinShare'
  | 'featureVoxels'
  | 'gapShare'
  | 'faintGapShare'
> & {
  /** materials including that of loose pieces, and the blocks of these */
  pieces: ReturnType<LoosePieces['find']>;
  /** blocks of narrow gaps */
  gaps: readonly number[];
  /** blocks of thin walls */
  thin: readonly number[];
  /** axis across which bands were found */
  bandsAxis: number | null;
  /** layer and radius of the strongest ring; radius 0: not around the centre */
  ring: { layer: number; radius: number } | null;
};

export async function readDetails(
  source: SummarizedVolume,
  blocks: BlockGrid,
  levels: BlockLevels,
): Promise<Details> {
  const { size, stride, first } = blocks;
  const [nx, ny, nz] = source.grid.dimensions;
  const walls = findThinBlocks(blocks, levels);
  const planes = Math.min(nz, Math.max(minPlanes, Math.min(maxPlanes, Math.floor(slabCells / (nx * ny)))));
  // Walls are followed over some cells, so groups of planes overlap by twice that.
  const inner = Math.max(4, planes - 2 * wallMargin);
  const count = nz === planes ? 1 : Math.min(maxSlabs, Math.ceil((nz - 2 * wallMargin) / inner));
  const wallStep = Math.max(1, Math.ceil(walls.length / maxWalls));
  const gapBlocks = findGapBlocks(blocks, levels);
  const [pieces, faint] = [new LoosePieces(blocks, levels), new FaintPlaces(blocks, levels)];
  const gapStep = Math.max(1, Math.ceil(gapBlocks.length / maxGaps));
  const gaps: number[] = [];
  const rings: { height: number; radius: number; layer: number }[] = [];
  const [streaks, wide] = [cellStreaks(), blockStreaks()];
  addBlockStreaks(blocks, levels, wide);
  const bands = new BandSums([nx, ny, nz]);
  const edges: EdgesSeen = {
    steep: [[], [], []],
    excesses: [],
    tails: [],
    doubles: noDoubles(),
    products: [],
    shape: new EdgeShape(),
  };
  const steps = noSteps();
  const seams = new SeamSums(nz);
  const motion = new EdgeMotion(nz);
  const noiseShape = new NoiseShape(source.range[0]);
  const [texture, fine] = [new TextureSums(), new FineStructure(count)];
  const [sheets, splits] = [new FaintGaps(levels, count), new SplitWalls(levels, count)];
  const greys = new Set<number>();
  const thin: number[] = [];
  const widths: number[] = [];
  for (let n = 0; n < count; n++) {
    // Starts at the first plane of a layer of blocks, so that layers are complete.
    const wanted = count === 1 ? 0 : ((nz - planes) * n) / (count - 1);
    const layer = Math.max(0, Math.floor((wanted - first[2]) / stride));
    const from = nz === planes ? 0 : Math.min(first[2] + layer * stride, nz - planes);
    const values: ArrayLike<number> = await source.readSlab(from, from + planes);
    const slab: DetailSlab = { values, dimensions: [nx, ny, nz], first: from, planes, blocks, levels };
    const layers = [0, 1].map((end) => (from + end * planes - first[2]) / stride);
    const firstLayer = Math.max(0, Math.ceil(layers[0]));
    const lastLayer = Math.min(size[2], Math.floor(layers[1]));
    const step = Math.max(1, Math.floor((lastLayer - firstLayer) / 3));
    for (let k = firstLayer + (step >> 1); k < lastLayer; k += step)
      rings.push({ ...measureRings(slab, k), layer: k });
    addStreaks(slab, streaks);
    bands.add(slab);
    addSteps(slab, steps);
    seams.add(slab);
    motion.add(slab);
    noiseShape.add(slab);
    const inner = findInner(slab);
    texture.add(slab, inner);
    fine.add(slab, inner);
    sheets.add(slab);
    splits.add(slab);
    addGreys(slab, greys);
    pieces.add(slab);
    if (edges.excesses.length < maxEdges) addEdges(slab, edges);
    faint.add(slab, findBlur(edges.steep, minOfAll));
    for (let g = 0; g < gapBlocks.length; g += gapStep) {
      const hidden = measureGap(slab, gapBlocks[g]);
      if (!Number.isNaN(hidden)) gaps.push(hidden);
    }
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
  // A ring passes through several of the planes; a single plane with the largest value may lie in a face.
  const sortedRings = rings.sort((a, b) => a.height - b.height);
  const ring = sortedRings[Math.floor(0.9 * (rings.length - 1))];
  const sortedThin = Float64Array.from(thin).sort();
  const isThin = thin.length >= minThin;
  const material = shareAbove(blocks, levels) * blocks.means.length;
  const { strongest } = bands;
  const contrast = levels.materials[0].grey - levels.air;
  const [blurVoxels, isNoisy] = [findBlur(edges.steep, minOfAll), levels.noise > 0];
  const textureShare = texture.find(contrast);
  const ownTexture = levels.materials.length > 1 ? null : textureShare;
  const gapSheets = joinSheets(sheets.find(textureShare), splits.find(findSkin(edges)));
  const haze = edges.tails.length < minTails ? null : findHaze(edges.tails);
  return {
    pieces: pieces.find(),
    rings: rings.length > 0 ? keepFinite(Math.max(ring.height, streaks.height, wide.height)) : null,
    bands: strongest && strongest.height / contrast,
    texture: ownTexture,
    faintShare: faint.find(),
    unresolved: levels.materials.length > 1 ? null : fine.find(levels.air, contrast, blurVoxels),
    bandsAxis: strongest && strongest.height > 0 ? strongest.axis : null,
    blurVoxels,
    skin: findSkin(edges),
    haze,
    sliceOrder: findOrder(steps[2]),
    rowOrder: findOrder(steps[1]),
    columnOrder: findOrder(steps[0]),
    greyShift: isNoisy ? noiseShape.findShift(contrast) : null,
    greyStep: isNoisy && greys.size > 0 ? 1 / greys.size : null,
    sway: motion.find(),
    doubleShare: findDoubleShare(edges, (haze ?? 0) > hazyFrom, ownTexture),
    seams: seams.find(
      (slice) => findSliceBlurs(leaveSlice(edges.steep, slice), source.grid.voxelSizeMm),
      isNoisy,
    ),
    thinnestWallVoxels: isThin ? sortedThin[Math.floor(0.1 * thin.length)] : null,
    thinShare: isThin
      ? Math.min(1, (thin.length / widths.length) * (walls.length / Math.max(1, material)))
      : 0,
    thin: isThin ? walls : [],
    ring: rings.length > 0 ? ring : null,
    gapShare:
      gaps.length === 0
        ? 0
        : (computeMean(gaps) * gapBlocks.length) / blockCells ** 3 / Math.max(1, material),
    faintGapShare: gapSheets.share,
    gaps: [...gapBlocks.map(({ at }) => at), ...gapSheets.blocks],
    featureVoxels: findFeature(widths, walls.length / Math.max(1, material)),
  };
}

/** From this share of the contrast on, haze is reported as such. */
const hazyFrom = 0.01;

/** Blocks with material whose neighbours are not full: there the part is thinner than two blocks. */
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

/**
 * Ratio of the blur along one axis to the overall blur above which it is reported for that axis, for example with
 * slices thicker than their spacing.
 */
const unlike = 1.25;

/** Blur along the axis where it is largest, if the axes differ; null with fewer than `fewest` edges. */
function findBlur(edges: SteepEdges, fewest = minEdges): number | null {
  const all = edges.flat();
  if (all.length < fewest) return null;
  const blur = keepFinite(measureBlur(all));
  const alongAxes = edges.filter(({ length }) => length >= minEdges).map(measureBlur);
  const largest = Math.max(...alongAxes.filter(Number.isFinite));
  return blur !== null && largest > unlike * blur ? largest : blur;
}

/** Leaves out edges read at the boundary of two slices, which may be a seam. */
const leaveSlice = (edges: SteepEdges, slice: number): SteepEdges => {
  const [x, y, z] = edges.map((each) => each.filter(({ from, to }) => to <= slice || from >= slice));
  return [x, y, z];
};

/**
 * Expected blur across slices, from the blur within slices in mm: edges across slices may belong to slices that do not
 * match. With too few edges within slices, that of all edges, which is smaller if anything.
 */
function blurWithin(edges: SteepEdges, [x, y, z]: Readonly<Vector3>): number | null {
  const [alongX, alongY] = edges;
  const within = findBlur([alongX, alongY, []]) ?? findBlur(edges);
  return within === null ? null : within * Math.min(1, (x + y) / 2 / z);
}

/**
 * Smallest number of faces across slices that determine their blur; largest ratio between blurred and sharp ones, and
 * to walls within slices: a cone beam blurs faces more the further they lie from its mid-plane, and a ledge there is
 * sharper.
 */
const [minAcross, maxApart, ofCone] = [20, 1.7, 1.5];
function findSliceBlurs(edges: SteepEdges, voxelSizeMm: Readonly<Vector3>): SliceBlurs {
  const within = blurWithin(edges, voxelSizeMm);
  const faces = edges[2].toSorted((a, b) => a.steepness - b.steepness);
  const blur = faces.length < minAcross ? null : keepFinite(measureBlur(faces));
  if (blur === null) return { within, across: null, isEven: true };
  const tenth = Math.floor(faces.length / 10);
  const [most, least] = [faces[tenth], faces[faces.length - 1 - tenth]].map((face) => measureBlur([face]));
  const isEven = most < maxApart * least && (within === null || blur < ofCone * within);
  return { within, across: isEven ? blur : null, isEven };
}

/** Gaps inside the material found in two ways, which may be the same. */
const joinSheets = (one: ReturnType<FaintGaps['find']>, other: ReturnType<SplitWalls['find']>) => ({
  share: Math.max(one.share, other.share),
  blocks: [...one.blocks, ...other.blocks],
});

const findSkin = ({ excesses }: EdgesSeen): number | null =>
  excesses.length < minEdges ? null : computeMean(excesses);

const computeMean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Blur in cells, without the length of the cells and of the differences. */
const measureBlur = (edges: readonly SteepEdge[]): number => {
  const steepness = trimmedMean(edges.map((edge) => edge.steepness));
  return Math.sqrt(Math.max(0, 1 / (4 * Math.PI * steepness ** 2) - 1 / 6));
};

/** Mean without the tenth at each end, which contains corners and curved faces. */
function trimmedMean(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const cut = Math.floor(sorted.length / 10);
  const kept = sorted.subarray(cut, sorted.length - cut);
  return kept.reduce((sum, value) => sum + value, 0) / kept.length;
}

/** Edges without steepness, as of a ramp, give a blur that is not finite. */
export const keepFinite = (value: number | null): number | null =>
  value !== null && Number.isFinite(value) ? value : null;

export function shareAbove({ means }: BlockGrid, { level }: BlockLevels): number {
  let above = 0;
  for (const mean of means) if (mean > level) above++;
  return above / means.length;
}
