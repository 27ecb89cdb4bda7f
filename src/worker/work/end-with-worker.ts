/** A thread that ends its process when the worker is gone, even where the main thread is in an endless loop. */
import { workerData } from 'node:worker_threads';

const LOOK_MS = 500;

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, LOOK_MS);
