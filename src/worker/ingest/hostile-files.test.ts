/** Files that need more memory or time than available, read as in production: in processes with limits, short enough for tests. */
import { constants, crc32, deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeStl } from '#formats/stl/write-stl.ts';
import { buildStep } from '#formats/testing/build-step.ts';
import { centralHeader, endRecords, localHeader, type ZipRecord } from '#formats/zip/zip-records.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { blobs } from '#storage/db/schema-projects.ts';
import { cancelWork } from '#storage/work/life.ts';
import { contention, expectWithin, startStopwatch } from '../testing/contention.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';

const limits = { memoryBytes: 400 * 1024 ** 2, seconds: 5, stallSeconds: 5 };
/** Limits for files that must be read successfully even when the machine is loaded. */
const patient = { ...limits, seconds: 600, stallSeconds: 600 };
const patientFiles = new Set(['part.stl', 'cancelled.step']);
const megabyte = 1024 ** 2;
let harness: WorkerHarness;

beforeAll(async () => {
  harness = await openWorkerHarness();
  await harness.startWorker({ limits: ({ label }) => (patientFiles.has(label) ? patient : limits) });
});
afterAll(() => harness.close());

interface Packed {
  bytes: Uint8Array;
  unpackedBytes: number;
  crc32: number;
}

/** Packs each part with Deflate; a repeated part is packed once and its bytes are repeated. */
function pack(...parts: [content: string | Buffer, times?: number][]): Packed {
  const pieces: Uint8Array[] = [];
  let unpackedBytes = 0;
  let sum = 0;
  for (const [content, times = 1] of parts) {
    const block = Buffer.from(content);
    const piece = deflateRawSync(block, { finishFlush: constants.Z_FULL_FLUSH });
    for (let i = 0; i < times; i++) {
      pieces.push(piece);
      sum = crc32(block, sum);
    }
    unpackedBytes += times * block.length;
  }
  // An empty block, which is the last one.
  return { bytes: Buffer.concat([...pieces, Buffer.of(3, 0)]), unpackedBytes, crc32: sum };
}

function zip(entries: Record<string, string | Packed>): Uint8Array {
  const records: ZipRecord[] = [];
  const parts: Uint8Array[] = [];
  let offset = 0;
  const add = (part: Uint8Array) => {
    parts.push(part);
    offset += part.length;
  };
  for (const [path, content] of Object.entries(entries)) {
    const { bytes, ...facts } = typeof content === 'string' ? pack([content]) : content;
    const layout = { compression: 'deflate', descriptor: false, zip64: false, modified: new Date() } as const;
    const record = { path, ...layout, ...facts, packedBytes: bytes.length, headerOffset: offset };
    records.push(record);
    add(localHeader(record));
    add(bytes);
  }
  const directoryOffset = offset;
  for (const record of records) add(centralHeader(record));
  return Buffer.concat([...parts, endRecords(records.length, offset - directoryOffset, directoryOffset)]);
}

/** @see https://www.rfc-editor.org/rfc/rfc1952 */
function gzip({ bytes, unpackedBytes, crc32: sum }: Packed): Uint8Array {
  const end = Buffer.alloc(8);
  end.writeUInt32LE(sum);
  end.writeUInt32LE(unpackedBytes % 2 ** 32, 4);
  return Buffer.concat([Buffer.of(31, 139, 8, 0, 0, 0, 0, 0, 0, 255), bytes, end]);
}

const zeros = (megabytes: number): Packed => pack([Buffer.alloc(megabyte), megabytes]);

const relationships = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Id="r" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel" Target="/3D/model.model"/></Relationships>`;
const makeModel = (inside: string) =>
  `<?xml version="1.0"?><model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">${inside}</model>`;
const threeMf = (model: string | Packed) => zip({ '_rels/.rels': relationships, '3D/model.model': model });
const tetrahedron = `<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/><vertex x="0" y="0" z="1"/></vertices>
  <triangles><triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3="3"/><triangle v1="0" v2="3" v3="2"/><triangle v1="1" v2="2" v3="3"/></triangles></mesh>`;
/** Each object is the one before, twice. */
const nested = (depth: number) => {
  const objects = Array.from(
    { length: depth },
    (_, i) =>
      `<object id="${i + 2}" type="model"><components><component objectid="${i + 1}"/><component objectid="${i + 1}"/></components></object>`,
  );
  return makeModel(
    `<resources><object id="1" type="model">${tetrahedron}</object>${objects.join('')}</resources><build><item objectid="${depth + 1}"/></build>`,
  );
};
const deep = (levels: number) =>
  pack([makeModel('').replace('</model>', '')], ['<metadata name="a">'.repeat(10_000), levels / 10_000]);
