/** Small files that ask for much: refused with the limit, before memory or time is spent on them. */
import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contention } from '#worker/testing/contention.ts';
import { type ByteSource, bytesSource } from './bytes/byte-source.ts';
import { checkUnpacking } from './bytes/inflate.ts';
import { checkCad } from './cad/check-cad.ts';
import { openMesh } from './open-mesh.ts';
import { openVolume } from './open-volume.ts';
import { buildTiff, greyPage } from './testing/build-tiff.ts';
import { collect, textFile } from './testing/collect.ts';
import { expectRefused } from './testing/expect-refused.ts';
import { makeGlb } from './testing/glb-of.ts';
import { readXml } from './xml/tokens.ts';
import { writeZip } from './zip/write-zip.ts';

const text = (content: string) => new TextEncoder().encode(content);
const hints = { voxelSizeMm: [1, 1, 1] as [number, number, number] };

const model = (resources: string, build = '<item objectid="1"/>') =>
  `<model unit="millimeter"><resources>${resources}</resources><build>${build}</build></model>`;
const part3mf = async (xml: string) =>
  bytesSource(
    'part.3mf',
    await collect(writeZip([{ path: '3D/3dmodel.model', data: text(xml), compress: true }])),
  );
const tetrahedron =
  '<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="9" y="0" z="0"/><vertex x="0" y="8" z="0"/><vertex x="0" y="0" z="7"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3="3"/><triangle v1="1" v2="2" v3="3"/><triangle v1="0" v2="3" v3="2"/></triangles></mesh>';
/** Objects 1 … depth, each of which holds the next one so often; the last one is the body. */
const nested = (depth: number, times: number, body = tetrahedron) =>
  Array.from({ length: depth }, (_, i) =>
    i + 1 < depth
      ? `<object id="${i + 1}"><components>${`<component objectid="${i + 2}"/>`.repeat(times)}</components></object>`
      : `<object id="${i + 1}">${body}</object>`,
  ).join('');

describe('3MF', () => {
  it('of some hundred bytes that places 2^60 parts is counted, not built', async () => {
    const file = await part3mf(model(nested(61, 2)));
    expect(file.size).toBeLessThan(2000);
    await expectRefused(
      () => openMesh([file]),
      /places \d+ parts with \d+ triangles .*; at most 1000000 parts, 20000000 triangles/,
    );
  });

  it('whose parts are empty is counted too', async () => {
    const empty = '<mesh><vertices/><triangles/></mesh>';
    await expectRefused(async () => openMesh([await part3mf(model(nested(40, 3, empty)))]), /parts/);
  });

  it.each([
    { depth: 61, times: 1 },
    { depth: 9, times: 2 },
  ])(
    'nested as deep but with few parts is built: $depth levels, $times on each',
    async ({ depth, times }) => {
      const { mesh } = await openMesh([await part3mf(model(nested(depth, times)))], { sizeConfirmed: true });
      expect(mesh.indices).toHaveLength(3 * 4 * times ** (depth - 1));
    },
  );

  it('counts what it builds, whatever the nesting', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat(9), { maxLength: 4 }), { minLength: 2, maxLength: 8 }),
        async (graph) => {
          // Object i holds only later ones, so nothing holds itself.
          const inner = graph.map((children, i) =>
            i === graph.length - 1 ? [] : children.map((c) => i + 1 + (c % (graph.length - 1 - i))),
          );
          const bodies = inner.map(
            (children, i) =>
              `<object id="${i + 1}">${
                children.length === 0
                  ? tetrahedron
                  : `<components>${children
                      .map(
                        (c, n) =>
                          `<component objectid="${c + 1}" transform="1 0 0 0 1 0 0 0 1 ${20 * (n + 1) * 3 ** i} 0 0"/>`,
                      )
                      .join('')}</components>`
              }</object>`,
          );
          const count = (i: number): number =>
            inner[i].length === 0 ? 4 : inner[i].reduce((sum, c) => sum + count(c), 0);
          const { mesh } = await openMesh([await part3mf(model(bodies.join('')))], { sizeConfirmed: true });
          // Parts may come to lie in each other; their triangles stay.
          expect(mesh.indices.length / 3).toBe(count(0));
        },
      ),
      { seed: 4711, numRuns: 60 },
    );
  });

  it('that holds itself is refused', async () => {
    const loop =
      '<object id="1"><components><component objectid="2"/></components></object><object id="2"><components><component objectid="1"/></components></object>';
    await expectRefused(async () => openMesh([await part3mf(model(loop))]), /contains itself/);
  });
});

