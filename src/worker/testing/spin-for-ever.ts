/** A process that announces itself and then loops forever; like a work process it ends with its parent. */
import { Worker } from 'node:worker_threads';

const thread = new Worker(new URL('../work/end-with-worker.ts', import.meta.url), {
  workerData: process.ppid,
});
thread.once('online', () => {
  process.stdout.write(`${process.pid}\n`, () => {
    for (;;) Math.sqrt(Date.now());
  });
});
