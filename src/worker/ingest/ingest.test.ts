import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { VolumeFacts } from '#contract/metadata/volume.ts';
import { readGlb } from '#formats/glb/read-glb.ts';
import { writeGlb } from '#formats/glb/write-glb.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { openVolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { writePly } from '#formats/ply/write-ply.ts';
import { writeRaw } from '#formats/raw/write-raw.ts';
import { writeStl } from '#formats/stl/write-stl.ts';
import { buildIges } from '#formats/testing/build-iges.ts';
import { buildStep } from '#formats/testing/build-step.ts';
import { listGlbFaults } from '#formats/testing/check-glb.ts';
import { collect } from '#formats/testing/collect.ts';
import { writeTiff } from '#formats/tiff/write-tiff.ts';
import { writeZip } from '#formats/zip/write-zip.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { measureMesh } from '#kernels/mesh/measure.ts';
import { sphere } from '#kernels/testing/bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { uploadFile } from '#storage/data-folder.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { subscribe } from '#storage/db/events.ts';
import { notifications } from '#storage/db/schema-collaboration.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { blobs, projects } from '#storage/db/schema-projects.ts';
import { operations, uploads } from '#storage/db/schema-work.ts';
import { requestWork, retryWork } from '#storage/work/life.ts';
import { WorkerQueue } from '#storage/work/queue.ts';
import { demoParts } from '../demo/parts.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';
import { WorkRun } from '../work/work-run.ts';
import { requireMemory } from './import-volume.ts';

let harness: WorkerHarness;
beforeAll(async () => {
  harness = await openWorkerHarness();
  await harness.startWorker();
});
afterAll(() => harness.close());

const ball = renderBody(sphere(2), { dimensions: [64, 60, 56], voxelSizeMm: [0.1, 0.1, 0.1], noise: 300 });
const part = demoParts.find(({ cad }) => cad)?.cad?.mesh;
if (!part) throw new Error('no part of the demo has a nominal shape');
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const asciiObj = (mesh: typeof part) =>
  Buffer.from(
    [
      ...Array.from({ length: mesh.positions.length / 3 }, (_, i) =>
        ['v', ...mesh.positions.slice(3 * i, 3 * i + 3)].join(' '),
      ),
      ...Array.from({ length: mesh.indices.length / 3 }, (_, i) =>
        ['f', ...mesh.indices.slice(3 * i, 3 * i + 3).map((v) => v + 1)].join(' '),
      ),
    ].join('\n'),
  );

const listData = (projectId: string) =>
  harness.db.select().from(dataObjects).where(eq(dataObjects.projectId, projectId));
const readBlobs = async () => (await harness.db.select().from(blobs)).map(({ key }) => key).sort();

const volumes: [string, () => Promise<Uint8Array>, Record<string, string>][] = [
  ['ball.nrrd', () => collect(writeNrrd(makeSlabs(ball))), {}],
  ['packed.nrrd', () => collect(writeNrrd(makeSlabs(ball), { encoding: 'gzip' })), {}],
  ['ball.tif', () => collect(writeTiff(makeSlabs(ball))), {}],
  [
    'ball.raw',
    () => collect(writeRaw(makeSlabs(ball))),
    { dimensions: '64,60,56', dataType: 'uint16', byteOrder: 'little', voxelSizeMm: '0.1' },
  ],
  [
    'ball.zip',
    () => collect(writeZip([{ path: 'scan/ball.nrrd', data: writeNrrd(makeSlabs(ball)), compress: true }])),
    {},
  ],
];

