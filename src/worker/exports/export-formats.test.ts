import { eq } from 'drizzle-orm';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bytesSource } from '#formats/bytes/byte-source.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { openMesh } from '#formats/open-mesh.ts';
import { openVolume } from '#formats/open-volume.ts';
import { collect, listValues } from '#formats/testing/collect.ts';
import { readZipDirectory } from '#formats/zip/zip-directory.ts';
import { UnpackedCache, zipEntrySource } from '#formats/zip/zip-entry-source.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { box } from '#kernels/testing/bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { newBlobKey } from '#storage/blobs/blob-store.ts';
import { registerBlob } from '#storage/blobs/sweep.ts';
import { dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import { type ExportConfig, exports } from '#storage/db/schema-work.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { requestWork } from '#storage/work/life.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';

let harness: WorkerHarness;
let mailServer: SMTPServer;
const mails: { from: string; to: string[]; text: string }[] = [];
const block = renderBody(box([2, 2, 2]), { dimensions: [40, 36, 32], voxelSizeMm: [0.1, 0.1, 0.1] });

const listening = (server: SMTPServer) =>
  new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });

beforeAll(async () => {
  mailServer = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(parts).toString(),
        });
        done();
      });
    },
  });
  const port = await listening(mailServer);
  harness = await openWorkerHarness({
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    PUBLIC_URL: 'https://scans.example.com',
  });
  await harness.startWorker();
  await harness.ended(await harness.upload('block.nrrd', await collect(writeNrrd(makeSlabs(block)))));
  await harness.ended(await harness.request('createMesh'));
  await addRadiographs();
});
afterAll(async () => {
  await harness.close();
  await new Promise<void>((resolve) => mailServer.close(() => resolve()));
});

const radiographs = {
  ...renderBody(box([1, 1, 1]), { dimensions: [12, 10, 5], voxelSizeMm: [0.2, 0.2, 0.2] }),
};

/** A stack of five radiographs, stored as one NRRD. */
async function addRadiographs(): Promise<void> {
  const key = newBlobKey('files');
  await registerBlob(harness.db, { key, kind: 'object' });
  const { sizeBytes, sha256 } = await harness.store.put(
    key,
    await collect(writeNrrd(makeSlabs(radiographs))),
  );
  const content = exampleContent('radiographs', {
    projections: 5,
    detector: [12, 10],
    pixelSizeMm: [0.2, 0.2],
  });
  const [{ id }] = await harness.db
    .insert(dataObjects)
    .values({ projectId: harness.projectId, ...content, name: 'Radiographs', sizeBytes })
    .returning();
  await harness.db.insert(dataObjectFiles).values({
    dataObjectId: id,
    fileName: 'radiographs.nrrd',
    mediaType: 'application/x-nrrd',
    blobKey: key,
    sizeBytes,
    sha256,
  });
}

async function exported(config: ExportConfig, sendToRequester = false) {
  const id = await harness.db.transaction(async (tx) => {
    const values = { projectId: harness.projectId, config, sendToRequester, createdBy: harness.userId };
    const [row] = await tx.insert(exports).values(values).returning();
    await requestWork(tx, 'export', row);
    return row.id;
  });
  const read = async () => (await harness.db.select().from(exports).where(eq(exports.id, id)))[0];
  await harness.until(async () => (await read()).finishedAt !== null);
  const row = await read();
  expect(row.error).toBeNull();
  const source = bytesSource('export.zip', await harness.store.read(row.blobKey ?? ''));
  const cache = new UnpackedCache();
  const entries = new Map<string, Uint8Array>();
  for (const entry of await readZipDirectory(source)) {
    const part = zipEntrySource(source, entry, cache);
    entries.set(entry.path, await part.read(0, part.size));
  }
  return entries;
}

const only = (what: keyof ExportConfig): ExportConfig => ({
  exportMeshes: false,
  exportVolumes: false,
  exportRadiographs: false,
  [what]: true,
});
const bytesOf = (entries: Map<string, Uint8Array>, path: string): Uint8Array => {
  const found = entries.get(path);
  if (!found) throw new Error(`${path} is not among ${[...entries.keys()].join(', ')}`);
  return found;
};

