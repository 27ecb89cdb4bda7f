import { createHash } from 'node:crypto';
import { isCompleted, signInTo } from './support/client.ts';
import { tube, tubeNrrd } from './support/scans.ts';
import { administrator } from './support/service.ts';
import { expect, serviceUrl, test } from './support/test.ts';

interface View {
  id: string;
  data: string;
  version: number;
  parameters: Record<string, unknown>;
}

const fetchBytes = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers });
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
};

test('A volume is read as details, resolution, views, slices and its own file', async () => {
  const client = await signInTo({ url: serviceUrl(), ...administrator });
  const projectId = await client.createProject('Read back');
  const nrrd = await tubeNrrd();
  await client.upload(projectId, nrrd, { filename: 'tube.nrrd' });
  const { outputDataObjectIds } = await client.operation(projectId, 'ingest', isCompleted);
  const id = outputDataObjectIds[0];
  const { dimensions: n, voxelSizeMm } = tube;

  await test.step('details and resolution match the upload', async () => {
    const details = await client.call<{
      kind: string;
      files: { fileName: string; sha256: string }[];
      metadata: Record<string, unknown>;
    }>('GET', `/api/v2/data/${id}`);
    expect(details).toMatchObject({
      kind: 'volume',
      metadata: { dimensions: [n, n, n], dataType: 'uint16' },
    });
    expect(details.files).toContainEqual(
      expect.objectContaining({
        fileName: 'tube.nrrd',
        sha256: createHash('sha256').update(nrrd).digest('hex'),
      }),
    );
    const resolution = await client.call('GET', `/api/v2/data/${id}/resolution`);
    expect(resolution).toMatchObject({
      dimensions: [n, n, n],
      voxelSizeMm: [voxelSizeMm, voxelSizeMm, voxelSizeMm],
    });
  });

  await test.step('a view is created once per size, format and mapping', async () => {
    const query = '?outputFormat=raw&max_dimension_size=26&skip_normalization=true';
    const first = await client.call<View>('GET', `/api/v2/data/${id}/view${query}`);
    const second = await client.call<View>('GET', `/api/v2/data/${id}/view${query}`);
    expect(second.id).toBe(first.id);
    const { bytes } = await fetchBytes(first.data);
    expect(bytes.byteLength).toBe(26 ** 3 * 2);
    // the middle of the wall at half resolution is pure material, the bore pure air
    const values = new Uint16Array(bytes.buffer);
    const at = (x: number, y: number, z: number) => values[x + 26 * (y + 26 * z)];
    const wall = Math.round(13 - 0.5 + (tube.outerRadiusMm - tube.wallMm / 2) / (voxelSizeMm * 2));
    expect(at(wall, 13, 13)).toBe(40_000);
    expect(at(13, 13, 13)).toBe(8_000);

    const mapped = await client.call<View>(
      'GET',
      `/api/v2/data/${id}/view?outputFormat=nrrd&mapped_percentile_range=1,99&max_voxel_count=5000`,
    );
    expect(mapped.id).not.toBe(first.id);
    expect(new TextDecoder().decode((await fetchBytes(mapped.data)).bytes.subarray(0, 7))).toBe('NRRD000');
    const tiff = await client.call<View>('GET', `/api/v2/data/${id}/view?outputFormat=tiff`);
    expect([...(await fetchBytes(tiff.data)).bytes.subarray(0, 4)]).toEqual([0x49, 0x49, 42, 0]);
  });

  await test.step('a level is returned whole, the finest that is small enough', async () => {
    const headers = { Authorization: `Token ${client.token}` };
    const address = `${serviceUrl()}/api/v2/data/${id}/level`;
    const { response, bytes } = await fetchBytes(address, headers);
    const told = ['x-dimensions', 'x-spacing-mm', 'x-data-type', 'content-length'];
    expect(told.map((name) => response.headers.get(name))).toEqual([
      `${n},${n},${n}`,
      `${voxelSizeMm},${voxelSizeMm},${voxelSizeMm}`,
      'uint16',
      String(2 * n ** 3),
    ]);
    // The file ends with the same values.
    expect(Buffer.compare(bytes, nrrd.subarray(nrrd.byteLength - bytes.byteLength))).toBe(0);
    const etag = response.headers.get('etag') ?? '';
    expect((await fetch(address, { headers: { ...headers, 'If-None-Match': etag } })).status).toBe(304);
    expect((await fetch(`${address}?max_dimension_size=63`, { headers })).status).toBe(400);
  });

  await test.step('a slice is a plane of the volume', async () => {
    const authorization = { Authorization: `Token ${client.token}` };
    const { response, bytes } = await fetchBytes(
      `${serviceUrl()}/api/v2/data/${id}/slice?axis=z`,
      authorization,
    );
    expect(response.headers.get('x-data-type')).toBe('uint16');
    expect(bytes.byteLength).toBe(n * n * 2);
    const png = await fetchBytes(`${serviceUrl()}/api/v2/data/${id}/slice?axis=x&format=png`, authorization);
    expect([...png.bytes.subarray(1, 4)]).toEqual([0x50, 0x4e, 0x47]);
    const address = `${serviceUrl()}/api/v2/data/${id}/slice?axis=x&rect=5,7,50,40`;
    const part = await fetchBytes(address, { ...authorization, 'Accept-Encoding': 'gzip, zstd' });
    const [origin, tag] = [part.response.headers.get('x-origin-mm'), part.response.headers.get('etag') ?? ''];
    expect(part.response.headers.get('content-encoding')).toBe('zstd');
    const plain = await fetchBytes(address, { ...authorization, 'Accept-Encoding': 'identity' });
    expect(plain.response.headers.get('content-encoding')).toBeNull();
    expect(plain.bytes.byteLength).toBe(45 * 33 * 2);
    // Decompressed by fetch.
    expect(Buffer.compare(part.bytes, plain.bytes)).toBe(0);
    const whole = await fetchBytes(`${serviceUrl()}/api/v2/data/${id}/slice?axis=x`, authorization);
    const values = new DataView(whole.bytes.buffer, whole.bytes.byteOffset);
    expect(new DataView(plain.bytes.buffer, plain.bytes.byteOffset).getUint16(2 * 46, true)).toBe(
      values.getUint16(2 * (8 * n + 6), true),
    );
    expect(origin).not.toBe(whole.response.headers.get('x-origin-mm'));
    expect((await fetch(address, { headers: { ...authorization, 'If-None-Match': tag } })).status).toBe(304);
    expect((await fetch(`${address}0000`, { headers: authorization })).status).toBe(400);
    const refused = await fetch(`${serviceUrl()}/api/v2/data/${id}/slice?axis=w`, { headers: authorization });
    expect(refused.status).toBe(400);
  });

  await test.step('the file is returned whole and in part, and only at its signed address', async () => {
    const file = await client.call<{ url: string }>('GET', `/api/v2/export/${id}/tube.nrrd`);
    expect(Buffer.compare((await fetchBytes(file.url)).bytes, nrrd)).toBe(0);
    const part = await fetchBytes(file.url, { Range: 'bytes=10-19' });
    expect(part.response.status).toBe(206);
    expect([...part.bytes]).toEqual([...nrrd.subarray(10, 20)]);
    const forged = file.url.replace(/files\/(.)/, (_, letter) => `files/${letter === 'A' ? 'B' : 'A'}`);
    expect((await fetch(forged)).status).toBe(404);
  });
});
