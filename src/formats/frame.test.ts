import { Accessor, Document, NodeIO } from '@gltf-transform/core';
import { NRRDLoader } from 'three/addons/loaders/NRRDLoader.js';
import { PLYLoader } from 'three/addons/loaders/PLYLoader.js';
import { STLLoader } from 'three/addons/loaders/STLLoader.js';
import { describe, expect, it } from 'vitest';
import type { Grid, Vector3 } from '#kernels/grid/volume.ts';
import { measureMesh } from '#kernels/mesh/measure.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { seededRandom } from '#kernels/phantoms/random.ts';
import { type ByteSource, bytesSource } from './bytes/byte-source.ts';
import type { ByteStore } from './bytes/byte-store.ts';
import { readGlb } from './glb/read-glb.ts';
import { openVolumeReader } from './ome-zarr/volume-reader.ts';
import { createVolumeWriter } from './ome-zarr/volume-writer.ts';
import { openMesh } from './open-mesh.ts';
import { type OpenedVolume, openVolume } from './open-volume.ts';
import { meshFormats, volumeFormats, type WritableMeshId, type WritableVolumeId } from './registry.ts';
import {
  asMetaImage,
  asNifti,
  asNrrd,
  asRaw,
  asTiff,
  hintsOf,
  layDown,
  layoutName,
  layouts,
  nrrdSpaces,
  size,
  startMm,
  stepMm,
  straight,
  tiffLayouts,
  valueAt,
} from './testing/asymmetric-body.ts';
import { collect, textFile } from './testing/collect.ts';
import { glbOf } from './testing/glb-of.ts';
import { determinant } from './volume/inner-frame.ts';
import { writeZip } from './zip/write-zip.ts';

interface Held {
  grid: Grid;
  values: ArrayLike<number>;
}

async function load({ grid, slabs }: OpenedVolume): Promise<Held> {
  const [, , planes] = grid.dimensions;
  const values: number[] = [];
  // Slab by slab, of uneven height: planes that are reversed must come in their turn.
  for (let z = 0; z < planes; z += 2)
    for (const value of await slabs.readSlab(z, Math.min(planes, z + 2))) values.push(value);
  return { grid, values };
}

/** Every voxel has the value that the body has where it lies. */
function expectBody({ grid, values }: Held, what: string): void {
  const { dimensions, voxelSizeMm, originMm, directions: d } = grid;
  expect(values.length, what).toBe(size[0] * size[1] * size[2]);
  let from = 0;
  for (let c = 0; c < dimensions[2]; c++) {
    for (let b = 0; b < dimensions[1]; b++) {
      for (let a = 0; a < dimensions[0]; a++) {
        const along = [a * voxelSizeMm[0], b * voxelSizeMm[1], c * voxelSizeMm[2]];
        const cell = [0, 1, 2].map((n) => {
          const mm = originMm[n] + d[n] * along[0] + d[3 + n] * along[1] + d[6 + n] * along[2];
          return Math.round((mm - startMm[n]) / stepMm[n]);
        });
        expect(values[from++], `${what}: voxel ${a} ${b} ${c}`).toBe(valueAt(cell[0], cell[1], cell[2]));
      }
    }
  }
}

