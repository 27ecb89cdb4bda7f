/** Sends slices, compressed if the client accepts it, and 304 if the client has them already. */
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { VolumePlane } from '#formats/ome-zarr/volume-reader.ts';

const compress = promisify(zstdCompress);
/** The fastest level: grey values are noisy, and higher levels would hardly compress better. */
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Smaller responses fit into a few packets anyway. */
const compressedFrom = 1024;

const takesZstd = ({ headers }: FastifyRequest): boolean =>
  String(headers['accept-encoding'] ?? '')
    .split(',')
    .some((coding) => /^\s*zstd\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/.test(coding));

/** Sends little-endian values, row by row. */
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
