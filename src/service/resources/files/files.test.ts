import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registerBlob } from '#storage/blobs/sweep.ts';
import { dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { type TestService, testService } from '../../testing/service.ts';
import { parseRange } from './routes.ts';

const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
const fileName = 'Gehäuse 1.stl';
let service: TestService;
let dataObjectId: string;
let address: string;

beforeAll(async () => {
  service = await testService();
  const { id: projectId } = await service.project();
  const blobKey = 'files/aa/part';
  await registerBlob(service.db, { key: blobKey, kind: 'object' });
  const { sha256, sizeBytes } = await service.blobs.put(blobKey, bytes);
  const [object] = await service.db
    .insert(dataObjects)
    .values({ projectId, ...exampleContent('mesh'), name: 'Mesh' })
    .returning();
  dataObjectId = object.id;
  const file = { dataObjectId, fileName, mediaType: 'model/stl', sizeBytes, sha256, blobKey };
  await service.db.insert(dataObjectFiles).values(file);
  const url = `/api/v2/export/${dataObjectId}/${encodeURIComponent(fileName)}`;
  const { body, status } = await service.ask<{ url: string; sha256: string }>('GET', url, undefined, {
    token: service.token,
  });
  expect([status, body.sha256]).toEqual([200, createHash('sha256').update(bytes).digest('hex')]);
  address = new URL(body.url).pathname;
});
afterAll(() => service.close());

const get = (headers: Record<string, string> = {}, url = address, method: 'GET' | 'HEAD' = 'GET') =>
  service.server.inject({ method, url, headers });

describe('a signed address', () => {
  test('serves the file without any header, under its name', async () => {
    const answer = await get();
    expect([answer.statusCode, answer.rawPayload]).toEqual([200, Buffer.from(bytes)]);
    expect(answer.headers['content-type']).toBe('model/stl');
    expect(answer.headers['content-disposition']).toContain("filename*=UTF-8''Geh%C3%A4use%201.stl");
  });

  test.each([
    ['bytes=0-9', 0, 10],
    ['bytes=990-', 990, 1000],
    ['bytes=-5', 995, 1000],
    ['bytes=990-5000', 990, 1000],
  ])('serves the range %s', async (range, start, end) => {
    const answer = await get({ range });
    expect(answer.statusCode).toBe(206);
    expect(answer.headers['content-range']).toBe(`bytes ${start}-${end - 1}/1000`);
    expect(answer.rawPayload).toEqual(Buffer.from(bytes.slice(start, end)));
  });

  test('serves the whole file when If-Range names another version, and 304 when the client has it', async () => {
    const etag = String((await get()).headers['etag']);
    expect((await get({ range: 'bytes=0-9', 'if-range': etag })).statusCode).toBe(206);
    expect((await get({ range: 'bytes=0-9', 'if-range': '"other"' })).statusCode).toBe(200);
    expect((await get({ 'if-none-match': etag })).statusCode).toBe(304);
  });

  test('refuses a range beyond the end, and responds to HEAD with the size only', async () => {
    const beyond = await get({ range: 'bytes=1000-' });
    expect([beyond.statusCode, beyond.headers['content-range']]).toEqual([416, 'bytes */1000']);
    const head = await get({}, address, 'HEAD');
    expect([head.statusCode, head.headers['content-length'], head.rawPayload.length]).toEqual([
      200,
      '1000',
      0,
    ]);
  });

  test('that was modified in any part is not found', async () => {
    const [, , , signature, name] = address.split('/');
    const parts = signature.split('.');
    for (const changed of [
      `/api/files/${signature}/other.stl`,
      `/api/files/${parts[0]}.${Number(parts[1]) + 1}.${parts[2]}/${name}`,
      `/api/files/${parts[0]}x.${parts[1]}.${parts[2]}/${name}`,
      `/api/files/${parts[0]}.${parts[1]}/${name}`,
    ]) {
      const answer = await get({}, changed);
      expect([changed, answer.statusCode]).toEqual([changed, 404]);
    }
  });
});

test('a file that the data object does not have is not found', async () => {
  const { status } = await service.ask('GET', `/api/v2/export/${dataObjectId}/x.stl`, undefined, {
    token: service.token,
  });
  expect(status).toBe(404);
});

test('anything but a single range means the whole file', () => {
  for (const header of [undefined, 'bytes=-', 'bytes=5-2', 'bytes=0-1,3-4', 'lines=1-2'])
    expect(parseRange(header, 100)).toBeUndefined();
  expect(parseRange('bytes=0-', 0)).toBeNull();
});
