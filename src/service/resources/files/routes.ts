/** Serves files behind signed URLs, completely or by range. */
import { findFileReader } from '#storage/access/access.ts';
import { BlobNotFound, type ByteRange } from '#storage/blobs/blob-store.ts';
import { etagMatches } from '../../http/etag.ts';
import { notFound } from '../../http/problem.ts';
import { writeAudit } from '../../http/write-audit.ts';
import type { BindRoutes } from '../../services.ts';

/**
 * Parses a single range (RFC 9110); several ranges, or anything else, mean the whole file.
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

/** Interval at which the user's access is checked during a download. */
const RECHECK_MS = 5_000;
/** Repeated reads of a file by one user within this time count as one download, because viewers read files in ranges. */
const SAME_DOWNLOAD_MS = 60 * 60_000;
const MAX_REMEMBERED = 10_000;

/** Time of the last download of each file by each user, oldest first. */
class RecentDownloads {
  readonly #times = new Map<string, number>();

  /** @returns whether it counts as a new download */
  note(userId: string, key: string): boolean {
    const name = `${userId} ${key}`;
    const before = this.#times.get(name);
    if (before !== undefined && Date.now() - before < SAME_DOWNLOAD_MS) return false;
    this.#times.delete(name);
    this.#times.set(name, Date.now());
    const [oldest] = this.#times.keys();
    if (oldest !== undefined && this.#times.size > MAX_REMEMBERED) this.#times.delete(oldest);
    return true;
  }
}

export const bindFiles: BindRoutes = (binder, { blobs, addresses, db, log }) => {
  const recent = new RecentDownloads();

  binder.bindRaw('downloadFile', async ({ params, request, reply }) => {
    const file = addresses.open(params['signature'], params['fileName']);
    const { userId, source } = file;
    // Of projects in the trash, only pictures are served, for the list of the trash.
    const findReader = () => findFileReader(db, userId, source, { withDeleted: file.inline ?? false });
    const reader = await findReader();
    if (!reader) throw notFound('file');
    const info = await blobs.head(file.key);
    if (!info) throw notFound('file');
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
      // Prevents browsers from executing anything in uploaded files.
      'content-security-policy': "default-src 'none'; img-src 'self'; sandbox",
    });
    if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send();
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
    if (!file.inline && recent.note(userId, file.key)) {
      const { organizationId, projectId, email } = reader;
      const event = {
        organizationId,
        action: 'download',
        resource: 'file',
        detail: { fileName: file.fileName },
      };
      await writeAudit(
        db,
        { userId, email, address: request.ip },
        projectId ? { ...event, projectId } : event,
      );
    }
    try {
      const bytes = await blobs.get(file.key, { start, end });
      const watch = setInterval(() => {
        if (reply.raw.destroyed) return clearInterval(watch);
        findReader().then(
          (still) => still ?? reply.raw.destroy(),
          (err: unknown) => log.warn({ err }, 'the right to a download could not be checked'),
        );
      }, RECHECK_MS);
      reply.raw.once('close', () => clearInterval(watch));
      return reply.send(bytes);
    } catch (error) {
      if (error instanceof BlobNotFound) throw notFound('file');
      throw error;
    }
  });
};
