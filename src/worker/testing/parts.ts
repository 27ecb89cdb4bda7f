/** Scans shared by the tests of the worker. */
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { collect } from '#formats/testing/collect.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { hollowCylinder } from '#kernels/testing/bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import type { WorkerHarness } from './worker-harness.ts';

/**
 * A tube with a radius of 2 mm, walls of 0.5 mm and a length of 4 mm in the harness's project. Needs a running worker.
 */
export async function ingestTube(harness: WorkerHarness): Promise<void> {
  const tube = renderBody(hollowCylinder(2, 1.5, 4), {
    dimensions: [64, 64, 64],
    voxelSizeMm: [0.08, 0.08, 0.08],
  });
  await harness.ended(await harness.upload('tube.nrrd', await collect(writeNrrd(makeSlabs(tube)))));
}
