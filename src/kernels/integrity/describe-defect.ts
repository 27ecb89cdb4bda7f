/** Description of a defect: its measures in mm of the scan's frame, from counts and sums over its cells. */
import { type CellBox, locatePoint } from '../grid/region.ts';
import type { SlabSource, Vector3 } from '../grid/volume.ts';
import type { BitGrid, ComponentTable } from './bit-layout.ts';
import { listSides, type RegionSide } from './cut-voids.ts';
import { findProbability } from './defect-probability.ts';
import { modelInclusion } from './faint-inclusion.ts';
import {
  type DefectPlaces,
  type GreyFigures,
  type GreyLevels,
  greyFigures,
  type RawMeasures,
} from './measure-defects.ts';
import { areaSteps, directionCount, sumCount, sumOf } from './measure-slab.ts';
import { isGap } from './mouths.ts';
import { smallestBall } from './shape.ts';
import type { SheetTotals } from './sheet-planes.ts';
import type { ShellVolume } from './shell-volumes.ts';

export type DefectKind = 'porosity' | 'inclusion' | 'crack';

export interface Defect {
  kind: DefectKind;
  voxels: number;
  /** from the grey values: correct for partly filled cells */
  volumeMm3: number;
  /** number of voxels times the voxel volume */
  countedVolumeMm3: number;
  /**
   * for a closed void, the 95 % interval of its volume (k = 2); for others, the volume at the lower and upper end of
   * the threshold's uncertainty, for open ones with the uncertainty of their mouths
   */
  volumeBandMm3: [number, number];
  /**
   * for a closed void: its volume divided by the scatter of the same integral at sound places, at most 1000; null for
   * others
   */
  significance: number | null;
  /** that it is physically present rather than noise or an artefact */
  probability: number;
  /** mean deficit of its grey values (of an inclusion: excess), as a share of the contrast */
  depth: number;
  equivalentDiameterMm: number;
  enclosingDiameterMm: number;
  /** area of its boundary with the material; of a crack, of its middle sheet */
  areaMm2: number;
  /** mean opening of a crack: its volume divided by the area of its middle sheet; null for other kinds */
  openingMm: number | null;
  /** area of the ball of equal volume divided by its own area; null for one that is open to the surface */
  sphericity: number | null;
  /** its volume divided by that of the smallest enclosing ball */
  compactness: number;
  /** in the scan's frame */
  centerMm: Vector3;
  boundsMm: { min: Vector3; max: Vector3 };
  /** shortest distance through material to the outer surface; 0 when open to it, null when there is none */
  distanceToSurfaceMm: number | null;
  /** projected along the grid's x, y and z */
  projectedAreasMm2: Vector3;
  surfaceConnected: boolean;
  /** open, with the shape of a groove, a bore or a gap between features of the part */
  gapLike: boolean;
  /** sides of the region that cut it, such as “x- z+”; volume and sizes then cover only the part inside; null = none */
  cutAt: string | null;
  belowDetectionLimit: boolean;
}

/** A void is a crack when the middle of a thin sheet runs through at least this share of its cells. */
const crackShare = 0.3;
/**
 * Detection limit in voxels across, at which about half of all simulated voids are found: in the scan as it is, and
 * after the median filter.
 */
export const detectionLimit = { plain: 3, filtered: 4.5 } as const;

/**
 * Uncertainty of the lid over an open void, in voxels (k = 2). Blur rounds the lip of its mouth, so the ball sinks in
 * deeper: for simulated pits and cut balls the lid was 0.2 to 0.6 voxels too low, with lips of 34° up to 1.5.
 */
const lidVoxels = 1.5;

interface DescribedGroup {
  source: SlabSource;
  grid: BitGrid;
  search: {
    cells: CellBox;
    levels: GreyLevels;
    openingRadiusMm: number | null;
    limitVoxels: number;
    shells: { blur: number };
  };
  cutSides: readonly RegionSide[];
  kind: 'porosity' | 'inclusion';
  /** grey value of a cell full of defect; null = that of air */
  grey: number | null;
  /** for inclusions of unknown grey value: the level that they exceed */
  faintAbove: number | null;
}