describe('A body in a volume', () => {
  it.each(layouts.map((layout) => [layoutName(layout), layout] as const))(
    'whose columns, rows and planes run along %s lies the same way in every format',
    async (_, layout) => {
      const opened: Record<string, OpenedVolume> = {
        MetaImage: await openVolume([asMetaImage(layout)]),
        ...Object.fromEntries(
          await Promise.all(
            (Object.keys(nrrdSpaces) as (keyof typeof nrrdSpaces)[]).map(async (space) => [
              `NRRD in "${space}"`,
              await openVolume([asNrrd(layout, space)]),
            ]),
          ),
        ),
        NIfTI: await openVolume([asNifti(layout)]),
        'NIfTI by both': await openVolume([asNifti(layout, 'both')]),
        RAW: await openVolume([asRaw(layout)], hintsOf(layout)),
      };
      const [first, ...others] = await Promise.all(Object.values(opened).map(load));
      expectBody(first, 'MetaImage');
      // Not only where it lies: columns, rows and planes are the same ones too.
      for (const [at, other] of others.entries()) expect(other, Object.keys(opened)[at + 1]).toEqual(first);
      expect(determinant(first.grid.directions)).toBeCloseTo(1, 12);
      if (layout.axes[2] === 2) expect(first.grid).toMatchObject(straightGrid);
    },
  );

  it.each(layouts.map((layout) => [layoutName(layout), layout] as const))(
    'whose columns, rows and planes run along %s lies there too where it is read forwards only, or placed by a quaternion',
    async (_, layout) => {
      const opened = {
        MetaImage: await openVolume([asMetaImage(layout, true)]),
        NRRD: await openVolume([asNrrd(layout, 'RAS', 'gzip')]),
        'NIfTI by its quaternion': await openVolume([asNifti(layout, 'quaternion')]),
        'NIfTI by its quaternion, compressed': await openVolume([asNifti(layout, 'quaternion', true)]),
      };
      for (const [format, each] of Object.entries(opened)) {
        const held = await load(each);
        expectBody(held, format);
        expect(determinant(held.grid.directions), format).toBeCloseTo(1, 6);
      }
    },
  );

  const straightGrid: Partial<Grid> = {
    dimensions: size,
    voxelSizeMm: stepMm,
    originMm: startMm,
    directions: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  };

  it.each(Object.keys(tiffLayouts).map(Number))(
    'in TIFF of orientation %i stands upright',
    async (orientation) => {
      const { grid, values } = await load(await openVolume([asTiff(orientation)], { voxelSizeMm: stepMm }));
      expect(grid).toMatchObject({ dimensions: size, directions: straightGrid.directions });
      expectBody({ grid: { ...grid, originMm: startMm }, values }, `orientation ${orientation}`);
    },
  );

  it('that is turned by any angle stays where it is', async () => {
    const seed = 20_260_301;
    const random = seededRandom(seed);
    for (let round = 0; round < 50; round++) {
      const layout = layouts[Math.floor(random() * layouts.length)];
      const body = layDown(layout);
      const turn = randomRotation(random);
      const turned = (vector: readonly number[]) =>
        [0, 1, 2].map((n) => turn[n] * vector[0] + turn[3 + n] * vector[1] + turn[6 + n] * vector[2]);
      const directions = [0, 3, 6].flatMap((at) => turned(body.directions.slice(at, at + 3)));
      const opened = await openVolume([asRaw(layout)], {
        ...hintsOf(layout),
        originMm: turned(body.origin) as Vector3,
        directions: directions as Grid['directions'],
      });
      const { grid, values } = await load(opened);
      expect(determinant(grid.directions), `seed ${seed}, round ${round}`).toBeCloseTo(1, 9);
      // Turned back, it is the body.
      const back = (vector: readonly number[]) =>
        [0, 3, 6].map((at) => turn[at] * vector[0] + turn[at + 1] * vector[1] + turn[at + 2] * vector[2]);
      const upright = {
        ...grid,
        originMm: back(grid.originMm) as Vector3,
        directions: [0, 3, 6].flatMap((at) => back(grid.directions.slice(at, at + 3))) as Grid['directions'],
      };
      expectBody({ grid: upright, values }, `seed ${seed}, round ${round}`);
    }
  });
});

/** Columns of a rotation by a random quaternion. */
function randomRotation(random: () => number): number[] {
  const q = [0, 1, 2, 3].map(() => random() - 0.5);
  const length = Math.hypot(...q);
  const [w, x, y, z] = q.map((value) => value / length);
  return [
    1 - 2 * (y * y + z * z),
    2 * (x * y + z * w),
    2 * (x * z - y * w),
    2 * (x * y - z * w),
    1 - 2 * (x * x + z * z),
    2 * (y * z + x * w),
    2 * (x * z + y * w),
    2 * (y * z - x * w),
    1 - 2 * (x * x + y * y),
  ];
}

/** Readers that share nothing with ours. */
const otherReaders: Record<WritableVolumeId, (bytes: Uint8Array<ArrayBuffer>, grid: Grid) => Held> = {
  nrrd: (bytes) => {
    // Its types ask for the text of a file; it wants the bytes.
    const { data, header } = new NRRDLoader().parse(bytes.buffer as unknown as string) as unknown as {
      data: Int16Array;
      header: { space: string; sizes: Vector3; vectors: Vector3[]; space_origin: string[] };
    };
    expect(header.space).toBe('left-posterior-superior');
    const lengths = header.vectors.map((vector) => Math.hypot(...vector)) as Vector3;
    return {
      values: data,
      grid: {
        dimensions: header.sizes,
        voxelSizeMm: lengths,
        originMm: header.space_origin.map(Number) as Vector3,
        directions: header.vectors.flatMap((v, at) => v.map((n) => n / lengths[at])) as Grid['directions'],
      },
    };
  },
  tiff: (bytes) => {
    const text = new TextDecoder('latin1').decode(bytes.subarray(0, 2000));
    const line = (name: string) =>
      (new RegExp(`${name}=([^\n]*)`).exec(text)?.[1] ?? '').split(',').map(Number);
    const voxels = size[0] * size[1] * size[2];
    const view = new DataView(bytes.buffer);
    const tagOf = (id: number) => {
      const directory = view.getUint32(4, true);
      for (let i = 0; i < view.getUint16(directory, true); i++) {
        const at = directory + 2 + 12 * i;
        if (view.getUint16(at, true) === id) return view.getUint32(at + 8, true);
      }
      return 0;
    };
    const [columns, rows] = [tagOf(256), tagOf(257)];
    return {
      values: new Int16Array(bytes.slice(-2 * voxels).buffer),
      grid: {
        dimensions: [columns, rows, voxels / columns / rows],
        voxelSizeMm: line('voxelSizeMm') as Vector3,
        originMm: line('originMm') as Vector3,
        directions: line('directions') as Grid['directions'],
      },
    };
  },
  raw: (bytes, grid) => ({ values: new Int16Array(bytes.buffer), grid }),
};

