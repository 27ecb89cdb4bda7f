/** A process in an endless loop, which says so once, and that ends with its parent as one that carries work out does. */
import { Worker } from 'node:worker_threads';

const thread = new Worker(new URL('../work/end-with-worker.ts', import.meta.url), {
  workerData: process.ppid,
});
thread.once('online', () => {
  process.stdout.write(`${process.pid}\n`, () => {
    for (;;) Math.sqrt(Date.now());
  });
});
