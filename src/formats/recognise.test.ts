import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { contention } from '#worker/testing/contention.ts';
import { type ByteSource, blobSource, bytesSource } from './bytes/byte-source.ts';
import { estimate } from './estimate.ts';
import { compareNaturally, gapInNumbers } from './natural-order.ts';
import { writeNrrd } from './nrrd/write-nrrd.ts';
import { openMesh } from './open-mesh.ts';
import { openVolume } from './open-volume.ts';
import { recognise } from './recognise.ts';
import { writeStl } from './stl/write-stl.ts';
import { buildTiff, greyPage } from './testing/build-tiff.ts';
import { collect, findFile, listValues, smallVolume, textFile } from './testing/collect.ts';
import { mmPerNamedUnit } from './units.ts';
import { readXml } from './xml/tokens.ts';
import { writeZip, type ZipInput } from './zip/write-zip.ts';

const slice = (value: number) =>
  buildTiff([{ entries: greyPage(2, 1, 8), chunks: [new Uint8Array([value, value])] }]);
const zip = async (...inputs: ZipInput[]) => bytesSource('a.zip', await collect(writeZip(inputs)));
const volume = smallVolume(
  'uint8',
  Uint8Array.from({ length: 140 }, (_, i) => i),
);
const hints = { voxelSizeMm: [1, 1, 1] as [number, number, number] };
const text = (content: string) => new TextEncoder().encode(content);

it('reads a file whose name begins with a dot, as Linux hides it', async () => {
  const written = await collect(writeNrrd(makeSlabs(volume)));
  expect((await recognise([bytesSource('.scan.nrrd', written)])).format).toBe('nrrd');
});

describe('What is in a ZIP', () => {
  it.each([false, true])(
    'reads a stack of slices in the order of their numbers (deflated: %s)',
    async (compress) => {
      const archive = await zip(
        ...[10, 9, 2, 1, 3, 4, 5, 6, 7, 8].map((n) => ({
          path: `scan/slice_${n}.TIF`,
          data: slice(n),
          compress,
        })),
        { path: 'scan/readme.txt', data: text('x') },
        { path: '__MACOSX/scan/._slice_1.TIF', data: slice(99) },
        { path: 'scan/.DS_Store', data: text('x') },
      );
      const { slabs, warnings } = await openVolume([archive], hints);
      expect((await listValues(slabs)).filter((_, i) => i % 2 === 0)).toEqual([
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
      ]);
      expect(warnings).toEqual([]);
    },
  );

  it('warns when a slice seems to be missing', async () => {
    const archive = await zip(...[1, 2, 4].map((n) => ({ path: `s${n}.tif`, data: slice(n) })));
    expect((await openVolume([archive], hints)).warnings[0]).toMatch(/jump from 2 to 4/);
  });

  it('finds one file of any kind, and a header with its data', async () => {
    const nrrd = await collect(writeNrrd(makeSlabs(volume)));
    const single = await zip(
      { path: 'x/part.nrrd', data: nrrd, compress: true },
      { path: 'x/info.json', data: text('{}') },
    );
    expect(await listValues((await openVolume([single])).slabs)).toEqual([...volume.data]);
    const head =
      'NRRD0004\ntype: uchar\ndimension: 3\nsizes: 5 4 7\nspacings: 1 1 1\nencoding: raw\ndata file: part.raw\n\n';
    const detached = await zip(
      { path: 'part.raw', data: volume.data as Uint8Array },
      { path: 'part.nhdr', data: text(head) },
    );
    expect(await listValues((await openVolume([detached])).slabs)).toEqual([...volume.data]);
    const stl = writeStl({
      positions: new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]),
      indices: new Uint32Array([0, 1, 2]),
    });
    expect((await openMesh([await zip({ path: 'part.stl', data: stl })], { unit: 'mm' })).format).toBe('stl');
  });

  it('says what it found when that is ambiguous or nothing', async () => {
    await expect(
      recognise([await zip({ path: 'a.nrrd', data: text('1') }, { path: 'b.nrrd', data: text('2') })]),
    ).rejects.toThrow(/2 files that could be meant \(a.nrrd, b.nrrd\)/);
    await expect(
      recognise([await zip({ path: 'a/1.tif', data: slice(1) }, { path: 'b/1.tif', data: slice(1) })]),
    ).rejects.toThrow(/2 folders/);
    await expect(recognise([await zip({ path: '.DS_Store', data: text('2') })])).rejects.toThrow(
      /no file with data/,
    );
    await expect(recognise([bytesSource('empty.nrrd', new Uint8Array(0))])).rejects.toThrow(/is empty/);
  });
});

