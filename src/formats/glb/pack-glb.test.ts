import fc from 'fast-check';
import { MeshoptDecoder } from 'meshoptimizer';
import { type Mesh, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { describe, expect, it } from 'vitest';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { bytesSource } from '../bytes/byte-source.ts';
import { FormatError } from '../format-error.ts';
import { meshFormats } from '../registry.ts';
import { packGlb } from './pack-glb.ts';
import { readGlb } from './read-glb.ts';
import { unpackGlb } from './unpack-glb.ts';
import { assembleGlb, missingScalar, writeGlb } from './write-glb.ts';

/** A wavy sheet with some missing scalars, and one vertex that no triangle uses. */
function wavySheet(edge = 60): TriangleMesh {
  const positions: number[] = [];
  const indices: number[] = [];
  for (let i = 0; i < edge; i++)
    for (let j = 0; j < edge; j++) {
      positions.push(i * 0.1, j * 0.1 + 1 / 3, Math.sin(i * 0.4) * Math.cos(j * 0.3));
      const corner = i * edge + j;
      if (i < edge - 1 && j < edge - 1)
        indices.push(corner, corner + edge, corner + 1, corner + 1, corner + edge, corner + edge + 1);
    }
  positions.push(99, 99, 99);
  const vertices = positions.length / 3;
  return {
    positions: Float32Array.from(positions),
    indices: Uint32Array.from(indices),
    normals: new Float32Array(3 * vertices).fill(1),
    scalars: {
      thicknessMm: Float32Array.from({ length: vertices }, (_, v) =>
        v % 17 === 0 ? Number.NaN : Math.sqrt(v),
      ),
    },
  };
}

/** Each triangle as its vertex numbers, rotated so that the lowest comes first; sorted. */
function listTriangles({ positions, indices, scalars }: TriangleMesh): string[] {
  const corner = (v: number) =>
    [...positions.subarray(3 * v, 3 * v + 3), ...Object.values(scalars ?? {}).map((each) => each[v])].join();
  return Array.from({ length: indices.length / 3 }, (_, t) => {
    const corners = [...indices.subarray(3 * t, 3 * t + 3)].map(corner);
    const first = corners.indexOf([...corners].sort()[0] ?? '');
    return [0, 1, 2].map((k) => corners[(first + k) % 3]).join(' ');
  }).sort();
}

describe('a packed GLB', () => {
  it('restores every triangle bit for bit, with its values, in at most a third of the plain size', async () => {
    const mesh = wavySheet();
    const packed = await packGlb(mesh, 'sheet');
    expect(packed.length).toBeLessThan(writeGlb(mesh).length / 3);
    const read = readGlb(await unpackGlb(packed));
    expect(read.positions.length / 3).toBe(60 * 60);
    expect(Object.keys(read.scalars ?? {})).toEqual(['thicknessMm']);
    expect(listTriangles(read)).toEqual(listTriangles(mesh));
  });

  it('can be imported as a file', async () => {
    const mesh = wavySheet(12);
    const read = await meshFormats.glb.open(bytesSource('sheet.glb', await packGlb(mesh, 'sheet')));
    expect(listTriangles(read)).toEqual(listTriangles(mesh));
  });

  it('is refused before memory is allocated that it cannot fill', async () => {
    const view = { buffer: 0, byteOffset: 0, byteLength: 16, count: 5e8, byteStride: 4, mode: 'ATTRIBUTES' };
    const json = {
      asset: { version: '2.0' },
      extensionsUsed: ['EXT_meshopt_compression'],
      buffers: [{ byteLength: 16 }],
      bufferViews: [{ buffer: 0, byteLength: 2e9, extensions: { EXT_meshopt_compression: view } }],
    };
    const bomb = assembleGlb(json, [new Uint8Array(16)], 16);
    await expect(unpackGlb(bomb)).rejects.toThrow(/unpacks to more than 256 times its size/);
  });

  it('is read by an independent reader', async () => {
    const mesh = wavySheet(12);
    const packed = await packGlb(mesh, 'sheet');
    const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder);
    const { scene } = await loader.parseAsync(packed.slice().buffer, '');
    const { geometry } = scene.children[0] as Mesh;
    expect(geometry.index?.count).toBe(mesh.indices.length);
    const [position, values] = [geometry.getAttribute('position'), geometry.getAttribute('_thicknessmm')];
    const places = new Map(
      Array.from({ length: position.count }, (_, v) => [
        new Vector3().fromBufferAttribute(position, v).toArray().join(),
        values.getX(v),
      ]),
    );
    for (let v = 0; v < 12 * 12; v++) {
      const place = [...mesh.positions.subarray(3 * v, 3 * v + 3)].join();
      const value = mesh.scalars?.['thicknessMm']?.[v] ?? 0;
      expect(places.get(place)).toBe(Number.isNaN(value) ? missingScalar : value);
    }
  });

  it('may hold no triangles', async () => {
    const empty = { positions: new Float32Array(0), indices: new Uint32Array(0) };
    expect(readGlb(await unpackGlb(await packGlb(empty, 'none')))).toEqual(empty);
  });

  it('is unchanged where nothing is packed', async () => {
    const plain = writeGlb(wavySheet(8));
    expect(await unpackGlb(plain)).toBe(plain);
  });

  it('throws a FormatError or returns a mesh when any single byte is changed', async () => {
    const good = await packGlb(wavySheet(8), 'sheet');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        async (edits) => {
          const bytes = good.slice();
          for (const [at, value] of edits) bytes[at] = value;
          try {
            readGlb(await unpackGlb(bytes));
          } catch (error) {
            expect(error).toBeInstanceOf(FormatError);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