describe('XML', () => {
  it('with entities that would unpack to gigabytes is refused', () => {
    const laughs = `<!DOCTYPE model [<!ENTITY a "${'ha'.repeat(50)}"><!ENTITY b "&a;&a;&a;&a;">]><model>&b;</model>`;
    expect(() => [...readXml(laughs, 'x')]).toThrow(/document type/);
  });

  it('nested too deep is refused, as is what closes nothing and what does not close', () => {
    expect(() => [...readXml('<a>'.repeat(300), 'x')]).toThrow(/more than 256 elements deep/);
    expect(() => [...readXml('<a></b></a>', 'x')]).toThrow(/closes <b>/);
    expect(() => [...readXml('<a><b></b>', 'x')]).toThrow(/cut off inside of <a>/);
  });
});

describe('Compressed bytes', () => {
  const gib = 2 ** 30;

  it('may unpack to 256 times their size, and to 4 GiB always', () => {
    checkUnpacking('x', 5e6, 4 * gib);
    checkUnpacking('x', gib, 250 * gib);
    expect(() => checkUnpacking('x', 1000, 2_000_000)).toThrow(/1000 compressed bytes cannot hold/);
    expect(() => checkUnpacking('x', 10e6, 8 * gib)).toThrow(/at most 4294967296 are read/);
  });

  it('that a header multiplies are refused before they are unpacked', async () => {
    const packed = new Uint8Array(gzipSync(new Uint8Array(8 << 20)));
    const nrrd = (sizes: string) =>
      textFile(
        'a.nrrd',
        `NRRD0004\ntype: uchar\ndimension: 3\nsizes: ${sizes}\nspacings: 1 1 1\nencoding: gzip\n\n`,
        packed,
      );
    expect((await openVolume([nrrd('256 256 128')])).grid.dimensions).toEqual([256, 256, 128]);
    await expectRefused(() => openVolume([nrrd('100000 20000 20')]), /cannot hold/);
    const zip = bytesSource(
      'a.zip',
      await collect(
        writeZip(
          Array.from({ length: 3 }, (_, i) => ({
            path: `${i}.bin`,
            data: new Uint8Array(1 << 20),
            compress: true,
          })),
        ),
      ),
    );
    // The directory claims what Deflate can't give.
    const lying = Uint8Array.from(await zip.read(0, zip.size));
    const view = new DataView(lying.buffer);
    for (let at = 0; at + 46 < lying.length; at++)
      if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, 0x7fffffff, true);
    await expectRefused(() => openVolume([bytesSource('a.zip', lying)], hints), /not possible/);
  });
});

describe('TIFF', () => {
  /** Pages that all refer to the strip of the first one. */
  const sharing = (pages: number, side: number): ByteSource => {
    const strip = new Uint8Array(deflateSync(new Uint8Array(side * side)));
    const bytes = buildTiff(
      Array.from({ length: pages }, (_, i) => ({
        entries: greyPage(side, side, 8, [{ id: 259, type: 3, values: [8] }]),
        chunks: i === 0 ? [strip] : [new Uint8Array(0)],
      })),
    );
    const view = new DataView(bytes.buffer);
    for (let at = view.getUint32(4, true), first = 0; at !== 0; ) {
      const count = view.getUint16(at, true);
      for (let i = 0; i < count; i++) {
        const entry = at + 2 + 12 * i;
        if (view.getUint16(entry, true) === 273) {
          first ||= view.getUint32(entry + 8, true);
          view.setUint32(entry + 8, first, true);
        }
        if (view.getUint16(entry, true) === 279) view.setUint32(entry + 8, strip.length, true);
      }
      at = view.getUint32(at + 2 + 12 * count, true);
    }
    return bytesSource('pages.tif', bytes);
  };

  it('whose pages share one strip claims no more than its bytes can hold', async () => {
    await expectRefused(() => openVolume([sharing(400, 4096)], hints), /cannot hold|at most/);
  });

  it('whose directories overlap is refused', async () => {
    // Directory n begins 14 bytes behind directory n−1, with 300 entries each.
    const bytes = new Uint8Array(20_000);
    const view = new DataView(bytes.buffer);
    bytes.set(text('II'));
    view.setUint16(2, 42, true);
    view.setUint32(4, 8, true);
    for (let at = 8; at + 2 < bytes.length; at += 2) view.setUint16(at, 300, true);
    const next = (at: number) => at + 2 + 12 * 300;
    for (let at = 8; next(at) + 4 < bytes.length; at += 14) view.setUint32(next(at), at + 14, true);
    await expectRefused(() => openVolume([bytesSource('a.tif', bytes)], hints), /.{20}/);
  });

  it('whose OME-XML places each page again and again is refused', async () => {
    const xml = `<OME><Image><Pixels SizeC="1" SizeT="1" SizeZ="40">${'<TiffData/>'.repeat(1000)}</Pixels></Image></OME>`;
    const description = { id: 270, type: 2 as const, values: [...text(`${xml}\0`)] };
    const page = (i: number) => ({
      entries: greyPage(2, 1, 8, i === 0 ? [description] : []),
      chunks: [Uint8Array.of(1, 2)],
    });
    const file = buildTiff(Array.from({ length: 40 }, (_, i) => page(i)));
    await expectRefused(() => openVolume([bytesSource('a.tif', file)], hints), /more than four times/);
  });

  it('with several planes in one page is refused by name', async () => {
    const file = buildTiff([
      {
        entries: greyPage(2, 2, 8, [{ id: 32997, type: 4, values: [7] }]),
        chunks: [new Uint8Array(28)],
      },
    ]);
    await expectRefused(() => openVolume([bytesSource('a.tif', file)], hints), /7 planes in one page/);
  });
});