describe('What a file is', () => {
  it.each([
    ['a.step', 'ISO-10303-21;\nHEADER;', { content: 'cad', format: 'step' }],
    ['a.dat', 'glTF....', { content: 'mesh', format: 'glb' }],
    ['a.txt', 'ObjectType = Image\nNDims = 3\n', { content: 'volume', format: 'metaimage' }],
    ['a.raw', 'any bytes', { content: 'volume', format: 'raw' }],
    ['a', 'solid x\nfacet normal', { content: 'mesh', format: 'stl' }],
    ['a.iges', 'anything', { content: 'cad', format: 'iges' }],
  ])('recognises %s', async (name, content, expected) => {
    expect(await recognise([textFile(name, content)])).toMatchObject(expected);
  });

  it.each([
    [
      'a DICOM file',
      bytesSource('a', new Uint8Array([...new Uint8Array(128), ...text('DICM....')])),
      /DICOM/,
    ],
    ['Zstandard', bytesSource('a', new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 4, 0])), /Zstandard data \(pack/],
    ['HDF5', bytesSource('a', new Uint8Array([0x89, 0x48, 0x44, 0x46, 13, 10, 26, 10])), /HDF5/],
    ['a picture', bytesSource('a.jpg', new Uint8Array([0xff, 0xd8, 0xff, 0xe0])), /JPEG/],
    [
      'a tar in gzip',
      bytesSource(
        'a.tgz',
        new Uint8Array(
          gzipSync(new Uint8Array([...new Uint8Array(257), ...text('ustar'), ...new Uint8Array(300)])),
        ),
      ),
      /tar archive/,
    ],
    ['no kind at all', textFile('a.xyz', 'hello'), /no known kind/],
  ])('refuses %s by name', async (_, source, message) => {
    await expect(recognise([source])).rejects.toThrow(message);
  });

  it('refuses to open a mesh as a volume and the other way round', async () => {
    await expect(openVolume([textFile('a.stl', 'solid x\nfacet')])).rejects.toThrow(/is a mesh \(stl\)/);
    await expect(openMesh([await findFile('a.nrrd', writeNrrd(makeSlabs(volume)))])).rejects.toThrow(
      /is a volume \(nrrd\)/,
    );
  });
});

describe('Estimates', () => {
  it('come from the header of a File alone', async () => {
    const head =
      'NRRD0004\ntype: ushort\ndimension: 3\nsizes: 1000 1000 1000\nspacings: 0.1 0.1 0.1\nencoding: raw\nendian: little\n\n';
    let bytesRead = 0;
    const header = blobSource(new Blob([head]), 'big.nrrd');
    const source: ByteSource = {
      name: header.name,
      size: head.length + 2e9,
      // Zeros behind the header, made only when they are asked for.
      read: async (offset, length) => {
        bytesRead += length;
        const out = new Uint8Array(length);
        out.set(await header.read(offset, length));
        return out;
      },
    };
    const result = await estimate([source]);
    expect(result).toMatchObject({
      dimensions: [1000, 1000, 1000],
      dataType: 'uint16',
      bytes: 2e9,
      missing: [],
      voxelSizeMm: [0.1, 0.1, 0.1],
    });
    expect(bytesRead).toBeLessThan(100_000);
    expect(result.memoryBytes).toBeGreaterThan(3 * 64 * 2e6);
    expect(result.memoryBytes).toBeLessThan(1e9);
    expect(result.seconds).toBeGreaterThan(5);
  });

  it('tell what is missing instead of failing', async () => {
    expect(await estimate([bytesSource('a_10x10x10.raw', new Uint8Array(1000))])).toMatchObject({
      missing: ['dimensions', 'dataType', 'voxelSizeMm'],
      suggested: { dimensions: [10, 10, 10], dataType: 'uint8' },
    });
    expect(await estimate([bytesSource('a.tif', slice(1))])).toMatchObject({
      dimensions: [2, 1, 1],
      missing: ['voxelSizeMm'],
    });
    expect(await estimate([textFile('a.obj', 'v 0 0 0')])).toMatchObject({
      content: 'mesh',
      missing: ['unit'],
    });
  });
});

