/** Every format, cut off at every place: refused, or as whole as before, never another body without a word. */
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type DataType, makeSlabs, type Volume, voxelArray } from '#kernels/grid/volume.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { type ByteSource, bytesSource } from './bytes/byte-source.ts';
import { checkCad } from './cad/check-cad.ts';
import { FormatError } from './format-error.ts';
import { openMesh } from './open-mesh.ts';
import { openVolume } from './open-volume.ts';
import { meshFormats, volumeFormats } from './registry.ts';
import { buildIges } from './testing/build-iges.ts';
import { buildStep } from './testing/build-step.ts';
import { buildTiff, greyPage } from './testing/build-tiff.ts';
import { collect, listValues } from './testing/collect.ts';
import type { ImportHints } from './volume/volume-header.ts';
import { writeZip } from './zip/write-zip.ts';

const text = (content: string) => new TextEncoder().encode(content);
const join = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

const dimensions = [4, 3, 5] as const;
function renderVolume(dataType: DataType): Volume {
  const data = voxelArray(dataType, 60);
  for (let i = 0; i < data.length; i++) data[i] = (i * 37) % 251;
  return {
    dimensions: [...dimensions],
    voxelSizeMm: [0.1, 0.2, 0.3],
    originMm: [1, 2, 3],
    directions: [1, 0, 0, 0, 1, 0, 0, 0, 1],
    dataType,
    data,
  };
}
const volume = renderVolume('uint16');
const raw = new Uint8Array(volume.data.buffer as ArrayBuffer);
const byteVolume = renderVolume('uint8');

const nrrdHead = (encoding: string) =>
  text(
    `NRRD0004\ntype: ushort\ndimension: 3\nsizes: 4 3 5\nspacings: 0.1 0.2 0.3\nendian: little\nencoding: ${encoding}\n\n`,
  );
const mhaHead = (more: string) =>
  text(
    `ObjectType = Image\nNDims = 3\nDimSize = 4 3 5\nElementSpacing = 0.1 0.2 0.3\nDistanceUnits = mm\nElementType = MET_USHORT\n${more}ElementDataFile = LOCAL\n`,
  );
function niftiHead(): Uint8Array {
  const bytes = new Uint8Array(352);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, 348, true);
  for (const [at, value] of [3, ...dimensions].entries()) view.setInt16(40 + 2 * at, value, true);
  view.setInt16(70, 512, true);
  for (const [at, value] of [1, 0.1, 0.2, 0.3].entries()) view.setFloat32(76 + 4 * at, value, true);
  view.setFloat32(108, 352, true);
  bytes[123] = 2;
  bytes.set(text('n+1'), 344);
  return bytes;
}
const tiff = (packed: 'none' | 'deflate') =>
  buildTiff(
    Array.from({ length: 5 }, (_, z) => {
      const plane = (byteVolume.data as Uint8Array).slice(12 * z, 12 * z + 12);
      const entries = greyPage(4, 3, 8, packed === 'none' ? [] : [{ id: 259, type: 3, values: [8] }]);
      return { entries, chunks: [packed === 'none' ? plane : new Uint8Array(deflateSync(plane))] };
    }),
  );
const hints: ImportHints = { voxelSizeMm: [0.1, 0.2, 0.3] };
const rawHints: ImportHints = { ...hints, dimensions: [...dimensions], dataType: 'uint16' };
const writtenBy = async (id: 'nrrd' | 'tiff') => {
  const { write } = await volumeFormats[id].writer();
  return collect(write(makeSlabs(volume)));
};

const volumes: [name: string, bytes: () => Uint8Array | Promise<Uint8Array>, hints: ImportHints][] = [
  ['a.nrrd', () => writtenBy('nrrd'), {}],
  ['gzip.nrrd', () => join(nrrdHead('gzip'), new Uint8Array(gzipSync(raw))), {}],
  ['text.nrrd', () => join(nrrdHead('ascii'), text(`${[...volume.data].join(' ')}\n`)), {}],
  ['a.mha', () => join(mhaHead(''), raw), {}],
  [
    'zlib.mha',
    () => {
      const packed = new Uint8Array(deflateSync(raw));
      return join(mhaHead(`CompressedData = True\nCompressedDataSize = ${packed.length}\n`), packed);
    },
    {},
  ],
  ['a.nii', () => join(niftiHead(), raw), {}],
  ['a.nii.gz', () => new Uint8Array(gzipSync(join(niftiHead(), raw))), {}],
  ['a.raw', () => raw, rawHints],
  ['a.raw.gz', () => new Uint8Array(gzipSync(raw)), rawHints],
  ['a.tif', () => writtenBy('tiff'), {}],
  ['others.tif', () => tiff('none'), hints],
  ['deflate.tif', () => tiff('deflate'), hints],
  [
    'stack.zip',
    () =>
      collect(
        writeZip(
          Array.from({ length: 5 }, (_, z) => ({
            path: `slice${z}.tif`,
            data: buildTiff([
              {
                entries: greyPage(4, 3, 8),
                chunks: [(byteVolume.data as Uint8Array).slice(12 * z, 12 * z + 12)],
              },
            ]),
            compress: true,
          })),
        ),
      ),
    hints,
  ],
];