describe('Headers that name files', () => {
  const plane = bytesSource('plane.raw', new Uint8Array(1 << 16));
  it.each([
    [
      'NRRD',
      textFile(
        'a.nhdr',
        `NRRD0004\ntype: uchar\ndimension: 3\nsizes: 256 256 50000\nspacings: 1 1 1\nencoding: raw\ndata file: LIST\n${'plane.raw\n'.repeat(50_000)}`,
      ),
    ],
    [
      'MetaImage',
      textFile(
        'a.mhd',
        `ObjectType = Image\nNDims = 3\nDimSize = 256 256 50000\nElementSpacing = 1 1 1\nDistanceUnits = mm\nElementType = MET_UCHAR\nElementDataFile = LIST\n${'plane.raw\n'.repeat(50_000)}`,
      ),
    ],
  ])('name each one once: %s', async (_, header) => {
    await expectRefused(() => openVolume([header, plane]), /names the data file "plane.raw" twice/);
  });
});

describe('GLB', () => {
  const scene = (count: number, nodes: number, attributes: Record<string, number>) => ({
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: Array.from({ length: nodes }, (_, i) => i) }],
    nodes: Array(nodes).fill({ mesh: 0 }),
    meshes: [{ primitives: [{ attributes }] }],
    accessors: [
      { bufferView: 0, componentType: 5126, count, type: 'VEC3' },
      { bufferView: 0, componentType: 5126, count, type: 'SCALAR' },
    ],
    bufferViews: [{ byteLength: 12 * count }],
    buffers: [{ byteLength: 12 * count }],
  });

  it('that places one mesh again and again is counted before it is read', async () => {
    const binary = new Uint8Array(12 * 60_000);
    const bytes = makeGlb(scene(60_000, 5000, { POSITION: 0 }), binary);
    await expectRefused(() => openMesh([bytesSource('a.glb', bytes)]), /at most 400000000 are read/);
  });

  it('that gives each vertex ten thousand values is counted too', async () => {
    const attributes = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`_V${i}`, 1]));
    const bytes = makeGlb(scene(60_000, 1, { POSITION: 0, ...attributes }), new Uint8Array(12 * 60_000));
    await expectRefused(() => openMesh([bytesSource('a.glb', bytes)]), /at most 400000000 are read/);
  });

  it('whose lists are none is refused by the name of the list', async () => {
    const right = { ...scene(1, 1, { POSITION: 0 }), extensionsRequired: [] };
    const wrong: [object, RegExp][] = [
      [{ nodes: 7 }, /nodes must be a list/],
      [{ nodes: [null] }, /nodes must be a list of objects/],
      [{ nodes: [{ children: {} }] }, /children of a node must be a list/],
      [{ scenes: [{ nodes: true }] }, /nodes of a scene/],
      [{ meshes: [{ primitives: [null] }] }, /primitives of a mesh/],
      [{ meshes: [{ primitives: [{ attributes: null }] }] }, /attributes of a primitive/],
      [{ bufferViews: [null] }, /bufferViews/],
      [{ extensionsRequired: 'x' }, /extensionsRequired/],
    ];
    for (const [part, message] of wrong)
      await expectRefused(() => openMesh([bytesSource('a.glb', makeGlb({ ...right, ...part }))]), message);
  });

  it('whose counts below 0 make up for others is counted all the same', async () => {
    const json = scene(60_000, 5000, { POSITION: 0 });
    json.accessors.push({ ...json.accessors[0], count: -1e12 });
    json.nodes.unshift({ mesh: 1 });
    json.scenes[0]?.nodes.push(5000);
    json.meshes.push({ primitives: [{ attributes: { POSITION: 2 } }] });
    await expectRefused(
      () => openMesh([bytesSource('a.glb', makeGlb(json, new Uint8Array(12 * 60_000)))]),
      /at most 400000000 are read/,
    );
  });

  it('that declares more data than it has is refused', async () => {
    const bytes = makeGlb(scene(60_000, 1, { POSITION: 0 }), new Uint8Array(36));
    await expectRefused(() => openMesh([bytesSource('a.glb', bytes)]), /720000 bytes of data are declared/);
  });
});

