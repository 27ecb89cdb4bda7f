/** What every analysis is: parameters and inputs in, data objects out; files and rows are the worker's affair. */
import type { AnalysisKind, DataObjectKind } from '#contract/analyses/kinds.ts';
import type { AnalysisParameters } from '#contract/analyses/parameters.ts';
import type { Histogram } from '#kernels/grid/histogram.ts';
import type { SlabSource } from '#kernels/grid/volume.ts';
import type { KernelPool } from '#kernels/pool.ts';

/** A stored volume with what is known of its grey values. */
export interface VolumeInput extends SlabSource {
  histogram: Histogram;
  /** lowest and highest finite grey value */
  range: [number, number];
}

export interface AnalysisContext {
  volume(dataObjectId: string): Promise<VolumeInput>;
  pool: KernelPool;
  /** aborted: the analysis rejects with its reason within a second and leaves nothing behind */
  signal: AbortSignal;
  /** @param fraction 0 to 1 @param stage for people, such as “Surface” */
  progress(fraction: number, stage: string): void;
}

/** Data objects that the operation works on, resolved and checked by the caller. */
export interface AnalysisInputs {
  sourceDataObjectId: string;
}

export interface ResultFile {
  fileName: string;
  mediaType: string;
  bytes: Uint8Array;
}
export interface ResultObject {
  kind: DataObjectKind;
  name: string;
  metadata: Record<string, unknown>;
  files: ResultFile[];
}
export interface AnalysisResult {
  dataObjects: ResultObject[];
  /** name → version of what was computed with, for the provenance */
  algorithms: Record<string, string>;
}

export type Analysis<Kind extends AnalysisKind> = (
  parameters: AnalysisParameters[Kind],
  inputs: AnalysisInputs,
  context: AnalysisContext,
) => Promise<AnalysisResult>;
