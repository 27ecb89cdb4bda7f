/** The thread on which one part of the demo is scanned: its key comes in, the scan goes out. */
import { parentPort, workerData } from 'node:worker_threads';
import { demoParts } from './parts.ts';
import { simulate } from './simulate.ts';

const part = demoParts.find(({ key }) => key === (workerData as { key: string }).key);
if (!part) throw new Error(`there is no part ${JSON.stringify(workerData)} in the demo`);
const scan = simulate(part);
parentPort?.postMessage(scan, [
  scan.volume.data.buffer as ArrayBuffer,
  scan.radiographs.counts.buffer as ArrayBuffer,
]);
