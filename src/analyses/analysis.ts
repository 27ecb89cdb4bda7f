/** The interface of every analysis: parameters and inputs in, data objects out. The worker handles files and rows. */
import type { z } from 'zod';
import type { ResultOf } from '#contract/analyses/data-kinds.ts';
import type { StepDeclaration } from '#contract/analyses/steps.ts';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import type { PartMeasures, SurfaceMetadata } from '#contract/metadata/surface.ts';
import type { VolumeFacts } from '#contract/metadata/volume.ts';
import type { Warning, WarningCode } from '#contract/metadata/warning.ts';
import type { KernelPool } from '#kernels/arena.ts';
import type { SummarizedVolume } from '#kernels/grid/outliers.ts';
import type { DataType, Grid, VoxelArray } from '#kernels/grid/volume.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { AxisFrame } from '#kernels/reconstruction/description.ts';
import type { Radiographs } from '#kernels/reconstruction/plan.ts';

/** A stored volume with its grey value statistics. */
export type VolumeInput = SummarizedVolume;

/** A stored mesh, in mm. */
export interface MeshInput {
  mesh: TriangleMesh;
  /** CAD models only: index of the face of each triangle, from 0 */
  faces?: Uint32Array;
  /** CAD models only: name of the part that each face belongs to */
  faceNames?: string[];
  /** CAD models only: largest distance between the triangles and the exact surface */
  deflectionMm?: number;
}

/** Stored radiographs, and how the part's own frame relates to that of the scan. */
export interface RadiographsInput extends Radiographs {
  axisFrame: AxisFrame;
}

/** A volume that has been written, to be referenced by a result object. */
export interface StoredVolume {
  key: string;
  sizeBytes: number;
  metadata: VolumeFacts;
}

/** Accepts a volume plane by plane, so that it is never in memory as a whole. */
export interface VolumeSink {
  append(planes: VoxelArray): Promise<void>;
  finish(progress?: (fraction: number) => void): Promise<StoredVolume>;
}

/** @param fraction of this step, 0 to 1 @param stage shown to the user */
export type Report = (fraction: number, stage: string) => void;

/** The determined surface of a scan, as it is stored for later analyses. */
export interface StoredSurface {
  metadata: Omit<SurfaceMetadata, 'key'>;
  files: ResultFile[];
}

/** A stored surface to which measures of the part can be added. */
export interface SharedSurface extends StoredSurface {
  /** Stores the measures with the surface for later analyses. */
  keepPart(part: PartMeasures): void;
}

export interface AnalysisContext {
  volume(dataObjectId: string): Promise<VolumeInput>;
  /**
   * Reads a data object as a volume or as a mesh, depending on its kind.
   * @param deflectionMm CAD models are triangulated at least this finely
   */
  part(dataObjectId: string, deflectionMm?: number): Promise<{ volume: VolumeInput } | MeshInput>;
  radiographs(dataObjectId: string): Promise<RadiographsInput>;
  /** Returns the surface stored earlier for the same `restsOn`, or determines it now and stores it with the result. */
  surface(volumeId: string, restsOn: object, determine: () => Promise<StoredSurface>): Promise<SharedSurface>;
  /** Quality of the scan that the data object is, or was made from; null when there is none. */
  quality(dataObjectId: string): Promise<ScanQuality | 'unjudged' | null>;
  /** quality of the scan being analysed; null when it was not judged or the input is no scan */
  judged: ScanQuality | null;
  /** known doubts about the scans being analysed, as the result will list them */
  doubts: readonly Warning[];
  /** Creates a volume of the result. Unfinished volumes are removed with the operation. */
  newVolume(grid: Grid, dataType: DataType): Promise<VolumeSink>;
  pool: KernelPool;
  /** when aborted, the analysis rejects with the signal's reason within a second and leaves no data behind */
  signal: AbortSignal;
  /** @param fraction 0 to 1 @param stage shown to the user, such as “Surface” */
  progress(fraction: number, stage: string): void;
}

/** Data objects that the operation works on, resolved and checked by the caller. */
export interface AnalysisInputs {
  sourceDataObjectId: string;
  referenceDataObjectId?: string;
  /** kind of the reference's data: `cad` by default */
  referenceKind?: string;
  /** the reference was made from the source, or both from the same scan, so it cannot judge the part */
  isSelfCheck?: boolean;
}

export interface ResultFile {
  fileName: string;
  mediaType: string;
  /** contents in sequence; for large meshes their own arrays without a copy */
  parts: readonly Uint8Array[];
}
/** The result of a declared analysis; kind and metadata are those of its declaration. */
export type ResultObject<Declaration extends StepDeclaration = StepDeclaration> =
  Declaration extends StepDeclaration
    ? {
        kind: Declaration['makes'];
        name: string;
        metadata: ResultOf<Declaration>;
        files: ResultFile[];
        volume?: StoredVolume;
      }
    : never;

export interface AnalysisResult<Declaration extends StepDeclaration = StepDeclaration> {
  /** the first one is the operation's main result */
  dataObjects: ResultObject<Declaration>[];
  /** warnings for users of the results */
  warnings: {
    code: WarningCode;
    message: string;
    /** measures that the warning concerns */
    measures: Declaration['measures'][number]['path'][];
    invalidates?: boolean | undefined;
  }[];
  /** algorithm name → version, for the provenance */
  algorithms: Record<string, string>;
}

type Run<Declaration extends StepDeclaration> = (
  parameters: z.infer<Declaration['parameters']>,
  inputs: AnalysisInputs,
  context: AnalysisContext,
) => Promise<AnalysisResult<Declaration>>;

/** The implementation of a declared analysis. */
export interface Analysis<Declaration extends StepDeclaration = StepDeclaration> {
  key: Declaration['key'];
  run: Run<Declaration>;
}

export const implementAnalysis = <Declaration extends StepDeclaration>(
  { key }: Declaration,
  run: Run<Declaration>,
): Analysis<Declaration> => ({ key, run });