describe('volumes', () => {
  it('are visible before they are judged, and processing continues from there after a worker was lost', async () => {
    const projectId = await harness.newProject('Shown early');
    const listed: Promise<unknown[]>[] = [];
    const report = WorkRun.prototype.report;
    const spy = vi.spyOn(WorkRun.prototype, 'report').mockImplementation(function (this: WorkRun, ...words) {
      report.call(this, ...words);
      if (words[1] === 'Checking the scan quality') listed.push(listData(projectId));
    });
    const released = vi.spyOn(WorkerQueue.prototype, 'release');
    const told: string[] = [];
    const { promise: heardTwice, resolve: hearTwice } = Promise.withResolvers<void>();
    const listening = await subscribe(harness.database.url, {
      onEvent: ({ type, resource, projectId: of }) => {
        if (of === projectId && resource === 'dataObject') told.push(type);
        if (told.length === 2) hearTwice();
      },
    });
    const id = await harness.upload('ball.nrrd', await collect(writeNrrd(makeSlabs(ball))), {}, projectId);
    const first = await harness.ended(id);
    // By its own connection, which may hear later than the harness does.
    await heardTwice;
    await listening.close();
    const [object] = await listData(projectId);
    expect(await listed[0]).toMatchObject([{ id: object.id, volumeKey: object.volumeKey }]);
    expect(told).toEqual(['created', 'updated']);
    const { quality, ...known } = object.metadata as VolumeFacts;
    expect(quality?.contrastToNoise).toBeGreaterThan(50);
    // Others are imported meanwhile: judging holds no place of theirs.
    expect(released).toHaveBeenCalledWith(expect.objectContaining({ id, place: 'import' }), {
      place: 'judge',
    });
    released.mockRestore();

    // As a worker leaves it that is killed while it judges; the file that was uploaded is gone by then.
    await harness.db.update(dataObjects).set({ metadata: known }).where(eq(dataObjects.id, object.id));
    const before = await readBlobs();
    await inTransaction(harness.db, async (tx) => {
      const begun = { status: 'processing', finishedAt: null } as const;
      const [row] = await tx.update(operations).set(begun).where(eq(operations.id, id)).returning();
      await requestWork(tx, 'operation', row);
    });
    const again = await harness.ended(id);
    spy.mockRestore();
    expect([again.status, again.outputDataObjectIds]).toEqual(['completed', first.outputDataObjectIds]);
    expect(again.provenance).toEqual(first.provenance);
    const after = await listData(projectId);
    expect(after).toEqual([object]);
    expect(await readBlobs()).toEqual(before);
    const [project] = await harness.db.select().from(projects).where(eq(projects.id, projectId));
    expect([project.dataObjectCount, project.storageBytes]).toEqual([1, object.sizeBytes]);
  });

  it.each(volumes)(
    'takes %s over with its grey values, hash and picture',
    async (fileName, make, metadata) => {
      const bytes = await make();
      const projectId = await harness.newProject(fileName);
      const id = await harness.upload(fileName, bytes, metadata, projectId);
      const operation = await harness.ended(id);
      expect(operation.error).toBeNull();
      expect(operation.status).toBe('completed');
      const object = await harness.output(id, 'volume');
      expect(operation.outputDataObjectIds).toEqual([object.id]);
      expect(object.metadata).toMatchObject({
        dimensions: [64, 60, 56],
        dataType: 'uint16',
        sourceSha256: sha256(bytes),
        sourceFileName: fileName,
      });
      for (const size of object.metadata['voxelSizeMm'] as number[]) expect(size).toBeCloseTo(0.1, 6);
      expect(object.metadata['isoValue']).toBeGreaterThan(23_000);
      expect(object.metadata['isoValue']).toBeLessThan(25_000);
      const [source] = await harness.files(object.id);
      expect([source.fileName, source.sha256, source.sizeBytes]).toEqual([
        fileName,
        sha256(bytes),
        bytes.length,
      ]);
      expect(sha256(await harness.store.read(source.blobKey))).toBe(sha256(bytes));
      const reader = await openVolumeReader(harness.store, object.volumeKey ?? '');
      const slab = await reader.readSlab(0, 20, 30);
      expect(slab).toEqual(ball.data.slice(20 * 64 * 60, 30 * 64 * 60));
      const [project] = await harness.db.select().from(projects).where(eq(projects.id, projectId));
      expect([project.dataObjectCount, project.storageBytes]).toEqual([1, object.sizeBytes]);
      const png = await harness.store.read(project.thumbnailKey ?? '');
      expect(Buffer.from(png.subarray(1, 4)).toString()).toBe('PNG');
      const [upload] = await harness.db.select().from(uploads).where(eq(uploads.operationId, id));
      await harness.until(
        async () => (await stat(uploadFile(harness.config, upload.id)).catch(() => null)) === null,
      );
    },
  );

  it('notify the uploader when they are ready', async () => {
    const rows = await harness.db
      .select()
      .from(notifications)
      .where(eq(notifications.userId, harness.userId));
    expect(rows.map(({ title }) => title)).toContain('Import is ready: ball.nrrd');
  });

  it('request a spacing that the file lacks, and continue with it without a new upload', async () => {
    const bytes = await collect(writeRaw(makeSlabs(ball)));
    const id = await harness.upload('ball.raw', bytes, { dimensions: '64,60,56', dataType: 'uint16' });
    const failed = await harness.ended(id);
    expect(failed.status).toBe('failed');
    expect(failed.error).toMatchObject({ code: 'INPUT_INCOMPLETE', missing: ['voxelSizeMm'] });
    const parameters = { voxelSizeMm: [0.1, 0.1, 0.2] };
    await harness.db.transaction((tx) => retryWork(tx, 'operation', id, { parameters }));
    const done = await harness.ended(id);
    expect(done.error).toBeNull();
    const object = await harness.output(id, 'volume');
    expect(object.metadata['voxelSizeMm']).toEqual([0.1, 0.1, 0.2]);
    expect(done.provenance).toMatchObject({ parameters: { voxelSizeMm: [0.1, 0.1, 0.2] } });
  });
});