const nrrd = (sizes: string, data = '') =>
  Buffer.from(
    `NRRD0004\ntype: uint16\ndimension: 3\nsizes: ${sizes}\nspacings: 1 1 1\nencoding: raw\nendian: little\n\n${data}`,
  );
const manyBlocks = () =>
  Buffer.from(
    buildStep({
      size: [40, 30, 20],
      holeRadius: 8,
      placed: Array.from({ length: 6000 }, (_, i) => ({ at: [50 * i, 0, 0], along: [1, 0, 0] }) as const),
    }),
  );
const makeStl = (triangles: number) => {
  const bytes = Buffer.alloc(84);
  bytes.writeUInt32LE(triangles, 80);
  return bytes;
};

const files: Record<string, () => Uint8Array> = {
  'nested-60.3mf': () => threeMf(nested(60)),
  'deep.3mf': () => threeMf(deep(2_000_000)),
  'spaces.3mf': () => threeMf(pack([Buffer.alloc(megabyte, ' '), 450])),
  'attribute.3mf': () =>
    threeMf(pack(['<?xml version="1.0"?><model unit="'], [Buffer.alloc(megabyte, 'a'), 450])),
  'bomb.zip': () => zip({ 'part.stl': zeros(450) }),
  'bombs.zip': () => zip(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${i}.raw`, zeros(2)]))),
  'bomb.nii.gz': () => gzip(zeros(450)),
  'huge.nrrd': () => nrrd('2000000 2000000 2000000'),
  'wide.nrrd': () => nrrd('200000 200000 2', 'ab'),
  // A message may quote characters of a file that the database cannot store.
  'nul.mha': () =>
    Buffer.from('NDims = 3\nDimSize = 1 1 1\nElementType = \0MET\0\nElementDataFile = LOCAL\n'),
  'surrogate.stl': () => Buffer.from('solid \0\nfacet normal 0 0 1\nouter loop\nvertex \0 0 0\n'),
  'claims.stl': () => makeStl(4_000_000_000),
  'claims.ply': () =>
    Buffer.from(
      'ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float z\nelement face 4000000000\nproperty list uint int vertex_indices\nend_header\n',
    ),
  'lines.obj': () => Buffer.alloc(20 * megabyte, 'v 0 0 0\nf 1 1 1\n'),
  'assembly.step': manyBlocks,
};

describe.each(Object.entries(files))('%s', (name, make) => {
  it('fails with a message that names it and leaves nothing, and the next file is read', async () => {
    const bytes = make();
    const before = await harness.db.$count(blobs);
    const slowness = contention();
    const startedAt = performance.now();
    const row = await harness.ended(await harness.upload(name, bytes, { unit: 'mm', voxelSizeMm: '1' }));
    expect(row.status).toBe('failed');
    expect(row.error?.code).not.toBe('INTERNAL');
    expect(row.error?.detail).toContain(name);
    const endedAt = performance.now();
    const slownessThen = contention();
    // The load can change while a file is read, so it is measured before and after.
    const expectSoon = (tookMs: number, seconds: number, ...slow: number[]) =>
      expect(tookMs).toBeLessThan(seconds * 1000 * Math.max(...slow));
    expectSoon(endedAt - startedAt, limits.seconds + 3, slowness, slownessThen);
    expect(await harness.db.$count(blobs)).toBe(before);
    const part = {
      positions: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1),
      indices: Uint32Array.of(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3),
    };
    const nextAt = performance.now();
    const next = await harness.ended(await harness.upload('part.stl', writeStl(part), { unit: 'mm' }));
    const nextMs = performance.now() - nextAt;
    expect(next.error).toBeNull();
    expectSoon(nextMs, limits.seconds, slownessThen, contention());
  });
});

it('cancels a slow STEP file within a second', async () => {
  await expectWithin(1000, async () => {
    const id = await harness.upload('cancelled.step', manyBlocks());
    await harness.until(async () => (await harness.read(id)).stage === 'Reading the CAD model');
    const elapsedMs = startStopwatch();
    await inTransaction(harness.db, (tx) => cancelWork(tx, 'operation', id));
    expect((await harness.ended(id)).status).toBe('cancelled');
    return elapsedMs();
  });
});
