import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isClosed } from '#kernels/mesh/measure.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { weld, weldClose } from '#kernels/mesh/weld.ts';
import { bytesSource } from '../bytes/byte-source.ts';
import { FormatError } from '../format-error.ts';
import { writeGlb } from '../glb/write-glb.ts';
import { openMesh } from '../open-mesh.ts';
import { writePly } from '../ply/write-ply.ts';
import { writeStl } from '../stl/write-stl.ts';
import { collect, findFile, textFile } from '../testing/collect.ts';
import { write3mf } from '../threemf/write-3mf.ts';
import { writeZip } from '../zip/write-zip.ts';

/** A tetrahedron with corners on the axes; volume 1/6 · a · b · c. */
const tetrahedron = (a = 10.1, b = 20.2, c = 30.3): TriangleMesh => ({
  positions: new Float32Array([0, 0, 0, a, 0, 0, 0, b, 0, 0, 0, c]),
  indices: new Uint32Array([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]),
});

function volumeMm3({ positions: p, indices }: TriangleMesh): number {
  let six = 0;
  for (let t = 0; t < indices.length; t += 3) {
    const [a, b, c] = [indices[t] * 3, indices[t + 1] * 3, indices[t + 2] * 3];
    six +=
      p[a] * (p[b + 1] * p[c + 2] - p[b + 2] * p[c + 1]) -
      p[a + 1] * (p[b] * p[c + 2] - p[b + 2] * p[c]) +
      p[a + 2] * (p[b] * p[c + 1] - p[b + 1] * p[c]);
  }
  return six / 6;
}
const open = (name: string, bytes: Uint8Array | string, unit?: 'mm' | 'inch' | 'm') =>
  openMesh([typeof bytes === 'string' ? textFile(name, bytes) : bytesSource(name, bytes)], { unit });
const expected = (10.1 * 20.2 * 30.3) / 6;

const textStl = `solid part
 facet normal 0 0 1
  outer loop
   vertex 0 0 0
   vertex 1e0 0 0
   vertex 0 1 -0
  endloop
 endfacet
endsolid`;
const textPly = (body: string, faces = 1) =>
  `ply\nformat ascii 1.0\ncomment c\nelement vertex 4\nproperty float x\nproperty double y\nproperty float z\nproperty uchar red\nproperty float thicknessMm\nelement face ${faces}\nproperty list uchar int vertex_indices\nend_header\n${body}`;
const square = '0 0 0 255 1.5\n1 0 0 255 2\n1 1 0 255 nan\n0 1 0 255 3\n4 0 1 2 3';

const file3mf = async (data: Uint8Array) =>
  bytesSource('a.3mf', await collect(writeZip([{ path: '3D/3dmodel.model', data }])));
/** An object of three vertices and one triangle, whose last corner is `corner`. */
const triangle = (corner: string) =>
  `<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/></vertices><triangles><triangle v1="0" v2="1" v3="${corner}"/></triangles></mesh>`;
const triangle3mf = (corner: string) =>
  `<model unit="inch"><resources><object id="1">${triangle(corner)}</object></resources><build><item objectid="1"/></build></model>`;
function encodeUtf16(text: string, encoding: string): Uint8Array {
  const bytes = new Uint8Array(2 * text.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), encoding === 'utf-16le');
  return bytes;
}

describe('Meshes, written and read', () => {
  it('keeps volume and shape through STL, PLY, GLB and 3MF', async () => {
    const mesh = tetrahedron();
    const files = {
      'a.stl': writeStl(mesh),
      'a.ply': writePly(mesh),
      'a.glb': writeGlb(mesh),
      'a.3mf': await collect(write3mf(mesh)),
    };
    for (const [name, bytes] of Object.entries(files)) {
      const read = await open(name, bytes, 'mm');
      expect(read.mesh.positions.length, name).toBe(12);
      expect(volumeMm3(read.mesh), name).toBeCloseTo(expected, 3);
      expect(isClosed(read.mesh.positions.length / 3, read.mesh.indices), name).toBe(true);
    }
  });

  it('keeps scalars and unmeasured vertices through PLY', async () => {
    const mesh = { ...tetrahedron(), scalars: { thicknessMm: new Float32Array([1, Number.NaN, 3, 4.25]) } };
    const read = await open('a.ply', writePly(mesh), 'mm');
    expect(read.mesh.scalars).toEqual(mesh.scalars);
    expect(read.mesh.indices).toEqual(mesh.indices);
  });

  it('writes 3MF numbers that read back exactly', async () => {
    const mesh = tetrahedron(Math.fround(0.1), Math.fround(1e-7), Math.fround(1234.5678));
    expect((await openMesh([await findFile('a.3mf', write3mf(mesh))])).mesh).toEqual(mesh);
  });
});