describe('Small parts', () => {
  it('order names by their numbers', () => {
    expect(['s10', 's9', 'S1', 's010b', 's2'].sort(compareNaturally)).toEqual([
      'S1',
      's2',
      's9',
      's10',
      's010b',
    ]);
    expect(gapInNumbers(['a1.tif', 'a2.tif', 'a3.tif'])).toBeUndefined();
    expect(gapInNumbers(['a2.tif', 'a4.tif', 'a6.tif'])).toBeUndefined();
  });

  it('know units as files spell them', () => {
    expect(
      ['µm', '\\u00B5m', 'microns', 'Millimeters', 'inches', 'mm', '"cm"', 'pixel'].map(mmPerNamedUnit),
    ).toEqual([1e-3, 1e-3, 1e-3, 1, 25.4, 1, 10, undefined]);
  });

  it('walk XML with prefixes, entities, comments and sections, and refuse what does not end', () => {
    const tokens = [...readXml('<?xml?><!-- <x> --><a:b c="1 &lt; 2" d=\'&#65;>\'/>t<![CDATA[<raw>]]>', 'x')];
    expect(tokens).toEqual([
      { kind: 'open', name: 'b', attributes: { c: '1 < 2', d: 'A>' }, text: '' },
      { kind: 'close', name: 'b', attributes: {}, text: '' },
      { kind: 'text', name: '', attributes: {}, text: 't' },
      { kind: 'text', name: '', attributes: {}, text: '<raw>' },
    ]);
    expect(() => [...readXml('<a b="', 'x')]).toThrow(/ends inside/);
  });
});

describe('Hostile text', () => {
  it('is walked in linear time: a tag of a million characters without attributes', () => {
    const started = performance.now();
    expect([...readXml(`<a ${'x'.repeat(1_000_000)}/>`, 'x')]).toHaveLength(2);
    expect([...readXml(`<a ${'x=y '.repeat(250_000)}/>`, 'x')]).toHaveLength(2);
    expect(performance.now() - started).toBeLessThan(2000 * contention());
  });

  it('is refused when it has no line ends at all', async () => {
    const bytes = new Uint8Array(20 << 20).fill(0x78);
    await expect(openMesh([bytesSource('a.obj', bytes)], { unit: 'mm' })).rejects.toThrow(/longer than/);
  });
});

describe('A large TIFF deflated inside of a ZIP', () => {
  it('is read page by page although its directories stand behind the pages', async () => {
    // Zeros behind the pages bring the file above the size up to which files are unpacked whole.
    const side = 1024;
    const page = (value: number) => ({
      entries: greyPage(side, side, 8),
      chunks: [new Uint8Array(side * side).fill(value)],
    });
    const tiff = buildTiff(Array.from({ length: 3 }, (_, i) => page(i)));
    const padded = new Uint8Array(70 << 20);
    padded.set(tiff);
    const { slabs } = await openVolume([await zip({ path: 'a.tif', data: padded, compress: true })], hints);
    for (const z of [0, 1, 2, 1, 0]) expect((await slabs.readSlab(z, z + 1))[5]).toBe(z);
  });
});