/** A cube of 12 triangles: closed, so that any part of it is open. */
const cube: TriangleMesh = {
  positions: Float32Array.from(
    Array.from({ length: 24 }, (_, i) => ((Math.floor(i / 3) >> (i % 3)) & 1) * [11, 13, 17][i % 3]),
  ),
  indices: Uint32Array.from([
    0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7,
    5,
  ]),
};
const corner = (v: number) => [...cube.positions.subarray(3 * v, 3 * v + 3)].join(' ');
const faces = Array.from({ length: 12 }, (_, t) => [...cube.indices.subarray(3 * t, 3 * t + 3)]);
const textMeshes = {
  'text.stl': `solid cube\n${faces
    .map(
      (face) =>
        `facet normal 0 0 0\nouter loop\n${face.map((v) => `vertex ${corner(v)}`).join('\n')}\nendloop\nendfacet`,
    )
    .join('\n')}\nendsolid cube\n`,
  'text.ply': `ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\nelement face 12\nproperty list uchar int vertex_indices\nend_header\n${Array.from({ length: 8 }, (_, v) => corner(v)).join('\n')}\n${faces.map((face) => `3 ${face.join(' ')}`).join('\n')}\n`,
  'a.obj': `${Array.from({ length: 8 }, (_, v) => `v ${corner(v)}`).join('\n')}\n${faces
    .map((face) => `f ${face.map((v) => v + 1).join(' ')}`)
    .join('\n')}\n`,
};
const meshes: [name: string, bytes: () => Uint8Array | Promise<Uint8Array>][] = [
  ...Object.entries(textMeshes).map(([name, content]): [string, () => Uint8Array] => [
    name,
    () => text(content),
  ]),
  ...(['stl', 'ply', 'glb', '3mf'] as const).map((id): [string, () => Promise<Uint8Array>] => [
    `a.${id}`,
    async () => collect((await meshFormats[id].writer())(cube, 'cube')),
  ]),
];

/** Every place in small files, some hundred spread over larger ones, all of the last ones. */
const cuts = (length: number) =>
  Array.from({ length }, (_, at) => at).filter(
    (at) => length < 700 || at % Math.ceil(length / 300) === 0 || length - at < 60,
  );

/** What comes of a cut file: the reason of its refusal, or what was read. */
async function attempt<Read>(read: () => Promise<Read>): Promise<Read | 'refused'> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    expect(error.message.length).toBeGreaterThan(12);
    return 'refused';
  }
}

describe('A file that is cut off', () => {
  it.each(volumes)('is refused as %s', async (name, make, given) => {
    const whole = await make();
    const read = async (source: ByteSource) => {
      const { slabs, warnings } = await openVolume([source], given);
      const values = await listValues(slabs);
      return warnings.some((warning) => /last value is whole/.test(warning)) ? 'questioned' : values;
    };
    const expected = await read(bytesSource(name, whole));
    let refused = 0;
    for (const at of cuts(whole.length)) {
      const found = await attempt(() => read(bytesSource(name, whole.slice(0, at))));
      if (found === 'refused') refused++;
      else if (found === 'questioned') expect(name).toBe('text.nrrd');
      // What is missing may be what comes behind the grey values: a sum, a line end.
      else expect(found, `cut at ${at} of ${whole.length}`).toEqual(expected);
    }
    expect(refused / cuts(whole.length).length).toBeGreaterThan(0.8);
  });

  it.each(meshes)('is refused as %s, or has no volume and says why', async (name, make) => {
    const whole = await make();
    const open = (bytes: Uint8Array) => openMesh([bytesSource(name, bytes)], { unit: 'mm' });
    const expected = await open(whole);
    expect(expected.warnings).toEqual([]);
    let refused = 0;
    for (const at of cuts(whole.length)) {
      const found = await attempt(() => open(whole.slice(0, at)));
      if (found === 'refused') refused++;
      else if (found.mesh.indices.length !== expected.mesh.indices.length)
        expect(found.warnings.join(), `cut at ${at}`).toMatch(/has no volume|no area/);
      else expect(found.mesh, `cut at ${at}`).toEqual(expected.mesh);
    }
    // OBJ has no end and says nothing of its length.
    const nameOfSolid = name === 'text.stl' ? ' cube'.length : 0;
    if (name !== 'a.obj') expect(refused).toBeGreaterThanOrEqual(cuts(whole.length).length - 2 - nameOfSolid);
  });

  it('is refused as text STL for a missing "endsolid" alone', async () => {
    const stl = textMeshes['text.stl'].replace(/endsolid.*\n$/, '');
    const error = await openMesh([bytesSource('a.stl', text(stl))], { unit: 'mm' }).catch((e) => e.message);
    expect(error).toBe(
      'a.stl: the STL file is cut off after 12 triangles: it does not end with "endsolid". Export it again.',
    );
  });

  it.each([
    ['step', buildStep({ size: [4, 3, 2], holeRadius: 0.5 })],
    ['iges', buildIges({ radius: 5, height: 8, plate: [4, 3] })],
  ] as const)('is refused as %s', (format, whole) => {
    checkCad(format, text(whole), 'part');
    for (const share of [0.2, 0.5, 0.9, 0.99]) {
      const cut = text(whole.slice(0, share * whole.length - 20));
      expect(() => checkCad(format, cut, 'part'), String(share)).toThrow(/part is cut off/);
    }
  });
});