describe('Meshes of other writers', () => {
  it('asks for the unit of STL, PLY and OBJ, and applies it', async () => {
    for (const name of ['a.stl', 'a.ply'] as const) {
      const bytes = name === 'a.stl' ? writeStl(tetrahedron()) : writePly(tetrahedron());
      await expect(open(name, bytes)).rejects.toMatchObject({ code: 'INPUT_INCOMPLETE', missing: ['unit'] });
      expect(volumeMm3((await open(name, bytes, 'inch')).mesh) / (expected * 25.4 ** 3)).toBeCloseTo(1, 6);
    }
  });

  it('reads text STL and welds it', async () => {
    const { mesh } = await open('a.stl', textStl, 'm');
    expect([...mesh.positions]).toEqual([0, 0, 0, 1000, 0, 0, 0, 1000, 0]);
    expect([...mesh.indices]).toEqual([0, 1, 2]);
  });

  it('reads a binary STL whose header begins with "solid"', async () => {
    const bytes = writeStl(tetrahedron());
    bytes.set(new TextEncoder().encode('solid'), 0);
    expect((await open('a.stl', bytes, 'mm')).mesh.indices.length).toBe(12);
  });

  it('fans polygons, keeps scalars and skips colours in text PLY', async () => {
    const { mesh } = await open('a.ply', textPly(square), 'mm');
    expect([...mesh.indices]).toEqual([0, 1, 2, 0, 2, 3]);
    expect(Object.keys(mesh.scalars ?? {})).toEqual(['thicknessMm']);
    expect([...(mesh.scalars?.thicknessMm ?? [])]).toEqual([1.5, 2, Number.NaN, 3]);
  });

  it('reads big-endian PLY with lists before the faces', async () => {
    const head =
      'ply\r\nformat binary_big_endian 1.0\r\nelement vertex 3\r\nproperty double x\r\nproperty double y\r\nproperty double z\r\nelement face 1\r\nproperty list uchar float quality\r\nproperty list ushort uint vertex_index\r\nend_header\r\n';
    const body = new DataView(new ArrayBuffer(72 + 1 + 8 + 2 + 12));
    [0, 0, 0, 2, 0, 0, 0, 2, 0].forEach((value, i) => {
      body.setFloat64(8 * i, value);
    });
    body.setUint8(72, 2);
    body.setUint16(81, 3);
    [0, 1, 2].forEach((value, i) => {
      body.setUint32(83 + 4 * i, value);
    });
    const { mesh } = await openMesh([textFile('a.ply', head, new Uint8Array(body.buffer))], { unit: 'mm' });
    expect([...mesh.positions]).toEqual([0, 0, 0, 2, 0, 0, 0, 2, 0]);
  });

  it('reads OBJ with polygons, negative numbers, continued lines and texture corners', async () => {
    const { mesh } = await open(
      'a.obj',
      'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 \\\n 3/1 -1/1',
      'mm',
    );
    expect([...mesh.indices]).toEqual([0, 1, 2, 0, 2, 3]);
  });

  it.each(['utf-16le', 'utf-16be'])('reads 3MF whose XML is %s', async (encoding) => {
    const { mesh } = await openMesh([await file3mf(encodeUtf16(`\u{feff}${triangle3mf('2')}`, encoding))], {
      sizeConfirmed: true,
    });
    expect([...mesh.indices]).toEqual([0, 1, 2]);
  });

  it.each(['3', '4294967296', '4294967298', '-1', '0.5'])(
    'refuses a triangle of 3MF with the vertex %s, of three',
    async (corner) => {
      const bytes = new TextEncoder().encode(triangle3mf(corner));
      await expect(openMesh([await file3mf(bytes)])).rejects.toThrow(/refers to vertex|has only 3/);
    },
  );

  it('places components and items of 3MF, with its unit', async () => {
    const object = (id: number, inside: string) => `<object id="${id}">${inside}</object>`;
    const model = (components: string) =>
      `<model unit="inch"><resources>${object(1, triangle('2'))}${object(2, components)}</resources><build><item objectid="2" transform="1 0 0 0 1 0 0 0 1 0 0 2"/></build></model>`;
    const file = (xml: string) => file3mf(new TextEncoder().encode(xml));
    const moved =
      '<components><component objectid="1"/><component objectid="1" transform="-1 0 0 0 1 0 0 0 1 10 0 0"/></components>';
    const { mesh } = await openMesh([await file(model(moved))]);
    expect(mesh.indices.length).toBe(6);
    const corners = new Set(
      Array.from({ length: 6 }, (_, v) =>
        [0, 1, 2].map((k) => (mesh.positions[3 * v + k] / 25.4).toFixed(3)).join(),
      ),
    );
    expect(corners).toEqual(
      new Set([
        '0.000,0.000,2.000',
        '1.000,0.000,2.000',
        '0.000,1.000,2.000',
        '10.000,0.000,2.000',
        '9.000,0.000,2.000',
        '10.000,1.000,2.000',
      ]),
    );
    // The mirrored copy must still face the same way.
    for (const t of [0, 3]) {
      const [a, b, c] = [0, 1, 2].map((k) => mesh.indices[t + k] * 3);
      const p = mesh.positions;
      expect((p[b] - p[a]) * (p[c + 1] - p[a + 1]) - (p[b + 1] - p[a + 1]) * (p[c] - p[a])).toBeGreaterThan(
        0,
      );
    }
    await expect(
      openMesh([await file(model('<components><component objectid="2"/></components>'))]),
    ).rejects.toThrow(/contains itself/);
  });

  it('closes gaps caused by rounding, and reports it', async () => {
    const soup = writeStl(tetrahedron(1, 1, 1));
    const view = new DataView(soup.buffer);
    // The last triangle's first corner is off by the last bit of one coordinate.
    view.setFloat32(84 + 3 * 50 + 12, 1 + 2 ** -23, true);
    const { mesh, warnings } = await open('a.stl', soup, 'mm');
    expect(isClosed(mesh.positions.length / 3, mesh.indices)).toBe(true);
    expect(warnings[0]).toMatch(/4 open edges/);
  });

  it('joins only vertices within the tolerance', () => {
    const gap = {
      positions: new Float32Array([0, 0, 0, 0.9, 0, 0, 2.1, 0, 0]),
      indices: new Uint32Array([0, 1, 2]),
    };
    expect(weldClose(gap, 1).positions.length).toBe(6);
    expect(weldClose(gap, 0.5).positions.length).toBe(9);
    expect(weld({ ...gap, positions: new Float32Array([0, 0, 0, -0, 0, 0, 1, 0, 0]) }).positions.length).toBe(
      6,
    );
  });
});

