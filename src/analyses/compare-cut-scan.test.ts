import { beforeAll, describe, expect, it } from 'vitest';
import type { KernelPool } from '#kernels/arena.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { inlinePool } from '#kernels/pool.ts';
import { box } from '#kernels/testing/bodies.ts';
import { boxMesh } from '#kernels/testing/compare-bodies.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { runAnalysis } from './registry.ts';
import { noData } from './testing/no-data.ts';
import { makeInput } from './testing/scan-run.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

const referenceDataObjectId = '5b1bb1b5-0f0e-4a55-9d42-5f1f7a2c7c12';
const sizeMm: Vector3 = [20, 16, 10];

/** A good block, of which the field of view shows so much of its length. */
async function compareCut(shownMm: number, parameters: object, nominalMm = sizeMm) {
  const voxelMm = 0.4;
  const marginMm = 2;
  const dimensions: Vector3 = [0, 1, 2].map((k) =>
    Math.round((k === 0 ? shownMm + marginMm : sizeMm[k] + 2 * marginMm) / voxelMm),
  ) as Vector3;
  const volume = renderBody(box(sizeMm), {
    dimensions,
    voxelSizeMm: [voxelMm, voxelMm, voxelMm],
    originMm: [-sizeMm[0] / 2 - marginMm, -sizeMm[1] / 2 - marginMm, -sizeMm[2] / 2 - marginMm],
    noise: 900,
  });
  const scan = { volume: await makeInput(volume, pool) };
  const { dataObjects } = await runAnalysis(
    'runDecomposeMeshCompare',
    { referenceDataObjectId, tolerance: { lowerMm: -0.1, upperMm: 0.1 }, ...parameters },
    { sourceDataObjectId: 'scan', referenceDataObjectId },
    {
      ...noData,
      part: async (id) => (id === 'scan' ? scan : { mesh: boxMesh(nominalMm), deflectionMm: 0 }),
      pool,
      signal: new AbortController().signal,
      progress: () => {},
    },
  );
  return dataObjects[0].metadata as {
    verdict: string;
    verdictReason: { code: string };
    groups: { verdict: string }[];
  };
}

describe('a block cut by the field of view', () => {
  it.each([19, 18, 17.2])(
    'is not certainly bad where it is good and %d of its 20 mm are aligned',
    async (shownMm) => {
      const { verdict, verdictReason, groups } = await compareCut(shownMm, { alignment: 'autoAlign' });
      expect(groups.map((group) => group.verdict)).toEqual(['indeterminate']);
      expect([verdict, verdictReason.code]).toEqual([
        'indeterminate',
        expect.stringMatching(/^(POSE_OF_CUT_SCAN|NOT_SCANNED|POSE_AMBIGUOUS|NOT_FOUND)$/),
      ]);
    },
  );

  it('is refused if too little of it is visible to align it, but compared in a given pose', async () => {
    await expect(compareCut(12, { alignment: 'autoAlign' })).rejects.toThrow(
      /^The part reaches beyond the scan: .* give its pose as a matrix/,
    );
    const matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    const given = await compareCut(12, { alignment: 'matrix', matrix });
    expect(given).toMatchObject({ verdict: 'indeterminate', verdictReason: { code: 'NOT_SCANNED' } });
  });

  it('fails in a given pose where it is too narrow', async () => {
    const matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    const given = await compareCut(18, { alignment: 'matrix', matrix }, [20, 17, 10]);
    expect(given).toMatchObject({ verdict: 'fail', verdictReason: { code: 'BEYOND_TOLERANCE' } });
  });
});
