import { describe, expect, it } from 'vitest';
import { joinBytes } from '#formats/bytes/join-bytes.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { expectWithin, startStopwatch } from '#worker/testing/contention.ts';
import { runMeshWork } from './run-mesh-work.ts';

/** A closed surface of `rings` · `rings` · 2 triangles: a torus. */
function torusMesh(rings: number): TriangleMesh {
  const positions = new Float32Array(3 * rings * rings);
  const indices = new Uint32Array(6 * rings * rings);
  for (let i = 0; i < rings; i++) {
    for (let j = 0; j < rings; j++) {
      const [u, v] = [(2 * Math.PI * i) / rings, (2 * Math.PI * j) / rings];
      const distance = 3 + Math.cos(v);
      const at = i * rings + j;
      positions.set([distance * Math.cos(u), distance * Math.sin(u), Math.sin(v)], 3 * at);
      const [across, along] = [((i + 1) % rings) * rings + j, i * rings + ((j + 1) % rings)];
      const corner = ((i + 1) % rings) * rings + ((j + 1) % rings);
      indices.set([at, across, corner, at, corner, along], 6 * at);
    }
  }
  return { positions, indices };
}
const never = new AbortController().signal;

describe('work on a mesh', () => {
  it('returns the same on a thread as in place', async () => {
    const input = () => ({ mesh: torusMesh(60), targetTriangles: 900 });
    const inPlace = await runMeshWork('simplify', input(), never);
    const aside = await runMeshWork('simplify', input(), never, 0);
    expect(aside).toEqual(inPlace);
    expect(aside.facts).toMatchObject({ watertight: true, components: 1 });
    const write = { baseName: 'part', formats: ['stl', 'ply', '3mf'] as const };
    const [files, others] = [
      await runMeshWork('writeFiles', { mesh: inPlace.mesh, ...write }, never),
      await runMeshWork('writeFiles', { mesh: aside.mesh, ...write }, never, 0),
    ];
    expect(files.map(({ fileName }) => fileName)).toEqual(['part.glb', 'part.stl', 'part.ply', 'part.3mf']);
    for (const [i, { parts }] of files.entries())
      expect(Buffer.compare(joinBytes(parts), joinBytes(others[i].parts))).toBe(0);
  });

  it('returns the right results on a thread that ran, rejected or stopped other work before', async () => {
    const simplify = (rings: number, signal = never) =>
      runMeshWork('simplify', { mesh: torusMesh(rings), targetTriangles: 900 }, signal, 0);
    const triangles = async (rings: number) => (await simplify(rings)).mesh.indices.length / 3;
    const [own, other] = [await triangles(60), await triangles(16)];
    expect(own).not.toBe(other);
    expect(await Promise.all([16, 60, 16].map(triangles))).toEqual([other, own, other]);
    // Points that all coincide form no surface to align.
    const point = { positions: new Float32Array(9), indices: Uint32Array.of(0, 1, 2) };
    const align = { mesh: point, grid: null, reference: { mesh: point }, region: undefined };
    const refused = runMeshWork('alignSurfaces', { ...align, guess: 'principalAxes' }, never, 0);
    await expect(refused).rejects.toBeInstanceOf(KernelError);
    expect(await triangles(60)).toBe(own);
    const controller = new AbortController();
    const stopped = simplify(200, controller.signal);
    controller.abort();
    await expect(stopped).rejects.toBe(controller.signal.reason);
    expect(await triangles(16)).toBe(other);
  });

  it('returns values with their statistics, and regions below the minimum', async () => {
    const mesh = torusMesh(20);
    const thicknessMm = Float32Array.from({ length: 400 }, (_, v) => (v < 40 ? 1 : 2));
    const areaMm2 = new Float32Array(400).fill(0.5);
    const done = await runMeshWork(
      'summarizeThickness',
      { mesh, thicknessMm, areaMm2, minThicknessMm: 1.5, voxelMm: 0.1 },
      never,
      0,
    );
    expect(thicknessMm).toHaveLength(0);
    expect(done.thicknessMm).toHaveLength(400);
    expect(done.statistics).toMatchObject({ count: 400, minMm: 1, maxMm: 2, belowMinimumShare: 0.1 });
    expect(done.regions).toMatchObject([{ areaMm2: 20, minMm: 1 }]);
  });

  it('stops a thread that is busy within a second', async () => {
    const reason = new Error('stopped by the user');
    await expectWithin(1000, async () => {
      const controller = new AbortController();
      // The work takes seconds on any machine; the test ends as soon as it stops.
      const running = runMeshWork(
        'simplify',
        { mesh: torusMesh(1400), targetTriangles: 1000 },
        controller.signal,
      );
      const stopped = expect(running).rejects.toBe(reason);
      const elapsedMs = startStopwatch();
      controller.abort(reason);
      await stopped;
      return elapsedMs();
    });
  });

  it('does not start if already cancelled', async () => {
    const reason = new Error('stopped by the user');
    const running = runMeshWork(
      'simplify',
      { mesh: torusMesh(4), targetTriangles: 2 },
      AbortSignal.abort(reason),
    );
    await expect(running).rejects.toBe(reason);
  });
});
