import { createHash } from 'node:crypto';
import { appendFile, writeFile } from 'node:fs/promises';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { uploadFile } from '#storage/data-folder.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations, uploads } from '#storage/db/schema-work.ts';
import { type TestService, testService } from '../../testing/service.ts';

let service: TestService;
let url: string;
let projectId: string;
beforeAll(async () => {
  service = await testService({ MAX_UPLOAD_BYTES: '100000' });
  url = await service.server.listen({ host: '127.0.0.1', port: 0 });
  projectId = (await service.project()).id;
});
afterAll(() => service.close());

const encode = (metadata: Record<string, string>) =>
  Object.entries(metadata)
    .map(([key, text]) => `${key} ${Buffer.from(text).toString('base64')}`)
    .join(',');

const send = (
  method: string,
  address: string,
  headers: Record<string, string>,
  body?: Uint8Array<ArrayBuffer>,
  token = service.token,
) =>
  fetch(address, {
    method,
    headers: { authorization: `Token ${token}`, 'tus-resumable': '1.0.0', ...headers },
    body,
  });

const create = (length: number, metadata: Record<string, string> = {}, token?: string) =>
  send(
    'POST',
    `${url}/api/v2/uploads`,
    {
      'upload-length': String(length),
      'upload-metadata': encode({ projectId, filename: 'scan.raw', ...metadata }),
    },
    undefined,
    token,
  );