/** @param defect its index in the measures, after dropping components */
export function describeDefect(
  { source, grid, search, cutSides, kind: group, grey, faintAbove }: DescribedGroup,
  table: ComponentTable,
  { number, defect }: { number: number; defect: number },
  measures: RawMeasures,
  places: DefectPlaces & { integrals: Map<number, ShellVolume> },
  sheets: SheetTotals | null,
): Defect {
  const s = source.grid.voxelSizeMm;
  const cellMm3 = s[0] * s[1] * s[2];
  const voxels = table.voxels[number];
  const { air, material } = measures.grey;
  const figures = greyFigures(measures, defect, search.levels, material, grey ?? air);
  const integral = places.integrals.get(defect);
  const counted =
    faintAbove === null
      ? computeVolume(figures, voxels)
      : findFaintVolume(
          figures.cells * (Number(grey) - material),
          voxels,
          faintAbove - material,
          search.shells.blur,
        );
  const volumeMm3 = (integral ? Math.max(0, integral.volume) : counted) * cellMm3;
  const equivalentDiameterMm = Math.cbrt((6 * volumeMm3) / Math.PI);
  const box = [0, 1, 2, 3, 4, 5].map((k) => table.boxes[6 * number + k] - grid.margin[k % 3]);
  const { center, radius } = enclosingBall(measures, defect, box, s);
  const enclosingDiameterMm = Math.max(2 * radius, equivalentDiameterMm);
  const compactness = Math.min(1, (equivalentDiameterMm / enclosingDiameterMm) ** 3);
  const significance = integral ? findSignificance(integral) : null;
  const depth = integral ? integral.depth : figures.cells / voxels;
  const isCrack = sheets !== null && sheets.cells[defect] >= crackShare * voxels;
  const kind: DefectKind = isCrack ? 'crack' : group;
  const wallMm2 = (measures.sums[defect * sumCount + sumOf.area] / areaSteps) * Math.min(...s) ** 2;
  const sheetMm2 = isCrack ? sheets.areas[defect] * Math.min(...s) ** 2 : 0;
  const areaMm2 = isCrack ? sheetMm2 : wallMm2;
  const inScan = (place: Vector3) =>
    locatePoint(source.grid, place.map((n, k) => n + search.cells.from[k]) as Vector3);
  const boxCenter = center.map((n, k) => n / s[k]) as Vector3;
  const massCenter = integral?.center ?? figures.center;
  const distance = places.distancesMm[defect];
  const surfaceConnected = kind === 'inclusion' ? distance < Math.max(...s) : table.marked[number] === 1;
  // The rolling ball sinks into a channel cut by a side, by less than its radius.
  const sinksMm = table.marked[number] === 1 ? (search.openingRadiusMm ?? 0) : 0;
  const lidCells = s.map((edge) => Math.ceil(sinksMm / edge));
  const [largestMm2, secondMm2] = places.mouths[defect].areasMm2;
  const lidMm3 = surfaceConnected ? lidVoxels * Math.max(...s) * (largestMm2 + secondMm2) : 0;
  return {
    kind,
    voxels,
    volumeMm3,
    countedVolumeMm3: voxels * cellMm3,
    volumeBandMm3: integral
      ? ([-2, 2].map((k) => Math.max(0, integral.volume + k * integral.uncertainty) * cellMm3) as [
          number,
          number,
        ])
      : [
          Math.max(0, volumeMm3 - (voxels - Math.min(figures.low, voxels)) * cellMm3 - lidMm3),
          volumeMm3 + Math.max(0, figures.high - voxels) * cellMm3 + lidMm3,
        ],
    significance,
    probability: findProbability({
      class: isCrack ? 'crack' : kind === 'inclusion' ? 'inclusion' : surfaceConnected ? 'open' : 'closed',
      voxels,
      volumeVoxels: volumeMm3 / cellMm3,
      areaFaces: areaMm2 / cellMm3 ** (2 / 3),
      depth,
      compactness,
      box: [0, 1, 2].map((k) => ((box[k + 3] - box[k] + 1) * s[k]) / Math.cbrt(cellMm3)),
      significance,
      noise: measures.grey.noise / Math.abs(material - air),
    }),
    depth,
    equivalentDiameterMm,
    enclosingDiameterMm,
    areaMm2,
    openingMm: isCrack && sheetMm2 > 0 ? volumeMm3 / sheetMm2 : null,
    sphericity:
      surfaceConnected || isCrack || areaMm2 === 0
        ? null
        : Math.min(1, (Math.PI * equivalentDiameterMm ** 2) / areaMm2),
    compactness,
    centerMm: inScan(isWithin(massCenter, box) ? massCenter : boxCenter),
    boundsMm: measureBounds(box, inScan),
    distanceToSurfaceMm: surfaceConnected ? 0 : Number.isFinite(distance) ? distance : null,
    projectedAreasMm2: [0, 1, 2].map((k) => (places.projected[3 * defect + k] * cellMm3) / s[k]) as Vector3,
    surfaceConnected,
    gapLike:
      surfaceConnected &&
      !isCrack &&
      search.openingRadiusMm !== null &&
      isGap(places.mouths[defect], volumeMm3, 2 * search.openingRadiusMm),
    cutAt:
      listSides(table, number, grid, lidCells)
        .filter((side) => cutSides.includes(side))
        .join(' ') || null,
    belowDetectionLimit:
      (isCrack ? enclosingDiameterMm : equivalentDiameterMm) < search.limitVoxels * Math.max(...s),
  };
}

