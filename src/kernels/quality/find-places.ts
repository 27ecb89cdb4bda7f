/** Where a scan shows each finding best: one plane per finding, and what to look at in it. */
import type { Vector3 } from '../grid/volume.ts';
import { type BlockGrid, blockCells } from './block-grid.ts';
import { type BlockLevels, withoutPlane } from './block-levels.ts';
import type { AxisName, PlaneBox, ScanIndices, ShownName, ShownPlace, ShownPlaces } from './scan-indices.ts';

const axes = ['x', 'y', 'z'] as const;

/** Beyond this number only the largest boxes are drawn. */
const maxBoxes = 40;
/** Size of a crop that shows single voxels: blocks on each side. */
const cropBlocks = 6;
/** Blocks on each side of a place that is marked. */
const pointBlocks = 1;
/** Thickness of a marked face, as a share of the length. */
const faceShare = 1 / 60;

type Found = Pick<ScanIndices, 'materials' | 'border' | 'lostSlices' | 'isAirCut' | 'seams'> & {
  bandsAxis: number | null;
  ring: { layer: number; radius: number } | null;
  thin: readonly number[];
  gaps: readonly number[];
  loose: readonly number[];
  /** slice orders across x, y and z; lowest where slices are out of order */
  orders: readonly (number | null)[];
  /** the highest grey value of the scan */
  top: number;
};

/** O(blocks). */
export function findShownPlaces(blocks: BlockGrid, levels: BlockLevels, found: Found): ShownPlaces {
  const { means, deviations, size } = blocks;
  const { even, level, air, materials } = levels;
  const contrast = materials[0].grey - air;
  const flagged = (isOne: (at: number) => boolean): ShownPlace | undefined =>
    showFlagged(
      blocks,
      Uint8Array.from(means, (_, at) => Number(isOne(at))),
    );
  const isThin = new Uint8Array(means.length);
  for (const at of found.thin) isThin[at] = 1;
  const isGap = new Uint8Array(means.length);
  for (const at of found.gaps) isGap[at] = 1;
  const isLoose = new Set(found.loose);
  const edge = showEdge(blocks, (at) => deviations[at] > 0.3 * contrast && means[at] > air);
  const dense = materials[1] ? (materials[0].grey + materials[1].grey) / 2 : Number.POSITIVE_INFINITY;
  const grey = withoutPlane(blocks, levels.airPlane);
  const { slopes } = levels.airPlane;
  const flattest = slopes.map(Math.abs).reduce((least, slope, k, all) => (slope < all[least] ? k : least), 0);
  const places: Record<ShownName, ShownPlace | undefined> = {
    noise: edge,
    blur: edge,
    filtered: edge,
    fewDeep: flagged((at) => means[at] > materials[0].grey - 0.04 * contrast),
    thinWalls: flagged((at) => isThin[at] === 1),
    narrowGaps: flagged((at) => isGap[at] === 1),
    skin: edge,
    materials: flagged((at) => means[at] > dense || isLoose.has(at)),
    cut: showFace(blocks, level, found.border),
    uneven: showSpread(blocks, grey, 2, (at) => even[at] === 2),
    gradient: showSpread(blocks, means, flattest, (at) => even[at] === 1),
    rings: found.ring ? showRing(blocks, found.ring) : undefined,
    bands: found.bandsAxis === null ? undefined : showMost(blocks, level, found.bandsAxis === 0 ? 1 : 0),
    airCut: found.isAirCut ? flagged((at) => even[at] === 1) : undefined,
    saturated: flagged((at) => means[at] > found.top - 0.02 * contrast),
    lostSlices: showLost(blocks, size),
    slicesMoved: showMoved(blocks, level, found),
  };
  return Object.fromEntries(Object.entries(places).filter(([, place]) => place)) as ShownPlaces;
}

const listStrides = ([bx, by]: Readonly<Vector3>) => [1, bx, bx * by];
const findAcross = (axis: number): [columns: number, rows: number] =>
  axis === 0 ? [1, 2] : axis === 1 ? [0, 2] : [0, 1];
const findLayer = ({ size }: BlockGrid, at: number, axis: number) =>
  Math.floor(at / listStrides(size)[axis]) % size[axis];
const findStart = ({ first, stride }: BlockGrid, axis: number, layer: number) => first[axis] + layer * stride;