async function readContent(files: Awaited<ReturnType<WorkerHarness['files']>>, name: string) {
  return harness.store.read(files.find(({ fileName }) => fileName === name)?.blobKey ?? '');
}

describe('meshes', () => {
  const meshes: [string, Uint8Array, Record<string, string>][] = [
    ['housing.stl', writeStl(part), { unit: 'mm' }],
    ['housing.ply', writePly(part), { unit: 'mm' }],
    ['housing.obj', asciiObj(part), { unit: 'mm' }],
    ['mesh.glb', writeGlb(part), { kind: 'mesh' }],
  ];
  it.each(meshes)(
    'takes %s over with its measures and a GLB beside it',
    async (fileName, bytes, metadata) => {
      const id = await harness.upload(fileName, bytes, metadata);
      const operation = await harness.ended(id);
      expect(operation.error).toBeNull();
      const object = await harness.output(id, metadata['kind'] === 'mesh' ? 'mesh' : 'cad');
      expect(object.metadata).toMatchObject({ triangles: 1536, watertight: true, components: 1 });
      expect(object.metadata['volumeMm3']).toBeCloseTo(224.004, 2);
      const files = await harness.files(object.id);
      const surface = fileName === 'mesh.glb' ? 'surface.glb' : 'mesh.glb';
      expect(files.map((file) => file.fileName).sort()).toEqual([fileName, surface].sort());
      expect(await listGlbFaults(await readContent(files, surface))).toEqual([]);
    },
  );

  const block = { size: [40, 30, 20], holeRadius: 8 } as const;
  const placed = [
    { at: [0, 0, 0], along: [1, 0, 0] },
    { at: [50, 0, 0], along: [0, 1, 0] },
  ];
  it.each([
    ['block.step', buildStep(block), 1],
    ['assembly.stp', buildStep({ ...block, placed, unit: 'inch' }), 2],
    ['tube.iges', buildIges({ radius: 12, height: 30, plate: [20, 10] }), 2],
  ])('imports %s as triangles in mm in a valid GLB', async (fileName, text, bodies) => {
    const id = await harness.upload(fileName, Buffer.from(text));
    expect((await harness.ended(id)).error).toBeNull();
    const object = await harness.output(id, 'cad');
    const glb = await readContent(await harness.files(object.id), 'mesh.glb');
    expect(await listGlbFaults(glb)).toEqual([]);
    const { positions, indices } = readGlb(glb);
    const facts = measureMesh(positions, indices);
    expect(object.metadata).toMatchObject({ triangles: facts.triangles, components: bodies });
    expect(facts.areaMm2).toBeCloseTo(object.metadata['areaMm2'] as number, 3);
  });

  it('of CAD files report faces that could not be read', async () => {
    const broken = buildStep(block).replace(/CYLINDRICAL_SURFACE\('',#\d+,/, "CYLINDRICAL_SURFACE('',$,");
    const { error, warnings } = await harness.ended(await harness.upload('part.step', Buffer.from(broken)));
    expect(error).toBeNull();
    expect(warnings.map(({ message }) => message)).toEqual([
      'part.step defines 7 faces, of which 6 could be read: the others are missing. Export it again.',
      expect.stringMatching(/^part\.step has no volume\. The surface is not closed: \d+ edges with one/),
    ]);
  });

  it('from STL files request the unit', async () => {
    const failed = await harness.ended(await harness.upload('part.stl', writeStl(part)));
    expect(failed.error).toMatchObject({ code: 'INPUT_INCOMPLETE', missing: ['unit'] });
  });
});

describe('unreadable uploads', () => {
  const truncated = async () => (await collect(writeNrrd(makeSlabs(ball)))).subarray(0, 100_000);
  it.each([
    ['cut.nrrd', truncated, {}, 'MALFORMED'],
    [
      'noise.bin.dat2',
      async () => Uint8Array.from({ length: 999 }, (_, i) => (i * 89) % 251),
      {},
      'UNSUPPORTED',
    ],
    [
      'bomb.nrrd',
      async () =>
        Buffer.from(
          'NRRD0004\ntype: float\ndimension: 3\nsizes: 100000 100000 100000\nspacings: 1 1 1\nencoding: raw\nendian: little\n\n',
        ),
      {},
      undefined,
    ],
    [
      'planes.nrrd',
      async () =>
        Buffer.concat([
          Buffer.from(
            'NRRD0004\ntype: float\ndimension: 3\nsizes: 20000 20000 128\nspacings: 1 1 1\nencoding: gzip\nendian: little\n\n',
          ),
          gzipSync(Buffer.alloc(1000)),
        ]),
      {},
      'MALFORMED',
    ],
    ['empty.tif', async () => Buffer.from('II*\0\0\0\0\0'), { voxelSizeMm: '1' }, 'MALFORMED'],
    ['part.step', async () => Buffer.from('ISO-10303-21;\nHEADER;\n'), {}, 'MALFORMED'],
    ['part.brep', async () => Buffer.from('DBRep_DrawableShape\n\nCASCADE Topology V1\n'), {}, 'UNSUPPORTED'],
    ['wrong.raw', async () => new Uint8Array(50), { voxelSizeMm: '-1' }, 'VALIDATION_FAILED'],
  ] as [string, () => Promise<Uint8Array>, Record<string, string>, string | undefined][])(
    '%s fails with a sentence and leaves nothing',
    async (fileName, make, metadata, code) => {
      const id = await harness.upload(fileName, await make(), metadata);
      const { status, error } = await harness.ended(id);
      expect(status).toBe('failed');
      expect(error?.code).not.toBe('INTERNAL');
      if (code) expect(error?.code).toBe(code);
      expect(error?.detail).toMatch(/\w+ .*\./);
      expect(await harness.outputs(id)).toEqual([]);
    },
  );

  it('are refused before anything is written if their planes do not fit into the machine’s memory', () => {
    const grid = { ...makeSlabs(ball).grid, dimensions: [8000, 8000, 4000] as [number, number, number] };
    const gib = 1024 ** 3;
    const volume = { grid, dataType: 'uint16', workingBytes: 0 } as const;
    expect(() => requireMemory(volume, 16 * gib)).toThrow(/8000 × 8000 × 4000 voxels takes 1\d\.\d GiB/);
    expect(() => requireMemory(volume, 64 * gib)).not.toThrow();
    // The reader's own memory counts, too.
    expect(() => requireMemory({ ...volume, workingBytes: 25 * gib }, 64 * gib)).toThrow(
      /voxels takes 3\d\.\d GiB/,
    );
  });

  it('report that their bytes are gone', async () => {
    const id = crypto.randomUUID();
    await harness.db.transaction(async (tx) => {
      const { projectId, organizationId } = harness;
      const values = { id, projectId, organizationId, operation: 'ingest' };
      const [row] = await tx.insert(operations).values(values).returning();
      await requestWork(tx, 'operation', row);
    });
    expect((await harness.ended(id)).error?.code).toBe('UPLOAD_GONE');
  });

  it('are judged with infinite grey values, too', async () => {
    const { dimensions } = ball;
    const data = Float32Array.from(ball.data, (grey, n) => (n % dimensions[0] === 2 ? Infinity : grey));
    const file = await collect(writeNrrd(makeSlabs({ ...ball, dataType: 'float32', data })));
    const id = await harness.upload('infinite.nrrd', file);
    expect((await harness.ended(id)).error).toBeNull();
    expect((await harness.output(id, 'volume')).metadata.quality).toMatchObject({ hasContrast: true });
  });

  it('do not stop the worker from taking the next upload', async () => {
    const id = await harness.upload('after.stl', writeStl(part), { unit: 'mm' });
    expect((await harness.ended(id)).status).toBe('completed');
  });

  it('leave no unreferenced blob', async () => {
    const { rows } = await harness.database.connection.pool.query(
      `select key from blobs b where not exists (select 1 from data_object_files f where f.blob_key = b.key)
         and not exists (select 1 from data_objects d where d.volume_key = b.key)
         and not exists (select 1 from projects p where p.thumbnail_key = b.key)`,
    );
    // Pictures of meshes in a project that has a picture already.
    expect(rows.every(({ key }: { key: string }) => key.startsWith('thumbnails/'))).toBe(true);
  });
});
