/** What was found about a scan, and where it shows best. */
import type { Specks } from '../grid/specks.ts';
import type { UnseenField } from '../grid/unseen-field.ts';

export type AxisName = 'x' | 'y' | 'z';

/** Columns and rows of a plane, from … to before. */
export type PlaneBox = [fromColumn: number, fromRow: number, toColumn: number, toRow: number];

export interface ShownPlace {
  /** that the plane lies across; of x its columns go along y and its rows along z, of y along x and z, of z along x and y */
  axis: AxisName;
  /** of the plane, in voxels */
  index: number;
  boxes: PlaneBox[];
  /** about the middle of the plane */
  circleVoxels?: number;
  /** the part of the plane that shows it */
  crop?: PlaneBox;
}

/** What can be shown, by the names of what was found. */
export type ShownName =
  | 'noise'
  | 'blur'
  | 'filtered'
  | 'fewDeep'
  | 'thinWalls'
  | 'narrowGaps'
  | 'skin'
  | 'materials'
  | 'cut'
  | 'uneven'
  | 'gradient'
  | 'rings'
  | 'bands'
  | 'saturated'
  | 'airCut'
  | 'lostSlices'
  | 'slicesMoved';
export type ShownPlaces = Partial<Record<ShownName, ShownPlace>>;

export interface ScanIndices {
  /** false: the grey values hold nothing above their noise */
  hasContrast: boolean;
  /** material fills the scan to all of its faces: there is no air around it */
  isFilled: boolean;
  /** from air to the lightest material over the standard deviation of single cells; null without noise */
  contrastToNoise: number | null;
  /** how much more the means of 4 × 4 × 4 cells scatter than white noise would leave them; 1 = white; null without noise */
  noiseGrain: number | null;
  /** the same of noise alone, without what rings and streaks add; null without noise, and where too little is even */
  evenGrain: number | null;
  airGrey: number;
  /** share of the material's places that each fills */
  materials: { grey: number; share: number }[];
  /** standard deviation of the edges, in voxels; null without enough straight ones */
  blurVoxels: number | null;
  /** by how much edges rise above the material behind them, as a denser skin does, as a share of the contrast; null without enough straight ones */
  skin: number | null;
  /** how far grey values beside edges lie above air farther out, where blur has faded, as a share of the contrast; null without enough straight ones */
  haze: number | null;
  /** how far the grey value of the material varies over the part, as a share of it; null with several materials */
  unevenness: number | null;
  /** change of the air's grey value across the scan, as a share of the contrast */
  gradient: number | null;
  /** amplitude of the strongest ring, as a share of the contrast */
  rings: number | null;
  /** by how much slices are brighter or darker than those near them, as a share of the contrast; null where too little of the material was seen */
  bands: number | null;
  /** standard deviation of the material's own grey value from one place to the next, as a share of the contrast; null where too little lies deep in it, and with several materials */
  texture: number | null;
  /** faces of the scan that the part touches */
  border: ('x-' | 'x+' | 'y-' | 'y+' | 'z-' | 'z+')[];
  /** thickness that a tenth of the thin places stays below; null where no wall is thin */
  thinnestWallVoxels: number | null;
  /** thickness that a twentieth of the part stays below; null where that is more than about 8 cells */
  featureVoxels: number | null;
  /** across the smallest ball of air that is found, of about every second one; null where blur isn't known */
  smallestVoidVoxels: number | null;
  /** of the part's blocks, those in walls of fewer than four voxels */
  thinShare: number;
  /** volume of air in gaps that are too narrow for the surface to show it, as a share of the part's */
  gapShare: number;
  /** share of the part's blocks that are full of material, as far as their grey value tells; null with several materials */
  fullShare: number | null;
  /** of the part's surface, what a denser material than the lightest lies right behind; null with one material */
  bareShare: number | null;
  /** of the material's cells, those that have the highest grey value of all */
  saturatedShare: number;
  /** air has one grey value, and the material noise: what is darker was cut off */
  isAirCut: boolean;
  /** how far edges go on from one slice to the next, over their step between two: above 0, and below where slices are out of order; null with too few edges */
  sliceOrder: number | null;
  /** the same of the rows within slices, across y, and of their columns, across x */
  rowOrder: number | null;
  columnOrder: number | null;
  /**
   * by how much the middle between air and material is off, as a share of the contrast, where a curve made the noise as lopsided as it
   * is; 0 where it is even, or too weak to tell; null without noise
   */
  greyShift: number | null;
  /** how far the grey values that the scan has are apart, as a share of the contrast; null without noise */
  greyStep: number | null;
  /** slices that edges jump to, and don't go on: what follows was scanned elsewhere; of large scans those in the planes that were looked at */
  seams: number[];
  /** of the edges along one axis, or of all, those that rise in two steps, where that is most; null with too few straight ones */
  doubleShare: number | null;
  /** how far slices lie off the middle of those three before and after them, in voxels; 0 where their edges don't move together; null with too few edges */
  sway: number | null;
  /** null where not every plane was read */
  lostSlices: number | null;
  /** single voxels that stand far off all around them; null where there are none. All other indices are of the scan without them */
  specks: Specks | null;
  /** where nothing was seen, and one grey value stands for that; null where all was */
  unseen: UnseenField | null;
  /** where each of these shows best; none of what the scan doesn't have */
  places: ShownPlaces;
}