/** A box around blocks first … last of a plane's columns and rows. */
function boxAround(blocks: BlockGrid, axis: number, from: [number, number], to: [number, number]): PlaneBox {
  const [u, v] = findAcross(axis);
  const clamp = (n: number, k: number) => Math.min(blocks.size[k] - 1, Math.max(0, n));
  return [
    findStart(blocks, u, clamp(from[0], u)),
    findStart(blocks, v, clamp(from[1], v)),
    findStart(blocks, u, clamp(to[0], u)) + blockCells,
    findStart(blocks, v, clamp(to[1], v)) + blockCells,
  ];
}

const placeAt = (blocks: BlockGrid, axis: number, layer: number): Omit<ShownPlace, 'boxes'> => ({
  axis: axes[axis],
  index: findStart(blocks, axis, layer) + blockCells / 2,
});

/** The layer across z with most of the flagged blocks, as boxes of adjacent rows. */
function showFlagged(blocks: BlockGrid, flags: Uint8Array): ShownPlace | undefined {
  const [bx, by, bz] = blocks.size;
  const counts = Array.from({ length: bz }, (_, k) =>
    flags.subarray(k * bx * by, (k + 1) * bx * by).reduce((sum, flag) => sum + flag, 0),
  );
  const most = Math.max(...counts);
  if (most === 0) return undefined;
  const layer = counts.indexOf(most);
  const boxes: PlaneBox[] = [];
  for (let j = 0; j < by; j++) {
    for (let i = 0; i < bx; i++) {
      if (flags[(layer * by + j) * bx + i] === 0) continue;
      const from = i;
      while (i + 1 < bx && flags[(layer * by + j) * bx + i + 1] === 1) i++;
      joinBox(boxes, boxAround(blocks, 2, [from, j], [i, j]), blocks.stride);
    }
  }
  const area = ([x0, y0, x1, y1]: PlaneBox) => (x1 - x0) * (y1 - y0);
  return { ...placeAt(blocks, 2, layer), boxes: boxes.sort((a, b) => area(b) - area(a)).slice(0, maxBoxes) };
}

/** Adds a row of blocks, merging it with the box above when that has the same width. */
function joinBox(boxes: PlaneBox[], box: PlaneBox, stride: number): void {
  const above = boxes.find(
    ([x0, , x1, y1]) => x0 === box[0] && x1 === box[2] && y1 === box[1] + blockCells - stride,
  );
  if (above) above[3] = box[3];
  else boxes.push(box);
}

/** Crop around an edge near the centre of the scan. */
function showEdge(blocks: BlockGrid, isEdge: (at: number) => boolean): ShownPlace | undefined {
  const { size, means } = blocks;
  let [nearest, least] = [-1, Number.POSITIVE_INFINITY];
  for (let at = 0; at < means.length; at++) {
    if (!isEdge(at)) continue;
    const off = [0, 1, 2].reduce((sum, k) => sum + (findLayer(blocks, at, k) - size[k] / 2) ** 2, 0);
    if (off < least) [nearest, least] = [at, off];
  }
  if (nearest < 0) return undefined;
  const [i, j, k] = [0, 1, 2].map((axis) => findLayer(blocks, nearest, axis));
  const crop = boxAround(blocks, 2, [i - cropBlocks, j - cropBlocks], [i + cropBlocks, j + cropBlocks]);
  return { ...placeAt(blocks, 2, k), boxes: [], crop };
}

/** The first face at which the part is cut, seen from the side, in the layer where most of it touches. */
function showFace(blocks: BlockGrid, level: number, border: ScanIndices['border']): ShownPlace | undefined {
  const [name] = border;
  if (!name) return undefined;
  const along = axes.indexOf(name.charAt(0) as AxisName);
  const isEnd = name.endsWith('+');
  const { size, means, first, stride } = blocks;
  const axis = along === 2 ? 1 : 2;
  const counts = new Array<number>(size[axis]).fill(0);
  const end = isEnd ? size[along] - 1 : 0;
  for (let at = 0; at < means.length; at++)
    if (findLayer(blocks, at, along) === end && means[at] > level) counts[findLayer(blocks, at, axis)]++;
  const layer = counts.indexOf(Math.max(...counts));
  const measureLength = (k: number) => 2 * first[k] + (size[k] - 1) * stride + blockCells;
  const [u, v] = findAcross(axis);
  const thick = Math.max(2, Math.ceil(faceShare * measureLength(along)));
  const box: PlaneBox = [0, 0, measureLength(u), measureLength(v)];
  const k = along === u ? 0 : 1;
  if (isEnd) box[k] = box[k + 2] - thick;
  else box[k + 2] = thick;
  return { ...placeAt(blocks, axis, layer), boxes: [box] };
}

