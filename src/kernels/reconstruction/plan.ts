/** Inputs and results of a reconstruction, and its constant parameters. */
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
  /** means of the images without a part and without a beam; same size as a projection */
  flat?: ArrayLike<number> | undefined;
  dark?: ArrayLike<number> | undefined;
  /** counts without a part and without a beam, if there are no images of them */
  flatLevel?: number | undefined;
  darkLevel?: number | undefined;
}

export interface ReconstructionOptions {
  maxDimension: number;
  /** these cells instead of all that the detector sees from all sides */
  cells?: PreviewGrid | undefined;
  filter: RampName;
  /**
   * position of the axis on the detector, from its centre, along increasing columns; determined from the projections by
   * default
   */
  centerOfRotationMm?: number | undefined;
  /** coefficient b of the correction p + b p² of the line integrals */
  beamHardening?: number | undefined;
  ringCorrection?: boolean | undefined;
  /** as a share of the free beam: uniform scatter in every pixel; subtracted before the logarithm */
  scatterShare?: number | undefined;
  progress?: (fraction: number, stage: string) => void;
  /** bytes of the volume accumulated at a time, and of the projections read at a time; set by tests only */
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
    | 'FIELD_TRUNCATED'
    | 'BEAM_SATURATED'
    | 'BEAM_ABSORBED'
    | 'ROW_REPEATED';
  message: string;
}

export interface ReconstructionFacts {
  grid: PreviewGrid;
  centerOfRotationMm: number;
  centerColumn: number;
  howFound: HowFound;
  /** difference between the two sides about the centre, 0 … 1; null unless it was found by symmetry */
  mismatch: number | null;
  /** of a measured centre, expanded (k = 2); null for a given one */
  centerUncertaintyMm: number | null;
  binning: number;
  cover: Pick<AngleCover, 'fullTurn' | 'rangeDeg'>;
  /** standard deviation of the corrected pixel errors, as line integrals; null without correction */
  ringLevel: number | null;
  flatLevel: number | null;
  /** line integral of the part's dense places, as measured */
  densestIntegral: number;
  warnings: ReconstructionWarning[];
}

/** Everything that is constant during the reconstruction. */
export interface Plan {
  radiographs: Radiographs;
  options: ReconstructionOptions;
  detector: VirtualDetector;
  cover: AngleCover;
  layout: ProjectionLayout;
  warnings: ReconstructionWarning[];
}

/** Name of the requester for out-of-memory messages. */
export const purpose = 'The reconstruction';
