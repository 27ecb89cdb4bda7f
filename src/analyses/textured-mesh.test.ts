import { NodeIO } from '@gltf-transform/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { joinBytes } from '#formats/bytes/join-bytes.ts';
import { readGlb } from '#formats/glb/read-glb.ts';
import { readGlbTexture } from '#formats/glb/read-glb-texture.ts';
import { readPng } from '#formats/png/read-png.ts';
import type { KernelPool } from '#kernels/arena.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { measureMesh } from '#kernels/mesh/measure.ts';
import { weld } from '#kernels/mesh/weld.ts';
import { inlinePool } from '#kernels/pool.ts';
import { hollowCylinder } from '#kernels/testing/bodies.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { algorithmVersions } from './algorithms.ts';
import type { AnalysisContext, ResultObject, VolumeInput } from './analysis.ts';
import { makeInput, runOnScan } from './testing/scan-run.ts';

const voxelMm = 0.08;
const dimensions: Vector3 = [44, 44, 38];
const originMm: Vector3 = [8.28, -21.72, 28.52];
const middle = originMm.map((o, k) => o + ((dimensions[k] - 1) / 2) * voxelMm);
const body = hollowCylinder(1.5, 0.8, 2.4);
/** Grey values inside of the material, by place in mm from its middle. */
const field = (x: number, y: number, z: number) => 40_000 + 1500 * x - 800 * y + 600 * z;
const slope = Math.hypot(1500, 800, 600);

let pool: KernelPool;
let tube: VolumeInput;
beforeAll(async () => {
  pool = inlinePool(await kernelModule(), 2);
  const volume = renderBody(body, { dimensions, voxelSizeMm: [voxelMm, voxelMm, voxelMm] });
  const [nx, ny] = dimensions;
  for (let i = 0; i < volume.data.length; i++) {
    const cell = [i % nx, Math.floor(i / nx) % ny, Math.floor(i / (nx * ny))];
    const [x, y, z] = cell.map((each, k) => (each - (dimensions[k] - 1) / 2) * voxelMm);
    const share = (volume.data[i] - 8000) / 32_000;
    volume.data[i] = Math.round(8000 + share * (field(x, y, z) - 8000));
  }
  tube = await makeInput({ ...volume, originMm }, pool);
});

const run = async (parameters: object, context: Partial<AnalysisContext> = {}, volume = tube) => {
  const wanted = { textureSize: 256, ...parameters };
  const result = await runOnScan('createTexturedMesh', wanted, volume, { pool, ...context });
  return { ...result, made: result.dataObjects[0] };
};
const findFile = ({ files }: ResultObject, name: string) =>
  joinBytes(files.find(({ fileName }) => fileName === name)?.parts ?? []);

