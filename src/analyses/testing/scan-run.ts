/** Analyses of a volume in memory. */

import { metadataSchemas } from '#contract/analyses/data-kinds.ts';
import type { StepKind } from '#contract/analyses/steps.ts';
import type { KernelPool } from '#kernels/arena.ts';
import { summarizeVolume } from '#kernels/grid/summarize.ts';
import { makeSlabs, type Volume } from '#kernels/grid/volume.ts';
import { judgeScan } from '#kernels/quality/judge-scan.ts';
import type { AnalysisContext, StoredSurface, VolumeInput } from '../analysis.ts';
import { runAnalysis } from '../registry.ts';
import { noData } from './no-data.ts';

export async function makeInput(volume: Volume, pool: KernelPool): Promise<VolumeInput> {
  const source = makeSlabs(volume);
  return { ...source, ...(await summarizeVolume(source, pool)) };
}

/** Keeps surfaces as the product does; `determined` holds those that were requested first. */
export function shareSurfaces(): Pick<AnalysisContext, 'surface'> & {
  determined: ReadonlyMap<string, StoredSurface>;
} {
  const determined = new Map<string, StoredSurface>();
  return {
    determined,
    async surface(volumeId, restsOn, determine) {
      const key = JSON.stringify([volumeId, restsOn]);
      const stored = determined.get(key) ?? (await determine());
      determined.set(key, stored);
      return {
        ...stored,
        keepPart: (part) => {
          determined.set(key, { ...stored, metadata: { ...stored.metadata, part } });
        },
      };
    },
  };
}

/** @throws ZodError when the result cannot be stored */
export async function runOnScan<Kind extends StepKind>(
  kind: Kind,
  parameters: unknown,
  volume: VolumeInput,
  context: Pick<AnalysisContext, 'pool'> & Partial<AnalysisContext>,
) {
  const referenceDataObjectId: unknown = Reflect.get(Object(parameters), 'referenceDataObjectId');
  const result = await runAnalysis(
    kind,
    parameters,
    {
      sourceDataObjectId: 'scan',
      ...(typeof referenceDataObjectId === 'string' ? { referenceDataObjectId } : {}),
    },
    {
      ...noData,
      volume: async () => volume,
      part: async () => ({ volume }),
      signal: new AbortController().signal,
      progress: () => {},
      ...context,
    },
  );
  for (const made of result.dataObjects) metadataSchemas[made.kind].parse(made.metadata);
  return result;
}

/** Passes the quality findings of the scan to the analysis, as the product does. */
export async function runOnJudgedScan<Kind extends StepKind>(
  kind: Kind,
  scan: Volume,
  pool: KernelPool,
  parameters: object = {},
) {
  const input = await makeInput(scan, pool);
  const quality = (await judgeScan(input)) ?? ('unjudged' as const);
  const result = await runOnScan(kind, parameters, input, { pool, quality: async () => quality });
  return { ...result, quality };
}
