/** What every analysis is: parameters and inputs in, data objects out; files and rows are the worker's affair. */
import type { z } from 'zod';
import type { ResultOf } from '#contract/analyses/data-kinds.ts';
import type { StepDeclaration } from '#contract/analyses/steps.ts';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import type { PartMeasures, SurfaceMetadata } from '#contract/metadata/surface.ts';
import type { VolumeFacts } from '#contract/metadata/volume.ts';
import type { Warning, WarningCode } from '#contract/metadata/warning.ts';
import type { SummarizedVolume } from '#kernels/grid/outliers.ts';
import type { DataType, Grid, VoxelArray } from '#kernels/grid/volume.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { KernelPool } from '#kernels/pool.ts';
import type { AxisFrame } from '#kernels/reconstruction/description.ts';
import type { Radiographs } from '#kernels/reconstruction/plan.ts';

/** A stored volume with what is known of its grey values. */
export type VolumeInput = SummarizedVolume;

/** A stored mesh, in mm. */
export interface MeshInput {
  mesh: TriangleMesh;
  /** of a CAD model: number of each triangle's face, from 0 */
  faces?: Uint32Array;
  /** of a CAD model: what it calls the part that each face belongs to */
  faceNames?: string[];
  /** of a CAD model: how far its triangles are from its surface at most */
  deflectionMm?: number;
}

/** Stored radiographs, and what their part's own frame has to do with that of the scan. */
export interface RadiographsInput extends Radiographs {
  axisFrame: AxisFrame;
}

/** A volume that has been written, for a result object to hold. */
export interface StoredVolume {
  key: string;
  sizeBytes: number;
  metadata: VolumeFacts;
}

/** Takes a volume plane by plane, so that it never needs to be in memory whole. */
export interface VolumeSink {
  append(planes: VoxelArray): Promise<void>;
  finish(progress?: (fraction: number) => void): Promise<StoredVolume>;
}

/** @param fraction of this work, 0 to 1 @param stage for people */
export type Report = (fraction: number, stage: string) => void;

/** Where the surface of a scan lies, as it is stored for whoever needs it after. */
export interface StoredSurface {
  metadata: Omit<SurfaceMetadata, 'key'>;
  files: ResultFile[];
}

/** A stored surface, to which what is measured of it can be added. */
export interface SharedSurface extends StoredSurface {
  /** Stores the measures with it, for whoever needs them after. */
  keepPart(part: PartMeasures): void;
}

export interface AnalysisContext {
  volume(dataObjectId: string): Promise<VolumeInput>;
  /**
   * A volume, or a mesh where the data object is one.
   * @param deflectionMm a CAD model comes at least as fine as this
   */
  part(dataObjectId: string, deflectionMm?: number): Promise<{ volume: VolumeInput } | MeshInput>;
  radiographs(dataObjectId: string): Promise<RadiographsInput>;
  /**
   * The surface of a volume as it was determined before with all that `restsOn` says, or as it is determined now, which is
   * kept with the result.
   */
  surface(volumeId: string, restsOn: object, determine: () => Promise<StoredSurface>): Promise<SharedSurface>;
  /** Of the scan that a data object is or was made from; null where there is none. */
  quality(dataObjectId: string): Promise<ScanQuality | 'unjudged' | null>;
  /** what its judge says of the scan that is worked on; null where it was not judged, or is none */
  judged: ScanQuality | null;
  /** what is known against the scans that are worked on, as the result will carry it */
  doubts: readonly Warning[];
  /** A new volume of the result; what is not finished is removed with the operation. */
  newVolume(grid: Grid, dataType: DataType): Promise<VolumeSink>;
  pool: KernelPool;
  /** aborted: the analysis rejects with its reason within a second and leaves nothing behind */
  signal: AbortSignal;
  /** @param fraction 0 to 1 @param stage for people, such as “Surface” */
  progress(fraction: number, stage: string): void;
}

/** Data objects that the operation works on, resolved and checked by the caller. */
export interface AnalysisInputs {
  sourceDataObjectId: string;
  referenceDataObjectId?: string;
  /** the reference was made from the source, or both from the same scan: it can't judge the part */
  isSelfCheck?: boolean;
}

export interface ResultFile {
  fileName: string;
  mediaType: string;
  /** what is in it, one after the other: of a large mesh its own arrays, as they lie in memory */
  parts: readonly Uint8Array[];
}
/** What a declared analysis makes: kind and metadata are those of its declaration. */
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
  /** of several the first is what the operation is about */
  dataObjects: ResultObject<Declaration>[];
  /** what whoever relies on them has to know */
  warnings: {
    code: WarningCode;
    message: string;
    /** that it is about */
    measures: Declaration['measures'][number]['path'][];
    invalidates?: boolean | undefined;
  }[];
  /** name → version of what was computed with, for the provenance */
  algorithms: Record<string, string>;
}

type Run<Declaration extends StepDeclaration> = (
  parameters: z.infer<Declaration['parameters']>,
  inputs: AnalysisInputs,
  context: AnalysisContext,
) => Promise<AnalysisResult<Declaration>>;

/** How one declared analysis is computed. */
export interface Analysis<Declaration extends StepDeclaration = StepDeclaration> {
  key: Declaration['key'];
  run: Run<Declaration>;
}

export const implementAnalysis = <Declaration extends StepDeclaration>(
  { key }: Declaration,
  run: Run<Declaration>,
): Analysis<Declaration> => ({ key, run });