const patch = (address: string, offset: number, bytes: Uint8Array<ArrayBuffer>, token?: string) =>
  send(
    'PATCH',
    address,
    { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
    bytes,
    token,
  );

const readIngest = (uploadId: string) =>
  service.db.select().from(operations).where(eq(operations.uploadId, uploadId));
const readHash = async (address: string) => {
  const [row] = await service.db
    .select()
    .from(uploads)
    .where(eq(uploads.id, readId(address)));
  return row.sha256;
};
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const readId = (address: string) => address.split('/').at(-1) as string;

describe('an upload', () => {
  test('arrives in pieces, reports its offset, and starts an import with its last byte', async () => {
    const created = await create(10);
    const address = created.headers.get('location') as string;
    expect([created.status, address.startsWith(`${url}/api/v2/uploads/`)]).toEqual([201, true]);
    expect((await patch(address, 0, new Uint8Array(4))).status).toBe(204);
    const head = await send('HEAD', address, {});
    expect([head.headers.get('upload-offset'), head.headers.get('upload-length')]).toEqual(['4', '10']);
    const unfinished = await service.ask<{ results: { offset: number }[] }>(
      'GET',
      `/api/v2/projects/${projectId}/uploads`,
      undefined,
      { token: service.token },
    );
    expect(unfinished.body.results.map(({ offset }) => offset)).toEqual([4]);
    expect((await patch(address, 2, new Uint8Array(4))).status).toBe(409);
    expect((await patch(address, 4, new Uint8Array(6))).status).toBe(204);
    expect(await readHash(address)).toBe(sha256(new Uint8Array(10)));
    const [ingest] = await readIngest(readId(address));
    expect([ingest.operation, ingest.status]).toEqual(['ingest', 'pending']);
    const after = await send('HEAD', address, {});
    expect(after.headers.get('upload-offset')).toBe('10');
    const read = await service.ask('GET', new URL(address).pathname, undefined, { token: service.token });
    expect(read.body).toMatchObject({
      fileName: 'scan.raw',
      sizeBytes: 10,
      offset: 10,
      operationId: ingest.id,
    });
  });

  test('whose last byte arrived before a crash starts one import when the client asks again', async () => {
    const address = (await create(6)).headers.get('location') as string;
    await patch(address, 0, new Uint8Array(3));
    // The state after a kill -9 between the last byte and the update of the row.
    await appendFile(uploadFile(service.config, readId(address)), new Uint8Array(3));
    for (let i = 0; i < 2; i += 1)
      expect((await send('HEAD', address, {})).headers.get('upload-offset')).toBe('6');
    expect(await readIngest(readId(address))).toHaveLength(1);
    expect(await readHash(address)).toBeNull();
  });

  test('has no hash when bytes arrived unseen, as before a restart', async () => {
    const address = (await create(9)).headers.get('location') as string;
    await patch(address, 0, new Uint8Array(3));
    await appendFile(uploadFile(service.config, readId(address)), new Uint8Array(3));
    expect((await patch(address, 6, new Uint8Array(3))).status).toBe(204);
    expect(await readIngest(readId(address))).toHaveLength(1);
    expect(await readHash(address)).toBeNull();
  });

  test('whose last byte arrives while the database is unavailable continues on retry', async () => {
    const address = (await create(6)).headers.get('location') as string;
    const { response } = await service.db.transaction(async (tx) => {
      const { rows } = await tx.execute<{ pid: number }>(
        sql`select pg_backend_pid() as pid from ${projects} where ${projects.id} = ${projectId} for update`,
      );
      const waiting = patch(address, 0, new Uint8Array(6));
      const endWaiting = async () => {
        const ended = await service.db.execute(
          sql`select pg_terminate_backend(pid) from pg_stat_activity where ${rows[0].pid} = any(pg_blocking_pids(pid))`,
        );
        return ended.rows.length;
      };
      await expect.poll(endWaiting, { timeout: 10_000 }).toBe(1);
      return { response: await waiting };
    });
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'UNAVAILABLE' }]);
    expect(await readIngest(readId(address))).toHaveLength(0);
    expect((await send('HEAD', address, {})).headers.get('upload-offset')).toBe('6');
    expect(await readIngest(readId(address))).toHaveLength(1);
  });

  test('that is aborted is deleted', async () => {
    const address = (await create(6)).headers.get('location') as string;
    expect((await send('DELETE', address, {})).status).toBe(204);
    expect((await send('HEAD', address, {})).status).toBe(404);
    expect((await patch(address, 0, new Uint8Array(6))).status).toBe(404);
  });

  test('is not accessible to others, nor writable by viewers', async () => {
    const address = (await create(6)).headers.get('location') as string;
    const { token } = await service.stranger();
    expect((await send('HEAD', address, {}, undefined, token)).status).toBe(404);
    expect((await patch(address, 0, new Uint8Array(6), token)).status).toBe(404);
    expect((await create(6, {}, token)).status).toBe(404);
    const viewer = await service.member({ role: 'viewer' });
    expect((await create(6, {}, viewer.token)).status).toBe(403);
    expect((await patch(address, 0, new Uint8Array(6), viewer.token)).status).toBe(403);
    expect((await patch(address, 0, new Uint8Array(6), 'sw_wrongwrongwrongwrong')).status).toBe(401);
  });
});

describe('creating an upload reports mistakes before the first byte', () => {
  test.each([
    [{ projectId: 'here' }, 'projectId'],
    [{ filename: '' }, 'filename'],
    [{ kind: 'photo' }, 'kind'],
    [{ voxelSizeMm: '0.1,x,0.1' }, 'voxelSizeMm'],
    [{ voxelSizeMm: '0.1,0,0.1' }, 'voxelSizeMm'],
    [{ dimensions: '1,2' }, 'dimensions'],
    [{ unit: 'furlong' }, 'unit'],
  ] as [Record<string, string>, string][])('%j', async (metadata, field) => {
    const answer = await create(10, metadata);
    const body = (await answer.json()) as { field: string };
    expect([answer.status, body.field.split('.')[0]]).toEqual([400, field]);
  });

  test('a file that is too large, or empty', async () => {
    expect((await create(100_001)).status).toBe(413);
    expect((await create(0)).status).toBe(400);
  });

  test('files that together have more than the disk has room for, unless one rests', async () => {
    const before = await create(10);
    const set = (values: Partial<typeof uploads.$inferInsert>) =>
      service.db
        .update(uploads)
        .set(values)
        .where(eq(uploads.id, readId(before.headers.get('location') as string)));
    await set({ sizeBytes: 1e15 });
    const refused = await create(10);
    expect([refused.status, await refused.json()]).toEqual([
      413,
      expect.objectContaining({
        code: 'PAYLOAD_TOO_LARGE',
        detail: expect.stringMatching(/room for 0 bytes/),
      }),
    ]);
    await set({ offsetBytes: 1e15 - 5 });
    expect((await create(10)).status).toBe(201);
    await set({ offsetBytes: 0, updatedAt: new Date(Date.now() - 2 * 3_600_000) });
    expect((await create(10)).status).toBe(201);
  });

  test('an archived project', async () => {
    const { id } = await service.project();
    await service.ask('POST', `/api/v2/projects/${id}/archive`, undefined, { token: service.token });
    const answer = await create(10, { projectId: id });
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
      409,
      'PROJECT_ARCHIVED',
    ]);
  });
});

