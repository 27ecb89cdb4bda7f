/** How slices travel: compressed for who takes it, and not again where they are known already. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SliceQuery } from '#contract/shapes/data-object.ts';
import type { VolumePlane } from '#formats/ome-zarr/volume-reader.ts';

const compress = promisify(zstdCompress);
/** The fastest: grey values are noisy, and more work would hardly make them smaller. */
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Below this the answer fits into a few packets anyway. */
const compressedFrom = 1024;

/** A volume never changes under its key, so the question names the answer. */
export function tagSlice(volumeKey: string, query: SliceQuery): string {
  const hash = createHash('sha256').update(JSON.stringify([volumeKey, query]));
  return `W/"${hash.digest('base64url').slice(0, 22)}"`;
}

const takesZstd = ({ headers }: FastifyRequest): boolean =>
  String(headers['accept-encoding'] ?? '')
    .split(',')
    .some((coding) => /^\s*zstd\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/.test(coding));

/** Little-endian values, row by row. */
export async function sendValues(
  request: FastifyRequest,
  reply: FastifyReply,
  { buffer, byteOffset, byteLength }: VolumePlane['data'],
): Promise<FastifyReply> {
  const bytes = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
  reply.type('application/octet-stream');
  if (byteLength < compressedFrom || !takesZstd(request)) return reply.send(bytes);
  return reply.header('content-encoding', 'zstd').send(await compress(bytes, options));
}
