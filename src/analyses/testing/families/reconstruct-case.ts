/** The volume of a simulated scan, made by the product's own analysis and kept in memory. */

import { addViewDoubts } from '#contract/analyses/scan-findings.ts';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import type { KernelPool } from '#kernels/arena.ts';
import { summarizeVolume } from '#kernels/grid/summarize.ts';
import { identityDirections, makeSlabs, type Volume } from '#kernels/grid/volume.ts';
import { judgeScan } from '#kernels/quality/judge-scan.ts';
import { simulatePolychromatic } from '#kernels/testing/polychromatic.ts';
import type { RadiographsInput, VolumeInput } from '../../analysis.ts';
import { runAnalysis } from '../../registry.ts';
import { noData } from '../no-data.ts';
import type { SimulatedScan } from './family.ts';

export interface ScannedVolume {
  input: VolumeInput;
  quality: ScanQuality | 'unjudged';
}

/** @param codes warnings of the reconstruction, in addition to the judge's findings */
export async function renderScan(
  volume: Volume,
  pool: KernelPool,
  codes: readonly string[] = [],
  edgesInwardVoxels?: number,
): Promise<ScannedVolume> {
  const source = makeSlabs(volume);
  const input = { ...source, ...(await summarizeVolume(source, pool)) };
  const judged = await judgeScan(input);
  return {
    input,
    quality: judged ? addViewDoubts(judged, codes, edgesInwardVoxels) : 'unjudged',
  };
}

export async function reconstructCase(
  { scan, parameters, process }: SimulatedScan,
  pool: KernelPool,
): Promise<ScannedVolume> {
  const axisFrame = { originMm: [0, 0, 0] as [number, number, number], directions: identityDirections() };
  const simulated = await simulatePolychromatic(scan);
  const radiographs: RadiographsInput = { ...((await process?.(simulated)) ?? simulated), axisFrame };
  let volume: Volume | undefined;
  const { warnings, dataObjects } = await runAnalysis(
    'runReconstructionPreview',
    parameters,
    { sourceDataObjectId: 'radiographs' },
    {
      ...noData,
      pool,
      signal: new AbortController().signal,
      progress: () => {},
      radiographs: async () => radiographs,
      newVolume: async (grid) => {
        const data = new Float32Array(grid.dimensions.reduce((all, n) => all * n, 1));
        let at = 0;
        return {
          append: async (planes) => {
            data.set(planes as Float32Array, at);
            at += planes.length;
          },
          finish: async () => {
            volume = { ...grid, dataType: 'float32', data };
            const { quality } = await renderScan(volume, pool);
            // Other stored metadata of a volume are not read here.
            const metadata = { ...grid, quality: quality === 'unjudged' ? null : quality };
            return { key: 'scan', sizeBytes: data.byteLength, metadata: metadata as never };
          },
        };
      },
    },
  );
  if (!volume) throw new Error('the reconstruction has made no volume');
  return renderScan(
    volume,
    pool,
    warnings.map(({ code }) => code),
    dataObjects[0].metadata.reconstruction.edgesInwardVoxels,
  );
}
