/** What a reconstruction takes and gives, and what stays the same while it is made. */
import type { SlabSource } from '../grid/volume.ts';
import type { ProjectionLayout } from './filter-projections.ts';
import type { HowFound } from './find-center.ts';
import type { AngleCover, ScanGeometry } from './geometry.ts';
import type { PreviewGrid } from './preview-grid.ts';
import type { RampName } from './ramp-filter.ts';
import type { VirtualDetector } from './virtual-detector.ts';

export interface Radiographs {
  geometry: ScanGeometry;
  /** planes are projections; columns fastest, rows in the detector's order */
  projections: SlabSource;
  values: 'counts' | 'lineIntegrals';
  /** means of the images behind nothing and without a beam; same size as a projection */
  flat?: ArrayLike<number> | undefined;
  dark?: ArrayLike<number> | undefined;
  /** counts behind nothing and without a beam where there are no images of them */
  flatLevel?: number | undefined;
  darkLevel?: number | undefined;
}

export interface ReconstructionOptions {
  maxDimension: number;
  /** these cells instead of all that the detector sees from all sides */
  cells?: PreviewGrid | undefined;
  filter: RampName;
  /** on the detector, from its middle, along growing column numbers; found from the projections without it */
  centerOfRotationMm?: number | undefined;
  /** b of the correction p + b p² of the line integrals */
  beamHardening?: number | undefined;
  ringCorrection?: boolean | undefined;
  /** of the free beam: what scatter adds to every pixel alike; taken off before the logarithm */
  scatterShare?: number | undefined;
  signal?: AbortSignal | undefined;
  progress?: (fraction: number, stage: string) => void;
  /** bytes of the volume that are summed up at a time, and of the projections read at a time; only tests set them */
  slabBytes?: number;
  batchBytes?: number;
}

export interface ReconstructionWarning {
  code:
    | 'ANGLES_MISSING'
    | 'FEW_PROJECTIONS'
    | 'FREE_BEAM_ASSUMED'
    | 'DEAD_PIXELS'
    | 'CENTER_ASSUMED'
    | 'CENTER_DIFFERS'
    | 'CENTER_MEASURED'
    | 'FIELD_TRUNCATED';
  message: string;
}

export interface ReconstructionFacts {
  grid: PreviewGrid;
  centerOfRotationMm: number;
  centerColumn: number;
  howFound: HowFound;
  /** of the two sides about the centre, 0 … 1; null unless it was found by symmetry */
  mismatch: number | null;
  /** of a centre that was found, expanded (k = 2); null for a given one */
  centerUncertaintyMm: number | null;
  binning: number;
  cover: Pick<AngleCover, 'fullTurn' | 'rangeDeg'>;
  /** standard deviation of what pixels err by, as line integrals, where that was corrected */
  ringLevel: number | null;
  flatLevel: number | null;
  /** line integral of the part's dense places, as measured */
  densestIntegral: number;
  warnings: ReconstructionWarning[];
}

/** All that stays the same while the volume is made. */
export interface Plan {
  radiographs: Radiographs;
  options: ReconstructionOptions;
  detector: VirtualDetector;
  cover: AngleCover;
  layout: ProjectionLayout;
  warnings: ReconstructionWarning[];
}

/** What memory is asked for. */
export const purpose = 'The reconstruction';
