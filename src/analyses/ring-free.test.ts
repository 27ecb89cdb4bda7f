import { expect, it } from 'vitest';
import { inlinePool } from '#kernels/pool.ts';
import { judgeScan } from '#kernels/quality/judge-scan.ts';
import { channelledCylinder, impairedScan } from '#kernels/testing/impaired-scans.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { makeInput, runOnScan } from './testing/scan-run.ts';

it('integrity removes rings before it measures voids, and reports it; a scan without rings stays unchanged', async () => {
  const pool = inlinePool(await kernelModule());
  const { dimensions, body, holes } = channelledCylinder([{ at: [-16, -8, 2], radius: 4 }]);
  const listAlgorithms = async (rings: number) => {
    const volume = impairedScan(body, dimensions, { blur: 0.6, contrastToNoise: 20, rings }, holes);
    const input = await makeInput(volume, pool);
    const judged = await judgeScan(input);
    const quality = async () => judged;
    const { algorithms } = await runOnScan('runIntegrityAnalysis', {}, input, { pool, judged, quality });
    return Object.keys(algorithms);
  };
  expect(await listAlgorithms(0)).not.toContain('ringsTakenOff');
  expect(await listAlgorithms(0.15)).toContain('ringsTakenOff');
});