/** The layer across an axis in which the blocks differ most, marking the darkest and the brightest. */
function showSpread(
  blocks: BlockGrid,
  grey: Float32Array,
  axis: number,
  isOne: (at: number) => boolean,
): ShownPlace | undefined {
  const ends = Array.from({ length: blocks.size[axis] }, () => ({ low: -1, high: -1 }));
  for (let at = 0; at < grey.length; at++) {
    if (!isOne(at)) continue;
    const end = ends[findLayer(blocks, at, axis)];
    if (end.low < 0 || grey[at] < grey[end.low]) end.low = at;
    if (end.high < 0 || grey[at] > grey[end.high]) end.high = at;
  }
  const measureSpread = ({ low, high }: { low: number; high: number }) =>
    low < 0 ? -1 : grey[high] - grey[low];
  const spreads = ends.map(measureSpread);
  const layer = spreads.indexOf(Math.max(...spreads));
  if (!(spreads[layer] > 0)) return undefined;
  const [u, v] = findAcross(axis);
  const pointAt = (at: number): PlaneBox => {
    const [i, j] = [findLayer(blocks, at, u), findLayer(blocks, at, v)];
    return boxAround(blocks, axis, [i - pointBlocks, j - pointBlocks], [i + pointBlocks, j + pointBlocks]);
  };
  return { ...placeAt(blocks, axis, layer), boxes: [pointAt(ends[layer].low), pointAt(ends[layer].high)] };
}

/** The layer across an axis with most of the part, and the part's box in it. */
function showMost(blocks: BlockGrid, level: number, axis: number): ShownPlace | undefined {
  const layers: [columns: number[], rows: number[]][] = Array.from({ length: blocks.size[axis] }, () => [
    [],
    [],
  ]);
  const [u, v] = findAcross(axis);
  for (const [at, mean] of blocks.means.entries()) {
    if (!(mean > level)) continue;
    const [columns, rows] = layers[findLayer(blocks, at, axis)];
    columns.push(findLayer(blocks, at, u));
    rows.push(findLayer(blocks, at, v));
  }
  const most = Math.max(...layers.map(([{ length }]) => length));
  if (most === 0) return undefined;
  const layer = layers.findIndex(([{ length }]) => length === most);
  const [low, high] = [Math.min, Math.max].map((end) =>
    layers[layer].map((places) => places.reduce((so, place) => end(so, place))),
  ) as [[number, number], [number, number]];
  return { ...placeAt(blocks, axis, layer), boxes: [boxAround(blocks, axis, low, high)] };
}

function showRing(blocks: BlockGrid, { layer, radius }: { layer: number; radius: number }): ShownPlace {
  return { ...placeAt(blocks, 2, layer), boxes: [], ...(radius > 0 ? { circleVoxels: radius } : {}) };
}

/** Misordered rows and columns are shown within a slice, misordered slices from the side. */
function showMoved(blocks: BlockGrid, level: number, { seams, orders }: Found): ShownPlace | undefined {
  if (seams.length > 0) return showSeams(blocks, level, seams);
  const [x, y, z] = orders.map((order) => order ?? 0);
  return showMost(blocks, level, Math.min(x, y) < Math.min(z, 0) ? 2 : 1);
}

/** Lines along the seams across the part, seen from the side. */
function showSeams(blocks: BlockGrid, level: number, seams: readonly number[]): ShownPlace | undefined {
  const shown = showMost(blocks, level, 1);
  if (!shown) return undefined;
  const [x0, , x1] = shown.boxes[0];
  return { ...shown, boxes: seams.slice(0, maxBoxes).map((z): PlaneBox => [x0, z - 1, x1, z + 1]) };
}

function showLost(blocks: BlockGrid, size: Readonly<Vector3>): ShownPlace | undefined {
  const repeated = blocks.repeatedSlices.map((z): [number, number] => [z, z]);
  const runs = [...(blocks.lostRuns ?? []), ...repeated];
  if (runs.length === 0) return undefined;
  const columns = 2 * blocks.first[0] + (size[0] - 1) * blocks.stride + blockCells;
  const boxes = runs.slice(0, maxBoxes).map(([from, to]): PlaneBox => [0, from, columns, to + 1]);
  return { ...placeAt(blocks, 1, size[1] >> 1), boxes };
}
