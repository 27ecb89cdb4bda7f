/** The thread on which one part of the demo is scanned: its key comes in, the scan goes out. */
import { parentPort, workerData } from 'node:worker_threads';
import { inlinePool } from '#kernels/pool.ts';
import { loadKernels } from '../threads/pool.ts';
import { demoParts } from './parts.ts';
import { type DemoScale, simulate } from './simulate.ts';

export interface ScanRequest {
  key: string;
  scale: DemoScale;
}

const request = workerData as ScanRequest;
const part = demoParts.find(({ key }) => key === request.key);
if (!part) throw new Error(`there is no part ${request.key} in the demo`);
const scan = await simulate(part, request.scale, inlinePool(await loadKernels()));
parentPort?.postMessage(scan, [
  scan.volume.data.buffer as ArrayBuffer,
  scan.radiographs.counts.buffer as ArrayBuffer,
]);
