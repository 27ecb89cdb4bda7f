/**
 * Loaded with --import into the processes started by main.ts: when the parent ends in any way, this process ends, too, so
 * that no orphan keeps the port or the database.
 */
import { isMainThread } from 'node:worker_threads';

const PATIENCE_MS = 8_000;

if (isMainThread && process.connected) {
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), PATIENCE_MS).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  // The channel alone must not keep the process alive.
  process.channel?.unref();
}
