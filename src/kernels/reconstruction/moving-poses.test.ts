import { beforeAll, describe, expect, it } from 'vitest';
import type { KernelPool } from '../arena.ts';
import { inlinePool } from '../pool.ts';
import { drifts, measureDrift } from '../testing/drifting-scan.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { cone, makeScan, reconstructed } from '../testing/reconstructed.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

describe('a scan whose source and detector drift', () => {
  it.each(drifts)('$name: the ball keeps its volume and place where the poses are known', async (drift) => {
    const known = await measureDrift(drift, true, pool);
    // For a ball of 25 voxels, counting voxels above half of the grey value is accurate to one percent.
    expect(Math.abs(known.volume)).toBeLessThan(0.015);
    expect(Math.abs(known.mass)).toBeLessThan(0.002);
    expect(known.offMm).toBeLessThan(0.05 * known.voxelSizeMm);
  });

  it('shows the ball displaced if the poses of the plain circle are used', async () => {
    const { offMm, voxelSizeMm } = await measureDrift(drifts.at(-1), false, pool);
    expect(offMm).toBeGreaterThan(0.5 * voxelSizeMm);
  });

  it('is rejected without a pose for each projection', async () => {
    const geometry = { ...cone, views: [] };
    await expect(reconstructed({ ...makeScan(cone), geometry }, pool)).rejects.toThrow(
      /0 poses of source and detector for 150 projections/,
    );
  });
});
