/** The bytes behind a signed address: whole, or a range of them. */
import { BlobNotFound, type ByteRange } from '#storage/blobs/blob-store.ts';
import { notFound } from '../../http/problem.ts';
import type { BindRoutes } from '../../services.ts';

/**
 * One range of RFC 9110; several, or anything else, mean the whole file.
 *
 * @returns undefined for the whole file, null for a range beyond its end
 */
export function parseRange(header: string | undefined, size: number): Required<ByteRange> | undefined | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  const [, first, last] = match;
  if (first === '') {
    const suffix = Number(last);
    return suffix === 0 || size === 0 ? null : { start: Math.max(0, size - suffix), end: size };
  }
  const start = Number(first);
  const end = last === '' ? size : Math.min(size, Number(last) + 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? null : { start, end };
}

const matches = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) ?? false;

export const bindFiles: BindRoutes = (binder, { blobs, addresses }) => {
  binder.bindRaw('downloadFile', async ({ params, request, reply }) => {
    const file = addresses.open(params['signature'], params['fileName']);
    const info = await blobs.head(file.key);
    if (!info) throw notFound('file any more');
    const etag = `"${file.key.split('/').at(-1)}"`;
    const seconds = Math.max(0, Math.floor((file.expiresAt.getTime() - Date.now()) / 1000));
    reply.headers({
      etag,
      'accept-ranges': 'bytes',
      'content-type': file.mediaType,
      'content-disposition': file.disposition,
      'last-modified': info.modifiedAt.toUTCString(),
      'cache-control': `private, max-age=${seconds}, immutable`,
      'cross-origin-resource-policy': 'cross-origin',
      // Whatever was uploaded, a browser that shows it runs nothing of it.
      'content-security-policy': "default-src 'none'; img-src 'self'; sandbox",
    });
    if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
    const ifRange = request.headers['if-range'];
    const mayBePart = ifRange === undefined || ifRange === etag || ifRange === info.modifiedAt.toUTCString();
    const size = info.sizeBytes;
    const range = mayBePart ? parseRange(request.headers.range, size) : undefined;
    if (range === null) {
      const detail = `the file has ${size} bytes`;
      return reply
        .code(416)
        .header('content-range', `bytes */${size}`)
        .removeHeader('content-disposition')
        .type('application/json; charset=utf-8')
        .send(JSON.stringify({ detail, code: 'VALIDATION_FAILED', field: 'Range' }));
    }
    const { start, end } = range ?? { start: 0, end: size };
    reply.code(range ? 206 : 200).header('content-length', end - start);
    if (range) reply.header('content-range', `bytes ${start}-${end - 1}/${size}`);
    if (request.method === 'HEAD' || end === start) return reply.send();
    try {
      return reply.send(await blobs.get(file.key, { start, end }));
    } catch (error) {
      if (error instanceof BlobNotFound) throw notFound('file any more');
      throw error;
    }
  });
};
