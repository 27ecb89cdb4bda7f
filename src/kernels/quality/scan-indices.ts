/** Findings about a scan, and where each shows best. */
import type { Specks } from '../grid/specks.ts';
import type { UnseenField } from '../grid/unseen-field.ts';

export type AxisName = 'x' | 'y' | 'z';

/** Ranges of columns and rows of a plane; the ends are exclusive. */
export type PlaneBox = [fromColumn: number, fromRow: number, toColumn: number, toRow: number];

export interface ShownPlace {
  /**
   * axis perpendicular to the plane; for x its columns run along y and its rows along z, for y along x and z, for z
   * along x and y
   */
  axis: AxisName;
  /** of the plane, in voxels */
  index: number;
  boxes: PlaneBox[];
  /** radius of a circle around the centre of the plane */
  circleVoxels?: number;
  /** section of the plane that shows it */
  crop?: PlaneBox;
}

/** What can be shown, by name of the finding. */
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
  /** false: the grey values contain nothing above their noise */
  hasContrast: boolean;
  /** material fills the scan up to all of its faces: there is no air around it */
  isFilled: boolean;
  /**
   * contrast between air and the lightest material divided by the standard deviation of single cells; null without
   * noise
   */
  contrastToNoise: number | null;
  /** standard deviation of the means of 4 × 4 × 4 cells relative to white noise; 1 = white; null without noise */
  noiseGrain: number | null;
  /** the same for noise alone, without rings and streaks; null without noise, and when too few blocks are uniform */
  evenGrain: number | null;
  airGrey: number;
  /** share of the material's volume that each fills */
  materials: { grey: number; share: number }[];
  /** standard deviation of the edge spread, in voxels; null when there are too few straight edges */
  blurVoxels: number | null;
  /**
   * overshoot of edges above the material behind them, as from a denser skin, as a share of the contrast; null when
   * there are too few straight edges
   */
  skin: number | null;
  /**
   * excess of grey values beside edges over air further out, where blur has faded, as a share of the contrast; null
   * when there are too few straight edges
   */
  haze: number | null;
  /** variation of the material's grey value over the part beyond its texture, as a share of it; null with several materials */
  unevenness: number | null;
  /** change of the air's grey value across the scan, as a share of the contrast */
  gradient: number | null;
  /** amplitude of the strongest ring, as a share of the contrast */
  rings: number | null;
  /**
   * brightness difference of slices from nearby ones, as a share of the contrast; null when too little of the material
   * is visible
   */
  bands: number | null;
  /** standard deviation of the material's own grey value from one place to the next, as a share of the contrast; null where too little lies deep in it, and with several materials */
  texture: number | null;
  /**
   * amplitude of a structure inside the material with a period of a few cells, as a share of the contrast, without the blur where it is periodic, 0 where its gaps show as air;
   * null where too little lies deep inside, and with several materials
   */
  unresolved: number | null;
  /**
   * volume of places beside the part that are brighter than air by more than 6 % of the contrast, as a share of the part's
   * volume; 0 with several materials
   */
  faintShare: number;
  /** faces of the scan that the part touches */
  border: ('x-' | 'x+' | 'y-' | 'y+' | 'z-' | 'z+')[];
  /** 10th percentile of thickness over thin places; null when no wall is thin */
  thinnestWallVoxels: number | null;
  /** 5th percentile of thickness over the part; null when it is more than about 8 cells */
  featureVoxels: number | null;
  /** diameter of the smallest ball of air that is detected in about half of all cases; null when blur is unknown */
  smallestVoidVoxels: number | null;
  /** share of the part's blocks in walls thinner than four voxels */
  thinShare: number;
  /** volume of air in gaps too narrow for the surface to show, as a share of the part's volume */
  gapShare: number;
  /** the same for gaps inside the material that darken it by less than half of the contrast; 0 when noise may explain them */
  faintGapShare: number;
  /** share of the part's blocks that are full of material by their grey value; null with several materials */
  fullShare: number | null;
  /** share of the part's surface with a denser material than the lightest right behind it; null with one material */
  bareShare: number | null;
  /** share of the material's cells that have the highest grey value of all */
  saturatedShare: number;
  /** air has a single grey value while the material has noise: everything darker was clipped */
  isAirCut: boolean;
  /**
   * how far edges continue in adjacent slices, relative to their step between two slices: positive normally, negative
   * when slices are out of order; null with too few edges
   */
  sliceOrder: number | null;
  /** the same for the rows within slices, across y, and for their columns, across x */
  rowOrder: number | null;
  columnOrder: number | null;
  /**
   * shift of the level midway between air and material, as a share of the contrast, for a curve that would skew the
   * noise as observed; 0 when the noise is symmetric or too weak; null without noise
   */
  greyShift: number | null;
  /** distance between the grey values that occur, as a share of the contrast; null without noise */
  greyStep: number | null;
  /**
   * slices at which edges jump without continuing, so that the stacks before and after do not match; in large scans
   * only among the planes read
   */
  seams: number[];
  /**
   * share of edges that rise in two steps, along the axis where it is largest, or of all; null with too few straight
   * edges
   */
  doubleShare: number | null;
  /**
   * shift of slices from the midpoint of those three before and after, in voxels; 0 when their edges do not move
   * together; null with too few edges
   */
  sway: number | null;
  /** null when not every plane was read */
  lostSlices: number | null;
  /**
   * single voxels far from all their neighbours; null when there are none. All other indices are of the scan without
   * them
   */
  specks: Specks | null;
  /** region outside of the field of view, which has one grey value; null when there is none */
  unseen: UnseenField | null;
  /** where each finding shows best; only for findings that the scan has */
  places: ShownPlaces;
}
