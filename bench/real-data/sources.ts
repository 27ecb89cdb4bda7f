/** Files of the data folder in the form the analyses read, without the service. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AnalysisContext, MeshInput, ResultObject, VolumeInput } from '#analyses/analysis.ts';
import { runAnalysis } from '#analyses/registry.ts';
import { noData } from '#analyses/testing/no-data.ts';
import type { StepKind, StepOf } from '#contract/analyses/steps.ts';
import { type FileSource, openFileSource } from '#formats/bytes/file-source.ts';
import { openVolume } from '#formats/open-volume.ts';
import type { ImportHints } from '#formats/volume/volume-header.ts';
import type { KernelPool } from '#kernels/arena.ts';
import { summarizeVolume } from '#kernels/grid/summarize.ts';
import type { SlabSource } from '#kernels/grid/volume.ts';

export const filesIn = (folder: string, path: string): string[] =>
  readdirSync(join(folder, path))
    .sort()
    .map((name) => `${path}/${name}`);

const opened: FileSource[] = [];
export async function openSources(folder: string, paths: readonly string[]): Promise<FileSource[]> {
  const sources = await Promise.all(paths.map((path) => openFileSource(join(folder, path))));
  opened.push(...sources);
  return sources;
}
export const closeSources = (): Promise<unknown> =>
  Promise.all(opened.splice(0).map((source) => source.close()));

export async function readVolume(
  folder: string,
  paths: readonly string[],
  hints: ImportHints,
): Promise<SlabSource> {
  const { slabs } = await openVolume(await openSources(folder, paths), hints);
  return slabs;
}

const notThere = () => Promise.reject(new Error('not asked for'));

/** Runs an analysis of a volume, as the worker would. */
export async function analysed<Kind extends StepKind>(
  kind: Kind,
  parameters: Record<string, unknown>,
  volume: SlabSource,
  pool: KernelPool,
  reference?: MeshInput,
): Promise<ResultObject<StepOf<Kind>>> {
  const input: VolumeInput = { ...volume, ...(await summarizeVolume(volume, pool)) };
  const context: Omit<AnalysisContext, 'doubts' | 'judged'> = {
    volume: async () => input,
    part: async (id) => (id === 'reference' && reference ? reference : { volume: input }),
    surface: noData.surface,
    radiographs: notThere,
    newVolume: notThere,
    quality: async () => null,
    pool,
    signal: new AbortController().signal,
    progress: () => {},
  };
  const inputs = {
    sourceDataObjectId: 'scan',
    ...(reference ? { referenceDataObjectId: 'reference' } : {}),
  };
  const { dataObjects } = await runAnalysis(kind, parameters, inputs, context);
  return dataObjects[0];
}