describe('createTexturedMesh', () => {
  it('returns a GLB that an independent reader opens, with the picture inside', async () => {
    const { made, algorithms } = await run({});
    expect(made.kind).toBe('mesh');
    expect(made.metadata['texture']).toMatchObject({ sizePx: 256, depthMm: 2 * voxelMm, shows: 'grayValue' });
    expect(made.files.map(({ fileName }) => fileName)).toEqual(['textured-mesh.glb', 'texture.png']);
    const document = await new NodeIO().readBinary(findFile(made, 'textured-mesh.glb'));
    const root = document.getRoot();
    const [primitive] = root.listMeshes()[0].listPrimitives();
    expect(primitive.listSemantics().sort()).toEqual(['NORMAL', 'POSITION', 'TEXCOORD_0']);
    const [positions, normals, coordinates] = ['POSITION', 'NORMAL', 'TEXCOORD_0'].map(
      (name) => primitive.getAttribute(name)?.getArray() ?? new Float32Array(),
    );
    expect(coordinates.length / 2).toBe(positions.length / 3);
    expect(coordinates.every((each) => each > 0 && each < 1)).toBe(true);
    // The format asks for unit normals; its validator allows a deviation of 0.00674.
    for (let i = 0; i < normals.length; i += 3) {
      expect(Math.abs(Math.hypot(normals[i], normals[i + 1], normals[i + 2]) - 1)).toBeLessThan(0.005);
    }
    const material = primitive.getMaterial();
    expect(material?.getMetallicFactor()).toBe(0);
    expect(material?.getBaseColorFactor()).toEqual([1, 1, 1, 1]);
    const texture = material?.getBaseColorTexture();
    expect(texture?.getMimeType()).toBe('image/png');
    expect(texture?.getSize()).toEqual([256, 256]);
    expect(Buffer.compare(texture?.getImage() ?? Buffer.alloc(0), findFile(made, 'texture.png'))).toBe(0);
    expect(material?.getBaseColorTextureInfo()?.getWrapS()).toBe(33071);
    const { textureAtlas, textureGreyValue, isosurface } = algorithmVersions;
    expect(algorithms).toMatchObject({ textureAtlas, textureGreyValue, isosurface });
  });

  it('shows at each vertex the grey value of the scan at a depth below it, within one step and a pixel’s slope', async () => {
    const { made } = await run({ textureSize: 512, depthMm: 3 * voxelMm });
    const glb = findFile(made, 'textured-mesh.glb');
    const mesh = readGlb(glb);
    const texture = readGlbTexture(glb);
    const { samples } = await readPng(texture?.image ?? new Uint8Array());
    const { low, high, depthMm = 0, texelMm, stretch, unit, shows, charts } = made.metadata.texture;
    expect(texture?.extras).toMatchObject({ shows: 'grayValue', low, high, depthMm, unit });
    expect({ shows, depthMm }).toEqual({ shows: 'grayValue', depthMm: 3 * voxelMm });
    expect(charts).toBeLessThan(60);
    const { positions: p, normals: n = new Float32Array() } = mesh;
    const coordinates = texture?.coordinates ?? new Float32Array();
    const errors: number[] = [];
    for (let v = 0; v < p.length / 3; v++) {
      const [x, y, z] = [0, 1, 2].map((k) => p[3 * v + k] - depthMm * n[3 * v + k] - middle[k]);
      const [u, w] = [coordinates[2 * v] * 512 - 0.5, coordinates[2 * v + 1] * 512 - 0.5];
      const [iu, iw] = [Math.floor(u), Math.floor(w)];
      const at = (du: number, dw: number) => samples[(iw + dw) * 512 + iu + du];
      const upper = at(0, 0) + (at(1, 0) - at(0, 0)) * (u - iu);
      const lower = at(0, 1) + (at(1, 1) - at(0, 1)) * (u - iu);
      const shown = low + ((upper + (lower - upper) * (w - iw)) / 255) * (high - low);
      errors.push(Math.abs(shown - Math.min(Math.max(field(x, y, z), low), high)));
    }
    const step = (high - low) / 255;
    expect(Math.max(...errors)).toBeLessThan(step + stretch.max * texelMm * slope);
    expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(step);
  });

  it('remains the same closed mesh: vertices at seams coincide', async () => {
    const { made } = await run({ formats: ['glb', 'stl', 'ply', '3mf'] });
    expect(made.metadata).toMatchObject({ watertight: true, components: 1 });
    expect(Math.abs((made.metadata['volumeMm3'] as number) / body.volumeMm3 - 1)).toBeLessThan(0.01);
    const whole = weld(readGlb(findFile(made, 'textured-mesh.glb')));
    const facts = measureMesh(whole.positions, whole.indices);
    expect(facts).toMatchObject({ watertight: true, components: 1, triangles: made.metadata['triangles'] });
    expect(facts.vertices).toBe(made.metadata['vertices']);
    expect(made.files.map(({ fileName }) => fileName)).toEqual([
      'textured-mesh.glb',
      'texture.png',
      'textured-mesh.stl',
      'textured-mesh.ply',
      'textured-mesh.3mf',
    ]);
    expect(findFile(made, 'textured-mesh.stl').length).toBe(84 + 50 * facts.triangles);
  });

  it('yields equal bytes for equal input, for any number of threads', async () => {
    const first = await run({});
    const second = await run({}, { pool: inlinePool(await kernelModule(), 3) });
    for (const [i, { parts }] of first.made.files.entries()) {
      expect(Buffer.compare(joinBytes(parts), joinBytes(second.made.files[i].parts))).toBe(0);
    }
    expect(second.made.metadata).toEqual(first.made.metadata);
  });

  it('shows curvature: dark along the bore, light on the outside, correct in 1/mm', async () => {
    const { made, algorithms } = await run({ texture: 'curvature', targetTriangles: 6000 });
    expect(algorithms).toHaveProperty('textureCurvature');
    expect(algorithms).toHaveProperty('simplification');
    expect(made.metadata['triangles']).toBeLessThanOrEqual(6000);
    const glb = findFile(made, 'textured-mesh.glb');
    const { positions } = readGlb(glb);
    const texture = readGlbTexture(glb);
    const { samples } = await readPng(texture?.image ?? new Uint8Array());
    const { low, high } = made.metadata.texture;
    expect(low).toBe(-high);
    const meanWhere = (isThere: (radius: number, z: number) => boolean) => {
      let [sum, count] = [0, 0];
      for (let v = 0; v < positions.length / 3; v++) {
        const [x, y, z] = [0, 1, 2].map((k) => positions[3 * v + k] - middle[k]);
        if (!isThere(Math.hypot(x, y), z) || !texture) continue;
        const [u, w] = [0, 1].map((k) => Math.floor(texture.coordinates[2 * v + k] * 256));
        sum += low + (samples[w * 256 + u] / 255) * (high - low);
        count++;
      }
      return sum / count;
    };
    // Mean curvature of a cylinder: half of one over its radius, hollow negative.
    expect(meanWhere((radius, z) => radius > 1.45 && Math.abs(z) < 0.6)).toBeCloseTo(1 / 3, 1);
    expect(meanWhere((radius, z) => radius < 0.85 && Math.abs(z) < 0.6)).toBeCloseTo(-1 / 1.6, 1);
  });

  it('shows ambient occlusion: the bore darker than the outside', async () => {
    const { made } = await run({ texture: 'ambientOcclusion' });
    expect(made.metadata['texture']).toMatchObject({ low: 0, high: 1, shows: 'ambientOcclusion' });
    const glb = findFile(made, 'textured-mesh.glb');
    const { positions } = readGlb(glb);
    const texture = readGlbTexture(glb);
    const { samples } = await readPng(texture?.image ?? new Uint8Array());
    const valuesWhere = (isThere: (radius: number, z: number) => boolean) =>
      Array.from({ length: positions.length / 3 }, (_, v) => v)
        .filter((v) => {
          const [x, y, z] = [0, 1, 2].map((k) => positions[3 * v + k] - middle[k]);
          return isThere(Math.hypot(x, y), z);
        })
        .map((v) => {
          const [u, w] = [0, 1].map((k) => Math.floor((texture?.coordinates[2 * v + k] ?? 0) * 256));
          return samples[w * 256 + u] / 255;
        });
    expect(Math.min(...valuesWhere((radius, z) => radius > 1.45 && Math.abs(z) < 1))).toBeGreaterThan(0.95);
    expect(Math.max(...valuesWhere((radius, z) => radius < 0.85 && Math.abs(z) < 0.3))).toBeLessThan(0.7);
  });

  it('reports progress that never decreases, stage by stage', async () => {
    const seen: number[] = [];
    const stages = new Set<string>();
    await run(
      { targetTriangles: 5000 },
      {
        progress: (fraction, stage) => {
          seen.push(fraction);
          stages.add(stage);
        },
      },
    );
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toBeLessThanOrEqual(1);
    expect([...stages]).toEqual(
      expect.arrayContaining(['Surface', 'Simplifying', 'Unfolding', 'Texture', 'Writing']),
    );
  });

  it('can be stopped in the middle of each stage', async () => {
    for (const wanted of ['Surface', 'Unfolding', 'Texture']) {
      const stop = new AbortController();
      const progress = (_: number, stage: string) => {
        if (stage === wanted) stop.abort(new Error(`stopped at ${wanted}`));
      };
      await expect(run({}, { progress, signal: stop.signal })).rejects.toThrow(`stopped at ${wanted}`);
    }
  });
});