describe('STEP', () => {
  const end = 'ENDSEC;\nEND-ISO-10303-21;\n';
  const usages = (levels: number, times: number) =>
    Array.from({ length: levels * times }, (_, i) => {
      const level = Math.floor(i / times);
      return `#${1000 + i}=NEXT_ASSEMBLY_USAGE_OCCURRENCE('${i}','it''s','',#${level + 1},#${level + 2},$);\n`;
    }).join('');

  it('of some kilobytes that places 2^40 parts is refused before its reader sees it', () => {
    const file = text(`ISO-10303-21;\nDATA;\n${usages(40, 2)}${end}`);
    expect(file.length).toBeLessThan(8000);
    expect(() => checkCad('step', file, 'a.stp')).toThrow(/places \d+ parts; at most 100000 are read/);
    checkCad('step', text(`ISO-10303-21;\nDATA;\n${usages(10, 2)}${end}`), 'a.stp');
  });

  it('that does it by mapped items is refused as well', () => {
    const items = Array.from(
      { length: 40 },
      (_, i) =>
        `#${10 * i + 1}=SHAPE_REPRESENTATION('',(#5,#${10 * i + 2},#${10 * i + 3}),#4);\n#${10 * i + 2}=MAPPED_ITEM('',#${10 * i + 4},#5);\n#${10 * i + 3}=MAPPED_ITEM('',#${10 * i + 4},#6);\n#${10 * i + 4}=REPRESENTATION_MAP(#5,#${10 * i + 11});\n`,
    ).join('');
    expect(() => checkCad('step', text(`ISO-10303-21;\n${items}${end}`), 'a.stp')).toThrow(/at most 100000/);
  });

  it('that gives two entities one number is refused: its reader would never end', () => {
    const step = (lines: string) => text(`ISO-10303-21;\nDATA;\n${lines}${end}`);
    const twice =
      "#7=DIRECTION('',(0.,0.,1.));\n#8=DIRECTION('',(0.,1.,0.));\n#7 = DIRECTION('',(1.,0.,0.));\n";
    expect(() => checkCad('step', step(twice), 'a.stp')).toThrow(/a\.stp defines #7 twice/);
    const told = "/* #7=old */\n#7=PRODUCT('it''s #7=new','#7=',(#8));\n#8=ADVANCED_FACE('',(#7),#7,.T.);\n";
    expect(checkCad('step', step(told), 'a.stp')).toEqual({ definedFaces: 1 });
    const started = performance.now();
    checkCad('step', step(`#7=A(${'/* '.repeat(1e6)}`), 'a.stp');
    const named = `#7=CIRCLE('${"''".repeat(1e7)}',#8,1.E9);`;
    expect(() => checkCad('step', step(named), 'a.stp', 'mm')).toThrow(/#7 has a radius of 1\.E9/);
    expect(performance.now() - started).toBeLessThan(5000 * contention());
  });

  it('that holds itself is refused', () => {
    const loop =
      "#9=NEXT_ASSEMBLY_USAGE_OCCURRENCE('','','',#1,#2,$);\n#8=NEXT_ASSEMBLY_USAGE_OCCURRENCE('','','',#2,#1,$);\n";
    expect(() => checkCad('step', text(`ISO-10303-21;\n${loop}${end}`), 'a.stp')).toThrow(/contains itself/);
  });
});
