/** A thread that ends its process when the worker is gone, even if the main thread loops forever. */
import { workerData } from 'node:worker_threads';

const LOOK_MS = 500;

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, LOOK_MS);
