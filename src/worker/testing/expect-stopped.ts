import { expect } from 'vitest';
import { cancelWork } from '#storage/work/life.ts';
import { expectWithin, startStopwatch } from './contention.ts';
import type { WorkerHarness } from './worker-harness.ts';

/** Keys of all stored files and volumes. */
export async function listBlobKeys({ database }: WorkerHarness): Promise<string[]> {
  const { rows } = await database.connection.pool.query<{ key: string }>(
    'select key from blobs order by key',
  );
  return rows.map(({ key }) => key);
}

/**
 * Expects held work to stop within a second of being cancelled, and to leave nothing behind.
 * @param requestHeld starts it and returns its id once it is held; `release` restores later work
 */
export async function expectStopped(
  harness: WorkerHarness,
  requestHeld: () => Promise<{ id: string; release(): void }>,
): Promise<void> {
  const before = await listBlobKeys(harness);
  await expectWithin(1000, async () => {
    const { id, release } = await requestHeld();
    const elapsedMs = startStopwatch();
    await harness.db.transaction((tx) => cancelWork(tx, 'operation', id));
    const row = await harness.ended(id);
    const stoppedAfterMs = elapsedMs();
    release();
    expect(row.status).toBe('cancelled');
    expect(await harness.outputs(id)).toEqual([]);
    expect(await listBlobKeys(harness)).toEqual(before);
    return stoppedAfterMs;
  });
}