describe('Meshes that are not read', () => {
  it.each([
    ['a cut binary STL', 'a.stl', writeStl(tetrahedron()).slice(0, 200), /declares 4 triangles/],
    ['a cut text STL', 'a.stl', textStl.slice(0, 90), /cut off after 0 triangles/],
    ['text STL without numbers', 'a.stl', textStl.replace('1e0', 'one'), /"one", which is no number/],
    ['an infinite coordinate', 'a.stl', textStl.replace('1e0', '1e999'), /not a finite number/],
    ['a face beyond the vertices', 'a.ply', textPly(square.replace('4 0 1 2 3', '3 0 1 9')), /vertex 9/],
    [
      'a count beyond the bytes',
      'a.ply',
      textPly(square).replace('vertex 4', 'vertex 4000000000'),
      /need at least/,
    ],
    [
      'a point cloud',
      'a.ply',
      'ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3',
      /point cloud/,
    ],
    ['an OBJ face of two corners', 'a.obj', 'v 0 0 0\nv 1 1 1\nf 1 2', /line 3/],
    ['an OBJ corner that is nowhere', 'a.obj', 'v 0 0 0\nf 1 2 3', /vertex 2/],
  ])('refuses %s', async (_, name, bytes, message) => {
    const error = await open(name, bytes, 'mm').catch((e: unknown) => e);
    expect(error).toBeInstanceOf(FormatError);
    expect((error as FormatError).message).toMatch(message);
  });

  it('throws a FormatError or returns a mesh when any bytes are changed', async () => {
    const files = [
      ['a.stl', writeStl(tetrahedron())],
      ['a.ply', writePly(tetrahedron())],
      ['b.ply', new TextEncoder().encode(textPly(square))],
      ['b.stl', new TextEncoder().encode(textStl)],
      ['a.obj', new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n')],
      ['a.3mf', await collect(write3mf(tetrahedron()))],
    ] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 5 }),
        async ([name, good], edits) => {
          const bytes = good.slice();
          for (const [at, value] of edits) bytes[at % bytes.length] = value;
          try {
            await open(name, bytes, 'mm');
          } catch (error) {
            expect(error).toBeInstanceOf(FormatError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
