/** Headers and names that ask for much, or for what every program has: refused with what would be right. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { contention } from '#worker/testing/contention.ts';
import { type ByteSource, bytesSource } from './bytes/byte-source.ts';
import { checkCad } from './cad/check-cad.ts';
import { openMesh } from './open-mesh.ts';
import { openVolume } from './open-volume.ts';
import { collect, textFile } from './testing/collect.ts';
import { expectRefused } from './testing/expect-refused.ts';
import { makeGlb } from './testing/glb-of.ts';
import { writeZip } from './zip/write-zip.ts';

const text = (content: string) => new TextEncoder().encode(content);
const hints = { voxelSizeMm: [1, 1, 1] as [number, number, number] };

describe('Names that every object of JavaScript has', () => {
  const nrrd = (fields: Record<string, string>) =>
    textFile(
      'a.nrrd',
      `NRRD0004\n${Object.entries({
        type: 'uchar',
        dimension: '3',
        sizes: '1 1 1',
        spacings: '1 1 1',
        encoding: 'raw',
        ...fields,
      })
        .map(([name, value]) => `${name}: ${value}`)
        .join('\n')}\n\nx`,
    );
  const mha = (fields: string) =>
    textFile(
      'a.mha',
      `NDims = 3\nDimSize = 1 1 1\nElementSpacing = 1 1 1\n${fields}\nElementDataFile = LOCAL\nx`,
    );
  const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];
  it.each(names)('%s is no type, encoding, space or unit', async (name) => {
    const open = (file: ByteSource) => () => openVolume([file], { ...hints, sizeConfirmed: true });
    await expectRefused(open(nrrd({ type: name })), /type "/);
    await expectRefused(open(nrrd({ encoding: name })), /encoding "/);
    if (name === name.toLowerCase()) await expectRefused(open(nrrd({ space: name })), /the space "/);
    await expectRefused(open(mha(`ElementType = ${name}`)), /ElementType "/);
    await expectRefused(
      () => openVolume([mha(`ElementType = MET_UCHAR\nDistanceUnits = ${name}`)]),
      /supply unit/,
    );
    const view = { byteLength: 4, count: 1, byteStride: 4, mode: name };
    const packed = { bufferViews: [{ extensions: { EXT_meshopt_compression: view } }], buffers: [{}] };
    const glb = bytesSource('a.glb', makeGlb(packed, new Uint8Array(4)));
    await expectRefused(() => openMesh([glb]), /no valid count, stride or mode/);
    const ply = `ply\nformat ${name} 1.0\nelement vertex 1\nproperty ${name} x\nend_header\n`;
    await expectRefused(() => openMesh([textFile('a.ply', ply)], { unit: 'mm' }), /PLY format/);
  });
});

describe('Places and lengths that no part has', () => {
  const volume = (lines: string) =>
    textFile(
      'a.mha',
      `NDims = 3\nDimSize = 2 1 1\n${lines}\nDistanceUnits = m\nElementType = MET_UCHAR\nElementDataFile = LOCAL\nxy`,
    );
  it.each([
    ['ElementSpacing = 1 1 1\nOffset = 1e308 0 0', /first voxel is at .* mm along x/],
    ['ElementSpacing = -1e307 1 1', /voxel size along x/],
    ['ElementSpacing = 1e-300 1 1', /voxel size along x/],
  ])('are refused of a volume: %s', async (lines, message) => {
    await expectRefused(() => openVolume([volume(lines)], { sizeConfirmed: true }), message);
  });

  it('are refused of a mesh', async () => {
    const obj = textFile('a.obj', 'v 0 0 0\nv 1e40 0 0\nv 0 1 0\nf 1 2 3\n');
    await expectRefused(
      () => openMesh([obj], { unit: 'mm', sizeConfirmed: true }),
      /vertex 2 has a coordinate that is too large/,
    );
  });
});

describe('Text that takes patterns for ever', () => {
  const nrrd = (line: string) =>
    textFile('a.nrrd', `NRRD0004\ntype: uchar\ndimension: 3\nsizes: 1 1 1\nencoding: raw\n${line}\n\nx`);
  it.each([
    ['parentheses of NRRD', nrrd(`space directions: ${'('.repeat(900_000)}`)],
    ['file names of NRRD', nrrd(`spacings: 1 1 1\ndata file: ${'%d'.repeat(400_000)}`)],
    [
      'file names of MetaImage',
      textFile(
        'a.mha',
        `NDims = 3\nDimSize = 1 1 1\nElementSpacing = 1 1 1\nElementType = MET_UCHAR\nElementDataFile = ${'%d'.repeat(30_000)}\n`,
      ),
    ],
  ])('is refused at once: %s', async (_, file) => {
    await expectRefused(() => openVolume([file], hints), /a\.nrrd|a\.mha/);
  });

  it('is passed over at once in STEP', () => {
    const open = Array.from({ length: 200_000 }, (_, i) => `#${i + 2}=REPRESENTATION('',(`);
    const items = `#1=MAPPED_ITEM('',#2,#3);\n${open.join('')}`;
    const started = performance.now();
    checkCad('step', text(`ISO-10303-21;\n${items}\nEND-ISO-10303-21;\n`), 'a.stp');
    expect(performance.now() - started).toBeLessThan(5000 * contention());
  });
});

it('What a message quotes of a file can be seen, and turns nothing around', async () => {
  const header =
    'NDims = 3\nDimSize = 1 1 1\nElementSpacing = 1 1 1\nElementType = \u0007MET\u202eX\nElementDataFile = LOCAL\n';
  await expectRefused(
    () => openVolume([textFile('a.mha', header)], hints),
    /ElementType "\ufffdMET\ufffdX" is not/,
  );
});

it('A gzip NRRD whose grey values would begin anywhere is not unpacked to find out', async () => {
  const packed = new Uint8Array(gzipSync(new Uint8Array(80 << 20)));
  const nrrd = (skip: number) =>
    textFile(
      'a.nrrd',
      `NRRD0004\ntype: uchar\ndimension: 3\nsizes: 1 1 1\nspacings: 1 1 1\nencoding: gzip\nbyte skip: ${skip}\n\n`,
      packed,
    );
  await expectRefused(() => openVolume([nrrd(-1)]), /more than 67108864 bytes stand in front/);
  await expectRefused(() => openVolume([nrrd(9e15)]), /compressed bytes cannot hold/);
});

it('A ZIP with two files of one name is refused', async () => {
  const bytes = await collect(
    writeZip([
      { path: 'a1.raw', data: text('x') },
      { path: 'a2.raw', data: text('y') },
    ]),
  );
  for (const [at, byte] of bytes.entries()) if (byte === 0x32 && bytes[at - 1] === 0x61) bytes[at] = 0x31;
  await expectRefused(() => openVolume([bytesSource('a.zip', bytes)], hints), /two files named a1\.raw/);
});
