/** A thread of the simulated scanner: keys of parts come in, one at a time, and scans go out. */
import { parentPort } from 'node:worker_threads';
import { inlinePool } from '#kernels/pool.ts';
import { loadKernels } from '../threads/pool.ts';
import { demoParts } from './parts.ts';
import { type DemoScale, simulate } from './simulate.ts';

export interface ScanRequest {
  key: string;
  scale: DemoScale;
}

const pool = inlinePool(await loadKernels());
parentPort?.on('message', async ({ key, scale }: ScanRequest) => {
  const part = demoParts.find((each) => each.key === key);
  if (!part) throw new Error(`there is no part ${key} in the demo`);
  const scan = await simulate(part, scale, pool);
  parentPort?.postMessage(scan, [
    scan.volume.data.buffer as ArrayBuffer,
    scan.radiographs.counts.buffer as ArrayBuffer,
  ]);
});
