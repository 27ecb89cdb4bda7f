/** What scanners and programs write that few files have: read as it is meant. */
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bytesSource } from './bytes/byte-source.ts';
import { openMesh } from './open-mesh.ts';
import { openVolume } from './open-volume.ts';
import { buildTiff, greyPage, short } from './testing/build-tiff.ts';
import { collect, listValues } from './testing/collect.ts';
import { makeGlb } from './testing/glb-of.ts';
import { writeZip } from './zip/write-zip.ts';

const text = (content: string) => new TextEncoder().encode(content);
const latin1 = (content: string) => new Uint8Array(Buffer.from(content, 'latin1'));
const makeZip = async (files: Record<string, Uint8Array>) =>
  bytesSource(
    'scan.zip',
    await collect(writeZip(Object.entries(files).map(([path, data]) => ({ path, data, compress: false })))),
  );

describe('A data file with an accent in its name', () => {
  const values = Uint8Array.of(1, 2, 3, 4, 5, 6);
  const mhd =
    'ObjectType = Image\nNDims = 3\nDimSize = 3 2 1\nElementSpacing = 1 1 1\nDistanceUnits = mm\nElementType = MET_UCHAR\nElementDataFile = Prüfteil.raw\n';
  const nhdr =
    'NRRD0004\ntype: uchar\ndimension: 3\nsizes: 3 2 1\nspacings: 1 1 1\nspace units: "mm" "mm" "mm"\nencoding: raw\ndata file: Prüfteil.raw\n';

  it.each([
    ['MetaImage in UTF-8', 'a.mhd', text(mhd), 'Prüfteil.raw'],
    ['MetaImage in Latin-1', 'a.mhd', latin1(mhd), 'Prüfteil.raw'],
    ['MetaImage packed on macOS', 'a.mhd', text(mhd), 'Prüfteil.raw'.normalize('NFD')],
    ['NRRD in UTF-8', 'a.nhdr', text(nhdr), 'Prüfteil.raw'],
    ['NRRD in Latin-1', 'a.nhdr', latin1(nhdr), 'Prüfteil.raw'],
  ])('is found: %s', async (_, name, header, data) => {
    const { slabs } = await openVolume([await makeZip({ [name]: header, [data]: values })], {
      sizeConfirmed: true,
    });
    expect(await listValues(slabs)).toEqual([...values]);
  });

  it('is found where Windows Explorer packed it, in code page 437', async () => {
    const archive = await makeZip({ 'a.mhd': text(mhd), 'Pr?fteil.raw': values });
    const bytes = Buffer.from(await archive.read(0, archive.size));
    for (let at = bytes.indexOf('Pr?'); at >= 0; at = bytes.indexOf('Pr?')) bytes[at + 2] = 0x81;
    const { slabs } = await openVolume([bytesSource('scan.zip', bytes)], { sizeConfirmed: true });
    expect(await listValues(slabs)).toEqual([...values]);
  });
});

describe('Floating-point TIFF with the integer predictor', () => {
  const values = [1, 2, 3, 4, 5, 6];
  const difference = <Numbers extends Uint16Array | Uint32Array>(patterns: Numbers): Uint8Array => {
    const out = patterns.slice();
    for (const [i, pattern] of patterns.entries())
      if (i % 3 > 0) out[i] = pattern - (patterns[i - 1] as number);
    return new Uint8Array(out.buffer as ArrayBuffer);
  };
  it.each([
    [16, difference(Uint16Array.of(0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600))],
    [32, difference(new Uint32Array(Float32Array.from(values).buffer))],
  ])('of %i bits is added up as bit patterns', async (bits, bytes) => {
    const entries = greyPage(3, 2, bits, [short(259, 8), short(317, 2), short(339, 3)]);
    const file = buildTiff([{ entries, chunks: [new Uint8Array(deflateSync(bytes))] }]);
    const { slabs } = await openVolume([bytesSource('a.tif', file)], { voxelSizeMm: [1, 1, 1] });
    expect(await listValues(slabs)).toEqual(values);
  });
});

it('TIFF whose bits stand in reverse order is read', async () => {
  const file = buildTiff([
    { entries: greyPage(2, 1, 8, [short(266, 2)]), chunks: [Uint8Array.of(0b10000000, 0b01010011)] },
  ]);
  const { slabs } = await openVolume([bytesSource('a.tif', file)], { voxelSizeMm: [1, 1, 1] });
  expect(await listValues(slabs)).toEqual([1, 0b11001010]);
});

describe('A mesh', () => {
  const obj = 'v 0 0 0\nv 9 0 0\nv 0 9 0\nv 0 0 9\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n';
  const corners = [
    [0, 0, 0],
    [9, 0, 0],
    [0, 9, 0],
    [0, 0, 9],
  ];
  const faces = [
    [0, 2, 1],
    [0, 1, 3],
    [1, 2, 3],
    [0, 3, 2],
  ];
  const stl = `solid a\n${faces
    .map(
      (face) =>
        `facet normal 0 0 0\nouter loop\n${face.map((v) => `vertex ${corners[v]?.join(' ')}`).join('\n')}\nendloop\nendfacet`,
    )
    .join('\n')}\nendsolid a\n`;

  it.each([
    ['a.obj', obj],
    ['a.stl', stl],
  ])('with a byte order mark in front is read: %s', async (name, content) => {
    const { mesh } = await openMesh([bytesSource(name, text(`\ufeff${content}`))], { unit: 'mm' });
    expect(mesh.indices.length).toBe(12);
    expect(mesh.positions.length).toBe(12);
  });

  it('as GLB without scenes is placed by its nodes, each once', async () => {
    const binary = new Uint8Array(48 + 12);
    new Float32Array(binary.buffer, 0, 12).set(corners.flat());
    binary.set(faces.flat(), 48);
    const json = {
      asset: { version: '2.0' },
      nodes: [{ mesh: 0 }, { children: [0], scale: [0.002, 0.002, 0.002] }],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
      accessors: [
        { bufferView: 0, componentType: 5126, count: 4, type: 'VEC3' },
        { bufferView: 1, componentType: 5121, count: 12, type: 'SCALAR' },
      ],
      bufferViews: [{ byteLength: 48 }, { byteOffset: 48, byteLength: 12 }],
      buffers: [{ byteLength: 60 }],
    };
    const { mesh } = await openMesh([bytesSource('a.glb', makeGlb(json, binary))]);
    expect(mesh.indices.length).toBe(12);
    expect(Math.max(...mesh.positions)).toBeCloseTo(18, 4);
  });
});