/**
 * Volume from the grey values, unless they are meaningless because the threshold is far from both peaks; then the
 * count.
 */
const computeVolume = ({ cells }: GreyFigures, voxels: number) =>
  cells > 0.25 * voxels && cells < 4 * voxels ? cells : voxels;

/**
 * For an inclusion no brighter on average than its faintest cells, for example beside air, the count is more reliable.
 */
const findFaintVolume = (excess: number, voxels: number, level: number, blur: number) =>
  excess > voxels * level ? modelInclusion(excess, voxels, level, blur) : voxels;

const isWithin = (place: Vector3, box: number[]) =>
  place.every((n, k) => n >= box[k] - 1 && n <= box[k + 3] + 1);

function enclosingBall(measures: RawMeasures, defect: number, box: number[], s: Vector3) {
  const points: Vector3[] = [];
  for (let d = 0; d < directionCount; d++) {
    const at = 4 * (defect * directionCount + d);
    if (!Number.isFinite(measures.outermost[at])) continue;
    points.push([...measures.outermost.subarray(at + 1, at + 4)] as Vector3);
  }
  if (points.length > 0) return smallestBall(points);
  const middle = [0, 1, 2].map((k) => ((box[k] + box[k + 3]) / 2) * s[k]) as Vector3;
  return {
    center: middle,
    radius: Math.hypot(...[0, 1, 2].map((k) => ((box[k + 3] - box[k] + 1) / 2) * s[k])),
  };
}

/** Bounds of the box's cells, outer faces included, in the scan's frame. */
function measureBounds(box: number[], inScan: (place: Vector3) => Vector3): { min: Vector3; max: Vector3 } {
  const min: Vector3 = [Infinity, Infinity, Infinity];
  const max: Vector3 = [-Infinity, -Infinity, -Infinity];
  for (let corner = 0; corner < 8; corner++) {
    const place = inScan(
      [0, 1, 2].map((k) => ((corner >> k) & 1 ? box[k + 3] + 0.5 : box[k] - 0.5)) as Vector3,
    );
    for (let k = 0; k < 3; k++) {
      min[k] = Math.min(min[k], place[k]);
      max[k] = Math.max(max[k], place[k]);
    }
  }
  return { min, max };
}

/** Upper limit of the significance, since a scan without noise has no scatter. */
const maxSignificance = 1000;

function findSignificance({ volume, scatter, ownEvidence }: ShellVolume): number {
  const ofIntegral = volume === 0 ? 0 : volume / Math.max(scatter, Math.abs(volume) / maxSignificance);
  return Math.min(maxSignificance, Math.max(ofIntegral, ownEvidence));
}