test('an invalid tus header is reported as a problem', async () => {
  const address = (await create(4)).headers.get('location') as string;
  const type = { 'content-type': 'application/offset+octet-stream' };
  const wrong: [string, Record<string, string>, string][] = [
    ['PATCH', { ...type, 'upload-offset': '-1' }, 'Upload-Offset'],
    ['PATCH', { ...type, 'upload-offset': '1e0' }, 'Upload-Offset'],
    ['PATCH', { ...type, 'upload-offset': '0', 'tus-resumable': '0.2.0' }, 'Tus-Resumable'],
    ['PATCH', { ...type, 'upload-offset': '0', 'upload-concat': 'partial' }, 'Upload-Concat'],
    ['PATCH', { ...type, 'upload-offset': '0', 'upload-length': '04' }, 'Upload-Length'],
    ['PATCH', { ...type, 'upload-offset': '0', 'upload-length': '5' }, 'Upload-Length'],
  ];
  for (const [method, headers, field] of wrong) {
    const answer = await send(method, address, headers, Uint8Array.of(1));
    const body = (await answer.json()) as { code: string; field: string };
    expect([answer.status, body.code, body.field]).toEqual([400, 'VALIDATION_FAILED', field]);
  }
  const json = { 'content-type': 'application/json', 'upload-offset': '0' };
  const answer = await send('PATCH', address, json, Buffer.from('{}'));
  expect([answer.status, await answer.json()]).toEqual([
    415,
    { code: 'UNSUPPORTED_MEDIA_TYPE', detail: 'send the bytes as application/offset+octet-stream' },
  ]);
  // With several proxies, the header contains a list of protocols.
  const proxied = { ...type, 'upload-offset': '0', 'upload-length': '4', 'x-forwarded-proto': 'https, http' };
  expect((await send('PATCH', address, proxied, Uint8Array.of(1, 2, 3, 4))).status).toBe(204);
});

test('a path in a file name is treated as a plain name', async () => {
  const address = (await create(1, { filename: '../../etc/scan\u202e.raw' })).headers.get(
    'location',
  ) as string;
  const [row] = await service.db
    .select()
    .from(uploads)
    .where(eq(uploads.id, readId(address)));
  expect(row.fileName).toBe('scan.raw');
});

test('an upload that was complete when the service was killed is imported after the restart', async () => {
  const [row] = await service.db
    .insert(uploads)
    .values({ projectId, fileName: 'late.raw', sizeBytes: 4 })
    .returning();
  await writeFile(uploadFile(service.config, row.id), new Uint8Array(4));
  const { createReceiver } = await import('./receiver.ts');
  const { pino } = await import('pino');
  const parts = { ...service, log: pino({ level: 'silent' }) };
  await createReceiver(parts as unknown as Parameters<typeof createReceiver>[0]).recover();
  expect(await readIngest(row.id)).toHaveLength(1);
});
