import { NodeIO } from '@gltf-transform/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { FormatError } from '../format-error.ts';
import { readGlb } from './read-glb.ts';
import { missingScalar, writeGlb } from './write-glb.ts';

const tetrahedron = (): TriangleMesh => ({
  positions: new Float32Array([0, 0, 0, 10.1, 0, 0, 0, 20.2, 0, 0, 0, 30.3]),
  indices: new Uint32Array([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]),
  normals: new Float32Array([-1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]),
  scalars: { thicknessMm: new Float32Array([1.5, Number.NaN, 2.25, 0]) },
});

/** A GLB around any JSON, for files that our writer would not write. */
function makeGlb(json: object, binary: Uint8Array): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const padded = Math.ceil(text.length / 4) * 4;
  const bytes = new Uint8Array(20 + padded + 8 + binary.length).fill(0x20);
  const view = new DataView(bytes.buffer);
  for (const [at, value] of [
    [0, 0x46546c67],
    [4, 2],
    [8, bytes.length],
    [12, padded],
    [16, 0x4e4f534a],
    [20 + padded, binary.length],
    [24 + padded, 0x004e4942],
  ]) {
    view.setUint32(at, value, true);
  }
  bytes.set(text, 20);
  bytes.set(binary, 28 + padded);
  return bytes;
}

const oneTriangle = (node: object) => ({
  asset: { version: '2.0' },
  nodes: [node],
  meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
  accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' }],
  bufferViews: [{ buffer: 0, byteLength: 36 }],
  buffers: [{ byteLength: 36 }],
});
const triangleBytes = (values = [0, 0, 0, 1, 0, 0, 0, 1, 0]) =>
  new Uint8Array(new Float32Array(values).buffer);

describe('GLB', () => {
  it('restores a mesh bit for bit, with normals, scalars and unmeasured vertices', () => {
    const mesh = tetrahedron();
    expect(readGlb(writeGlb(mesh))).toEqual(mesh);
  });

  it('is read by an independent reader, in metres, with the scalar under its underscored name', async () => {
    const document = await new NodeIO().readBinary(
      writeGlb(tetrahedron(), { color: [1, 0, 0], name: 'bracket' }),
    );
    const node = document.getRoot().listNodes()[0];
    const primitive = node.getMesh()?.listPrimitives()[0];
    expect(node.getScale()).toEqual([0.001, 0.001, 0.001]);
    expect(node.getName()).toBe('bracket');
    expect(primitive?.getMaterial()?.getBaseColorFactor()).toEqual([1, 0, 0, 1]);
    expect(primitive?.getAttribute('_thicknessMm')?.getArray()).toEqual(
      new Float32Array([1.5, missingScalar, 2.25, 0]),
    );
    expect(primitive?.getAttribute('POSITION')?.getMax([])).toEqual([10.1, 20.2, 30.3].map(Math.fround));
    expect(primitive?.getIndices()?.getCount()).toBe(12);
  });

  it('carries a texture that an independent reader finds', async () => {
    const image = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
    const document = await new NodeIO().readBinary(
      writeGlb(tetrahedron(), {
        texture: { coordinates: new Float32Array(8), image, mediaType: 'image/png' },
      }),
    );
    expect(document.getRoot().listTextures()[0].getImage()).toEqual(image);
    const primitive = document.getRoot().listMeshes()[0].listPrimitives()[0];
    expect(primitive.getAttribute('TEXCOORD_0')?.getCount()).toBe(4);
  });

  it('writes and reads a mesh without triangles', () => {
    const empty = { positions: new Float32Array(0), indices: new Uint32Array(0) };
    expect(readGlb(writeGlb(empty))).toEqual(empty);
  });

  it('applies the transforms of nested nodes and converts metres with y up to millimetres with z up', () => {
    const half = Math.SQRT1_2; // 90° about z
    const json = oneTriangle({ children: [1], translation: [1, 0, 0] });
    json.nodes.push({ mesh: 0, rotation: [0, 0, half, half], scale: [2, 2, 2] });
    const mesh = readGlb(makeGlb({ ...json, scenes: [{ nodes: [0] }] }, triangleBytes()));
    const expected = [1000, 0, 0, 1000, 0, 2000, -1000, 0, 0];
    for (const [i, value] of expected.entries()) expect(mesh.positions[i]).toBeCloseTo(value, 3);
    expect([...mesh.indices]).toEqual([0, 1, 2]);
  });

  it('reverses the triangles of a mirrored node so that they still face outwards', () => {
    const mesh = readGlb(makeGlb(oneTriangle({ mesh: 0, scale: [-1, 1, 1] }), triangleBytes()));
    expect([...mesh.indices]).toEqual([0, 2, 1]);
  });

  it.each([
    [
      'a coordinate that is infinite',
      oneTriangle({ mesh: 0 }),
      triangleBytes([0, 0, 0, Infinity, 0, 0, 0, 1, 0]),
    ],
    ['an accessor beyond the buffer', oneTriangle({ mesh: 0 }), new Uint8Array(8)],
    ['a node that is its own child', oneTriangle({ mesh: 0, children: [0] }), triangleBytes()],
    [
      'a count of four thousand million',
      {
        ...oneTriangle({ mesh: 0 }),
        accessors: [{ bufferView: 0, componentType: 5126, count: 4e9, type: 'VEC3' }],
      },
      triangleBytes(),
    ],
  ])('refuses %s', (_, json, binary) => {
    expect(() => readGlb(makeGlb(json, binary))).toThrow(FormatError);
  });

  it.each([
    [
      { componentType: undefined },
      'accessor 0 has no component type, but 5120 to 5123, 5125 or 5126 is needed',
    ],
    [{ componentType: { a: 1 } }, 'accessor 0 has the component type {"a":1}, but 5120 to 5123'],
    [{ type: undefined }, 'accessor 0 has no type, but VEC3 is needed'],
    [{ type: 'VEC2' }, 'accessor 0 has the type "VEC2", but VEC3 is needed'],
    [{ bufferView: {} }, 'buffer view {} is referred to but does not exist'],
    [{ byteOffset: 'x' }, 'accessor 0 has no valid offset or stride'],
  ])('says what an accessor has instead of what is needed: %j', (part, message) => {
    const json = oneTriangle({ mesh: 0 });
    const accessors = [{ ...json.accessors[0], ...part }];
    expect(() => readGlb(makeGlb({ ...json, accessors }, triangleBytes()))).toThrow(`GLB: ${message}`);
  });

  it('names the extension when a file needs Draco', () => {
    const json = { ...oneTriangle({ mesh: 0 }), extensionsRequired: ['KHR_draco_mesh_compression'] };
    expect(() => readGlb(makeGlb(json, triangleBytes()))).toThrow(/KHR_draco_mesh_compression/);
  });

  it('throws a FormatError or returns a mesh when any single byte is changed', () => {
    const good = writeGlb(tetrahedron());
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        (edits) => {
          const bytes = good.slice();
          for (const [at, value] of edits) bytes[at] = value;
          try {
            readGlb(bytes);
          } catch (error) {
            expect(error).toBeInstanceOf(FormatError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
