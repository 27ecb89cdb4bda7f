import { expect, it } from 'vitest';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { digestPlanes } from './digest-planes.ts';
import { PlaneDigest } from './plane-digest.ts';

/** Large enough for a thread. */
const dimensions: Vector3 = [512, 512, 64];
const planeCells = dimensions[0] * dimensions[1];
const greyAt = (i: number) => (i * 40_503) & 0xffff;

it('of a large volume yields the same in a thread as in place, from reused planes', async () => {
  const inPlace = new PlaneDigest(dimensions);
  const digesting = digestPlanes(dimensions, 'uint16');
  const planes = new Uint16Array(10 * planeCells);
  for (let z = 0; z < dimensions[2]; z += 10) {
    const some = planes.subarray(0, Math.min(10, dimensions[2] - z) * planeCells);
    for (let i = 0; i < some.length; i++) some[i] = greyAt(z * planeCells + i);
    inPlace.add(some);
    await digesting.add(some);
    planes.fill(0);
  }
  const digest = await digesting.take();
  expect(digest).toEqual(inPlace.take());
  expect(digest.blocks?.size).toEqual([128, 128, 16]);
});

it('carries nothing over to the next volume', async () => {
  const planes = new Uint16Array(planeCells * dimensions[2]).fill(7);
  const digests = [];
  for (let volume = 0; volume < 2; volume++) {
    const digesting = digestPlanes(dimensions, 'uint16');
    await digesting.add(planes);
    digests.push(await digesting.take());
  }
  expect(digests[1]).toEqual(digests[0]);
});

it('reports why it was stopped, to callers that add planes or wait for the result', async () => {
  const controller = new AbortController();
  const digesting = digestPlanes(dimensions, 'uint16', controller.signal);
  const planes = new Uint16Array(planeCells);
  await digesting.add(planes);
  const reason = new Error('it was cancelled');
  controller.abort(reason);
  await expect(digesting.take()).rejects.toBe(reason);
  const add = async () => {
    for (let plane = 0; plane < 4; plane++) await digesting.add(planes);
  };
  await expect(add()).rejects.toBe(reason);
});
