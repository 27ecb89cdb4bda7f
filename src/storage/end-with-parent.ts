/**
 * Loaded with --import into the processes that main.ts starts: when the parent is gone, however it went,
 * this process ends too, so that no orphan holds the port or the database.
 */
import { isMainThread } from 'node:worker_threads';

const PATIENCE_MS = 8_000;

if (isMainThread && process.connected) {
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), PATIENCE_MS).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  // The channel alone must not keep a process that has nothing left to do.
  process.channel?.unref();
}
