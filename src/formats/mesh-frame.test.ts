import { Accessor, Document, NodeIO } from '@gltf-transform/core';
import { PLYLoader } from 'three/addons/loaders/PLYLoader.js';
import { STLLoader } from 'three/addons/loaders/STLLoader.js';
import { describe, expect, it } from 'vitest';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { measureMesh } from '#kernels/mesh/measure.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { seededRandom } from '#kernels/random.ts';
import { type ByteSource, bytesSource } from './bytes/byte-source.ts';
import { readGlb } from './glb/read-glb.ts';
import { openMesh } from './open-mesh.ts';
import { meshFormats, type WritableMeshId } from './registry.ts';
import { collect, textFile } from './testing/collect.ts';
import { makeGlb } from './testing/glb-of.ts';
import { writeZip } from './zip/write-zip.ts';

/** A tetrahedron whose edges all differ, far from the origin. */
const corners: Vector3[] = [
  [100, 200, 300],
  [130, 200, 300],
  [100, 220, 300],
  [100, 200, 310],
];
const triangles = [
  [0, 2, 1],
  [0, 1, 3],
  [1, 2, 3],
  [0, 3, 2],
];
const bodyMm3 = (30 * 20 * 10) / 6;
const tetrahedron: TriangleMesh = {
  positions: Float32Array.from(corners.flat()),
  indices: Uint32Array.from(triangles.flat()),
};

const text = (content: string) => new TextEncoder().encode(content);
const stlText = (place: (corner: Vector3) => Vector3 = (corner) => corner, name = 'part') =>
  `solid ${name}\n${triangles
    .map(
      (t) =>
        `facet normal 0 0 0\nouter loop\n${t.map((v) => `vertex ${place(corners[v]).join(' ')}`).join('\n')}\nendloop\nendfacet`,
    )
    .join('\n')}\nendsolid ${name}\n`;
const plyText = (comment = '', place: (corner: Vector3) => Vector3 = (corner) => corner) =>
  `ply\nformat ascii 1.0\n${comment}element vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n${corners
    .map((corner) => place(corner).join(' '))
    .join('\n')}\n${triangles.map((t) => `3 ${t.join(' ')}`).join('\n')}\n`;
const inRas = ([x, y, z]: Vector3): Vector3 => [-x, -y, z];

/** As a writer that follows glTF makes it: metres, y up. */
async function makeGltf(matrix?: number[]): Promise<Uint8Array> {
  const document = new Document();
  const buffer = document.createBuffer();
  const upright = corners.flatMap(([x, y, z]) => [x / 1000, z / 1000, -y / 1000]);
  const accessor = (array: Float32Array<ArrayBuffer> | Uint16Array<ArrayBuffer>, type: 'VEC3' | 'SCALAR') =>
    document.createAccessor().setType(Accessor.Type[type]).setArray(array).setBuffer(buffer);
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', accessor(Float32Array.from(upright), 'VEC3'))
    .setIndices(accessor(Uint16Array.from(triangles.flat()), 'SCALAR'));
  const node = document.createNode().setMesh(document.createMesh().addPrimitive(primitive));
  if (matrix) node.setMatrix(matrix as Parameters<typeof node.setMatrix>[0]);
  document.createScene().addChild(node);
  return new NodeIO().writeBinary(document);
}

const threemf = (unit: string, scale: number) =>
  `<model unit="${unit}"><resources><object id="1"><mesh><vertices>${corners
    .map(([x, y, z]) => `<vertex x="${x * scale}" y="${y * scale}" z="${z * scale}"/>`)
    .join('')}</vertices><triangles>${triangles
    .map(([a, b, c]) => `<triangle v1="${a}" v2="${b}" v3="${c}"/>`)
    .join('')}</triangles></mesh></object></resources><build><item objectid="1"/></build></model>`;

const meshInputs: Record<string, () => Promise<ByteSource>> = {
  'text STL': async () => textFile('part.stl', stlText()),
  'text STL in RAS, as 3D Slicer writes it': async () =>
    textFile('part.stl', stlText(inRas, '3D Slicer output. SPACE=RAS')),
  'binary STL': async () =>
    bytesSource('part.stl', await collect((await meshFormats.stl.writer())(tetrahedron))),
  PLY: async () => textFile('part.ply', plyText()),
  'PLY in RAS': async () => textFile('part.ply', plyText('comment SPACE=RAS\n', inRas)),
  OBJ: async () =>
    textFile(
      'part.obj',
      `${corners.map((corner) => `v ${corner.join(' ')}`).join('\n')}\n${triangles
        .map((t) => `f ${t.map((v) => v + 1).join(' ')}`)
        .join('\n')}\n`,
    ),
  '3MF': async () =>
    bytesSource(
      'part.3mf',
      await collect(writeZip([{ path: '3D/3dmodel.model', data: text(threemf('centimeter', 0.1)) }])),
    ),
  GLB: async () => bytesSource('part.glb', await makeGltf()),
};