describe('A volume that is written', () => {
  const inputs = layouts.filter((_, at) => at % 5 === 0);
  for (const format of Object.keys(otherReaders) as WritableVolumeId[]) {
    it(`as ${format} lies the same way for other readers, whatever it came from`, async () => {
      for (const layout of inputs) {
        for (const input of [asMetaImage(layout), asNrrd(layout, 'RAS'), asNifti(layout)]) {
          const what = `${input.name} ${layoutName(layout)} as ${format}`;
          const { slabs } = await openVolume([input]);
          const { write } = await volumeFormats[format].writer();
          const bytes = Uint8Array.from(await collect(write(slabs)));
          expectBody(otherReaders[format](bytes, slabs.grid), what);
          if (format === 'raw') continue;
          const again = await openVolume([bytesSource(`again.${format === 'tiff' ? 'tif' : format}`, bytes)]);
          expect(await load(again), what).toEqual(await load({ ...again, grid: slabs.grid, slabs }));
        }
      }
    });
  }

  it('as OME-Zarr lies the same way, and says so', async () => {
    for (const layout of inputs) {
      const { slabs, grid } = await openVolume([asNifti(layout)]);
      const { store, files } = memoryStore();
      const writer = createVolumeWriter(store, 'volume', { ...grid, dataType: 'int16' });
      await writer.append(await slabs.readSlab(0, grid.dimensions[2]));
      await writer.finish();
      const { attributes } = JSON.parse(new TextDecoder().decode(files.get('volume/zarr.json')));
      expect(attributes.scanwright.frame).toBe('LPS');
      // The one brick stands first in its file, the index of the file behind it.
      const stored = Uint8Array.from(files.get('volume/0/c/0/0/0') ?? []);
      const values = new Int16Array(stored.buffer, 0, size[0] * size[1] * size[2]);
      expectBody({ grid: attributes.scanwright, values }, layoutName(layout));
      const reader = await openVolumeReader(store, 'volume');
      expectBody({ grid: reader.meta, values: await reader.readSlab(0, 0, grid.dimensions[2]) }, 'read');
    }
  });

  it('does not name a space where the stored volume is of a version that knew none', async () => {
    const { slabs } = await openVolume([asMetaImage(straight)]);
    const { write } = await volumeFormats.nrrd.writer();
    const head = async (frame: 'LPS' | null) =>
      new TextDecoder('latin1').decode(await collect(write(slabs, { frame }))).slice(0, 120);
    expect(await head('LPS')).toContain('\nspace: left-posterior-superior\n');
    expect(await head(null)).toContain('\nspace dimension: 3\n');
  });
});

function memoryStore(): { store: ByteStore; files: Map<string, Uint8Array> } {
  const files = new Map<string, Uint8Array>();
  const get = (key: string) => {
    const found = files.get(key);
    if (!found) throw new Error(`there is no ${key}`);
    return found;
  };
  const store: ByteStore = {
    read: async (key, range) => Uint8Array.from(get(key).subarray(range?.start ?? 0, range?.end)),
    readInto: async (target, key, start) => target.set(get(key).subarray(start, start + target.byteLength)),
    put: (key, bytes) => store.putPart(key, bytes),
    putPart: async (key, bytes) => {
      const parts: Uint8Array[] = [];
      if (bytes instanceof Uint8Array) parts.push(bytes);
      else for await (const part of bytes) parts.push(part);
      files.set(key, new Uint8Array(Buffer.concat(parts)));
    },
    flush: async () => undefined,
    deleteAll: async () => files.clear(),
  };
  return { store, files };
}

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
async function gltfOf(matrix?: number[]): Promise<Uint8Array> {
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
  GLB: async () => bytesSource('part.glb', await gltfOf()),
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
    const mesh = readGlb(glbOf(json, binary));
    expectTetrahedron(mesh, 'an earlier GLB');
    // The same from anybody else has y up.
    const foreign = { ...json, asset: { version: '2.0', generator: 'another program' } };
    expect([...readGlb(glbOf(foreign, binary)).positions.slice(0, 3)]).toEqual([100, -300, 200]);
  });

  it('that is mirrored by its node is no other body', async () => {
    const mirror = [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    const { positions, indices } = readGlb(await gltfOf(mirror));
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