it('exports every surface in each selected format, with the same triangles in all of them', async () => {
  const entries = await exported({ ...only('exportMeshes'), meshFormats: ['stl', 'ply', '3mf'] });
  expect([...entries.keys()].filter((path) => path.startsWith('meshes/')).sort()).toEqual([
    'meshes/Mesh/mesh.3mf',
    'meshes/Mesh/mesh.ply',
    'meshes/Mesh/mesh.stl',
  ]);
  const triangles: number[] = [];
  for (const format of ['stl', 'ply', '3mf']) {
    const source = bytesSource(`mesh.${format}`, bytesOf(entries, `meshes/Mesh/mesh.${format}`));
    triangles.push((await openMesh([source], { unit: 'mm' })).mesh.indices.length / 3);
  }
  expect(triangles[0]).toBeGreaterThan(500);
  expect(new Set(triangles).size).toBe(1);
});

it('exports a volume as a TIFF stack and as OME-Zarr with the same grey values', async () => {
  const tiff = await exported({ ...only('exportVolumes'), volumeFormat: 'tiff' });
  const volume = await openVolume([bytesSource('volume.tif', bytesOf(tiff, 'volumes/block/volume.tif'))]);
  expect(volume.grid.dimensions).toEqual([40, 36, 32]);
  expect(await listValues(volume.slabs)).toEqual([...block.data]);
  const zarr = await exported({ ...only('exportVolumes'), volumeFormat: 'omeZarr' });
  const root = 'volumes/block/volume.ome.zarr';
  const group = JSON.parse(Buffer.from(bytesOf(zarr, `${root}/zarr.json`)).toString());
  expect(group.attributes.ome.version).toBe('0.5');
  const array = JSON.parse(Buffer.from(bytesOf(zarr, `${root}/0/zarr.json`)).toString());
  expect(array.shape).toEqual([32, 36, 40]);
  const chunk = bytesOf(zarr, `${root}/0/c/0/0/0`);
  // The single brick comes first in the file, followed by the index.
  const brick = chunk.slice(0, block.data.byteLength);
  expect([...new Uint16Array(brick.buffer)]).toEqual([...block.data]);
});

it('exports radiographs as NRRD, TIFF stack and OME-Zarr with one plane per chunk', async () => {
  const folder = 'radiographs/Radiographs';
  const nrrd = await exported(only('exportRadiographs'));
  expect([...nrrd.keys()].filter((path) => path.startsWith(folder))).toEqual([`${folder}/radiographs.nrrd`]);
  const tiff = await exported({ ...only('exportRadiographs'), volumeFormat: 'tiff' });
  const stack = await openVolume([
    bytesSource('radiographs.tif', bytesOf(tiff, `${folder}/radiographs.tif`)),
  ]);
  expect(await listValues(stack.slabs)).toEqual([...radiographs.data]);
  const zarr = await exported({ ...only('exportRadiographs'), volumeFormat: 'omeZarr' });
  const root = `${folder}/radiographs.ome.zarr`;
  const array = JSON.parse(Buffer.from(bytesOf(zarr, `${root}/0/zarr.json`)).toString());
  expect([array.shape, array.chunk_grid.configuration.chunk_shape]).toEqual([
    [5, 10, 12],
    [1, 10, 12],
  ]);
  const plane = bytesOf(zarr, `${root}/0/c/3/0/0`);
  const values = new Uint16Array(plane.buffer.slice(plane.byteOffset, plane.byteOffset + plane.byteLength));
  expect([...values]).toEqual([...radiographs.data.subarray(3 * 120, 4 * 120)]);
});

it('mails the page’s address without a token to the requester, only if that was requested', async () => {
  await exported({ ...only('exportMeshes'), meshFormats: ['glb'] });
  expect(mails).toEqual([]);
  await exported({ ...only('exportMeshes'), meshFormats: ['glb'] }, true);
  await expect.poll(() => mails.length).toBe(1);
  const [{ to, from, text: raw }] = mails;
  // Quoted-printable breaks long lines with a = at their end.
  const text = raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');
  expect([to, from]).toEqual([['engineer@example.com'], 'no-reply@scans.example.com']);
  expect(text).toMatch(/^Subject: Export ready: Part/m);
  expect(text).toContain(`https://scans.example.com/projects/${harness.projectId}?tab=exports`);
  expect(text).not.toMatch(/api\/files|sw_|token/i);
});