function expectTetrahedron(mesh: { positions: ArrayLike<number>; indices: ArrayLike<number> }, what: string) {
  const found = new Set<string>();
  const places = Float32Array.from({ length: 3 * mesh.indices.length }, (_, i) => {
    return mesh.positions[3 * mesh.indices[Math.floor(i / 3)] + (i % 3)];
  });
  for (let i = 0; i < places.length; i += 3)
    found.add([0, 1, 2].map((k) => Math.round(places[i + k] * 1000) / 1000).join(' '));
  expect([...found].sort(), what).toEqual(corners.map((corner) => corner.join(' ')).sort());
  let volume6 = 0;
  for (let i = 0; i < places.length; i += 9) {
    const [a, b, c] = [0, 3, 6].map((k) => [0, 1, 2].map((n) => places[i + k + n] - corners[0][n]));
    volume6 +=
      a[0] * (b[1] * c[2] - b[2] * c[1]) -
      a[1] * (b[0] * c[2] - b[2] * c[0]) +
      a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  expect(volume6 / 6, what).toBeCloseTo(bodyMm3, 1);
}

const inOrder = (positions: ArrayLike<number>) => Array.from({ length: positions.length / 3 }, (_, i) => i);
const otherMeshReaders: Record<
  Exclude<WritableMeshId, '3mf'>,
  (bytes: Uint8Array<ArrayBuffer>) => Promise<{ positions: ArrayLike<number>; indices: ArrayLike<number> }>
> = {
  stl: async (bytes) => {
    const { array } = new STLLoader().parse(bytes.buffer).getAttribute('position');
    return { positions: array, indices: inOrder(array) };
  },
  ply: async (bytes) => {
    const geometry = new PLYLoader().parse(bytes.buffer);
    return { positions: geometry.getAttribute('position').array, indices: geometry.index?.array ?? [] };
  },
  // A reader that follows the standard has y up and metres: stood up as in a program with z up, in mm.
  glb: async (bytes) => {
    const document = await new NodeIO().readBinary(bytes);
    const [node] = document.getRoot().listNodes();
    const m = node.getWorldMatrix();
    const [primitive] = node.getMesh()?.listPrimitives() ?? [];
    const stored = primitive.getAttribute('POSITION')?.getArray() ?? [];
    const positions: number[] = [];
    for (let i = 0; i < stored.length; i += 3) {
      const [x, y, z] = [0, 1, 2].map(
        (n) => m[n] * stored[i] + m[4 + n] * stored[i + 1] + m[8 + n] * stored[i + 2] + m[12 + n],
      );
      positions.push(1000 * x, -1000 * z, 1000 * y);
    }
    return { positions, indices: primitive.getIndices()?.getArray() ?? [] };
  },
};

describe('A body in a mesh', () => {
  it.each(Object.entries(meshInputs))('lies the same way from %s into every format', async (name, input) => {
    const { mesh, warnings } = await openMesh([await input()], { unit: 'mm' });
    expect(warnings).toEqual([]);
    expectTetrahedron(mesh, name);
    for (const [format, read] of Object.entries(otherMeshReaders)) {
      const write = await meshFormats[format as WritableMeshId].writer();
      const bytes = Uint8Array.from(await collect(write(mesh, 'part')));
      expectTetrahedron(await read(bytes), `${name} as ${format}`);
      const again = await openMesh([bytesSource(`again.${format}`, bytes)], { unit: 'mm' });
      expectTetrahedron(again.mesh, `${name} as ${format}, read again`);
    }
    const write = await meshFormats['3mf'].writer();
    const bytes = await collect(write(mesh, 'part'));
    expectTetrahedron((await openMesh([bytesSource('again.3mf', bytes)])).mesh, `${name} as 3MF`);
  });

  it('stays exact through GLB, to the last digit', async () => {
    const write = await meshFormats.glb.writer();
    const random = seededRandom(7);
    const positions = Float32Array.from({ length: 12 }, () => (random() - 0.5) * 1000);
    const mesh = { ...tetrahedron, positions };
    expect(readGlb(await collect(write(mesh, 'part')))).toEqual(mesh);
  });

  it('that an earlier version stored as GLB stays where it was', () => {
    const { json, binary } = earlierGlb();
    const mesh = readGlb(makeGlb(json, binary));
    expectTetrahedron(mesh, 'an earlier GLB');
    // The same from anybody else has y up.
    const foreign = { ...json, asset: { version: '2.0', generator: 'another program' } };
    expect([...readGlb(makeGlb(foreign, binary)).positions.slice(0, 3)]).toEqual([100, -300, 200]);
  });

  it('that is mirrored by its node is no other body', async () => {
    const mirror = [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    const { positions, indices } = readGlb(await makeGltf(mirror));
    expect(measureMesh(positions, indices).volumeMm3).toBeCloseTo(bodyMm3, 1);
    expect(Math.max(...positions)).toBeCloseTo(310, 3);
    expect(Math.min(...positions)).toBeCloseTo(-130, 3);
  });
});

/** What the writer of version 0.1 made: z up, scaled by the node. */
function earlierGlb() {
  const indices = Uint32Array.from(tetrahedron.indices);
  const binary = new Uint8Array(48 + 48);
  binary.set(new Uint8Array(tetrahedron.positions.buffer), 0);
  binary.set(new Uint8Array(indices.buffer), 48);
  const json = {
    asset: { version: '2.0', generator: 'Scanwright' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ name: 'part', scale: [0.001, 0.001, 0.001], mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1, mode: 4 }] }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 4, type: 'VEC3' },
      { bufferView: 1, componentType: 5125, count: 12, type: 'SCALAR' },
    ],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: 48 },
      { buffer: 0, byteOffset: 48, byteLength: 48 },
    ],
    buffers: [{ byteLength: 96 }],
  };
  return { json, binary };
}
