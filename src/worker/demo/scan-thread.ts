/** The thread on which one part of the demo is scanned: its key comes in, the scan goes out. */
import { parentPort, workerData } from 'node:worker_threads';
import { demoParts } from './parts.ts';
import { type DemoScale, simulate } from './simulate.ts';

export interface ScanRequest {
  key: string;
  scale: DemoScale;
}

const request = workerData as ScanRequest;
const part = demoParts.find(({ key }) => key === request.key);
if (!part) throw new Error(`there is no part ${request.key} in the demo`);
const scan = simulate(part, request.scale);
parentPort?.postMessage(scan, [
  scan.volume.data.buffer as ArrayBuffer,
  scan.radiographs.counts.buffer as ArrayBuffer,
]);
