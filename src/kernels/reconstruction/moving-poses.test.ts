import { beforeAll, describe, expect, it } from 'vitest';
import { inlinePool, type KernelPool } from '../pool.ts';
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
    // Counting voxels over half of the grey is right to a percent for a ball of 25 voxels.
    expect(Math.abs(known.volume)).toBeLessThan(0.015);
    expect(Math.abs(known.mass)).toBeLessThan(0.002);
    expect(known.offMm).toBeLessThan(0.05 * known.voxelSizeMm);
  });

  it('shows the ball off its place with the poses of the plain circle', async () => {
    const { offMm, voxelSizeMm } = await measureDrift(drifts.at(-1), false, pool);
    expect(offMm).toBeGreaterThan(0.5 * voxelSizeMm);
  });

  it('is refused without a pose for each projection', async () => {
    const geometry = { ...cone, views: [] };
    await expect(reconstructed({ ...makeScan(cone), geometry }, pool)).rejects.toThrow(
      /0 poses of source and detector for 150 projections/,
    );
  });
});
