import { truncate } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExportEstimate, ProjectExport } from '#contract/shapes/export.ts';
import { newBlobKey } from '#storage/blobs/blob-store.ts';
import { registerBlob } from '#storage/blobs/sweep.ts';
import { dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import { exports } from '#storage/db/schema-work.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { type TestService, testService } from '../../testing/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});
afterAll(() => service.close());

const as = (token = service.token) => ({ token });

/** Creates a blob of any length as a sparse file, which takes no disk space. */
async function sparseBlob(room: 'exports' | 'files', sizeBytes: number): Promise<string> {
  const key = newBlobKey(room);
  await registerBlob(service.db, { key, kind: 'object' });
  await service.blobs.put(key, new Uint8Array([1, 2, 3]));
  await truncate(path.join(service.config.dataDir, 'blobs', key), sizeBytes);
  return key;
}

async function meshIn(projectId: string) {
  const content = exampleContent('mesh', { vertices: 500, triangles: 1000 });
  const [{ id }] = await service.db
    .insert(dataObjects)
    .values({ projectId, ...content, name: 'Mesh', sizeBytes: 40_000 })
    .returning();
  await service.db.insert(dataObjectFiles).values({
    dataObjectId: id,
    fileName: 'mesh.glb',
    mediaType: 'model/gltf-binary',
    blobKey: await sparseBlob('files', 40_000),
    sizeBytes: 40_000,
    sha256: '0'.repeat(64),
  });
}

test('the size of each part is estimated for the requested formats', async () => {
  const { id } = await service.project();
  await meshIn(id);
  await service.db.insert(dataObjects).values({
    projectId: id,
    ...exampleContent('volume', { dimensions: [100, 100, 50], dataType: 'uint16' }),
    name: 'Volume',
    sizeBytes: 1_200_000,
    volumeKey: await sparseBlob('files', 10),
  });
  const estimate = async (query: string) => {
    const url = `/api/v2/projects/${id}/exportEstimate${query}`;
    const { status, body } = await service.ask<ExportEstimate>('GET', url, undefined, as());
    expect(status).toBe(200);
    return Object.fromEntries(body.parts.map(({ part, sizeBytes }) => [part, sizeBytes]));
  };
  expect(await estimate('')).toEqual({ meshes: 40_600, volumes: 1_000_000, radiographs: 0 });
  const other = await estimate('?volumeFormat=omeZarr&meshFormats=stl');
  expect(other).toEqual({ meshes: 600 + 84 + 50_000, volumes: 1_200_000, radiographs: 0 });
  const both = await estimate('?meshFormats=stl&meshFormats=glb');
  expect(both['meshes']).toBe(40_600 + 600 + 84 + 50_000);
});

test('an estimate names the invalid field, and is not found by a stranger', async () => {
  const { id } = await service.project();
  const url = `/api/v2/projects/${id}/exportEstimate`;
  const wrong = await service.ask('GET', `${url}?volumeFormat=png`, undefined, as());
  expect([wrong.status, wrong.body['field']]).toEqual([400, 'volumeFormat']);
  const { token } = await service.stranger();
  expect((await service.ask('GET', url, undefined, as(token))).status).toBe(404);
  const viewer = await service.member({ role: 'viewer' });
  expect((await service.ask('GET', url, undefined, as(viewer.token))).status).toBe(200);
});

test('an export keeps the chosen formats, and refuses unknown ones', async () => {
  const { id } = await service.project();
  const url = `/api/v2/projects/${id}/export`;
  const config = {
    exportMeshes: true,
    exportVolumes: true,
    volumeFormat: 'tiff',
    meshFormats: ['stl', 'ply'],
  };
  const made = await service.ask<ProjectExport>('POST', url, { config }, as());
  expect([made.status, made.body.config]).toEqual([202, { ...config, exportRadiographs: false }]);
  const unknown = await service.ask('POST', url, { config: { ...config, meshFormats: ['obj'] } }, as());
  expect([unknown.status, unknown.body['field']]).toEqual([400, 'config.meshFormats.0']);
});

test('a report is requested with one call, is distinguished from archives, and stays within the organization', async () => {
  const { id } = await service.project();
  const url = `/api/v2/projects/${id}/report`;
  const viewer = await service.member({ role: 'viewer' });
  const made = await service.ask<ProjectExport>('POST', url, undefined, as(viewer.token));
  expect([made.status, made.body.config.report, made.body.projectId]).toEqual([202, true, id]);
  const list = async (query: string) => {
    const path = `/api/v2/exports?project=${id}${query}`;
    const { body } = await service.ask<{ results: ProjectExport[] }>('GET', path, undefined, as());
    return body.results.map(({ config }) => config.report);
  };
  expect(await list('')).toEqual([true]);
  expect(await list('&status=failed&status=pending')).toEqual([true]);
  expect(await list('&status=failed&status=unknown')).toEqual([]);
  // Reading the newest export, as specified, returns an archive, never a PDF.
  expect((await service.ask('GET', `/api/v2/projects/${id}/export`, undefined, as())).status).toBe(404);
  const { token } = await service.stranger();
  expect((await service.ask('POST', url, undefined, as(token))).status).toBe(404);
});

test('a running export states its current step', async () => {
  const { id: projectId } = await service.project();
  const config = { exportMeshes: true, exportVolumes: false, exportRadiographs: false };
  const running = { status: 'processing', progress: 0.4, stage: 'Packing' } as const;
  await service.db.insert(exports).values({ projectId, config, ...running });
  const newest = await service.ask<ProjectExport>(
    'GET',
    `/api/v2/projects/${projectId}/export`,
    undefined,
    as(),
  );
  expect(newest.body).toMatchObject(running);
  const list = `/api/v2/exports?project=${projectId}`;
  const { body } = await service.ask<{ results: ProjectExport[] }>('GET', list, undefined, as());
  expect(body.results).toMatchObject([running]);
});

test('an interrupted download of more than 4 GiB can be resumed as long as the archive is kept', async () => {
  const { id: projectId } = await service.project();
  const sizeBytes = 5 * 1024 ** 3;
  const config = { exportMeshes: true, exportVolumes: false, exportRadiographs: false };
  await service.db.insert(exports).values({
    projectId,
    config,
    status: 'completed',
    blobKey: await sparseBlob('exports', sizeBytes),
    fileName: 'large.zip',
    sizeBytes,
    finishedAt: new Date(),
    exportGenerationTime: new Date(),
    expiresAt: new Date(Date.now() + 6 * 24 * 3600 * 1000),
  });
  const url = `/api/v2/projects/${projectId}/export`;
  const { body } = await service.ask<ProjectExport>('GET', url, undefined, as());
  const address = new URL(body.url ?? '').pathname;
  const head = await service.server.inject({ method: 'HEAD', url: address });
  expect([head.statusCode, head.headers['content-length'], head.headers['accept-ranges']]).toEqual([
    200,
    String(sizeBytes),
    'bytes',
  ]);
  const from = 4 * 1024 ** 3 + 10;
  const rest = await service.server.inject({
    url: address,
    headers: { range: `bytes=${from}-${from + 99}`, 'if-range': String(head.headers['etag']) },
  });
  expect([rest.statusCode, rest.headers['content-range'], rest.rawPayload.length]).toEqual([
    206,
    `bytes ${from}-${from + 99}/${sizeBytes}`,
    100,
  ]);
  const maxAge = Number(/max-age=(\d+)/.exec(String(head.headers['cache-control']))?.[1]);
  expect(maxAge).toBeGreaterThan(5.9 * 24 * 3600);
});

test('the service logged no error', () => {
  expect(service.errors).toEqual([]);
});
