import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';
import type { Picture } from '#kernels/picture/picture.ts';

const deflated = promisify(deflate);
const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/**
 * A picture as PNG with 8 bits per sample, without interlacing.
 *
 * @param level compression level, from 1 (for temporary pictures) to 9
 * @see https://www.w3.org/TR/png-3/
 */
export async function writePng(
  { width, height, channels, samples }: Picture,
  level = 6,
): Promise<Uint8Array> {
  if (samples.length !== width * height * channels) {
    throw new RangeError(
      `a ${width}×${height} picture of ${channels} channels can't have ${samples.length} samples`,
    );
  }
  const rowLength = width * channels;
  const filtered = new Uint8Array((rowLength + 1) * height);
  for (let row = 0; row < height; row++) {
    const from = row * rowLength;
    const to = row * (rowLength + 1) + 1;
    // Filter 1 (difference to the pixel on the left): smooth pictures become small numbers.
    filtered[to - 1] = 1;
    for (let i = 0; i < rowLength; i++) {
      const left = i < channels ? 0 : (samples[from + i - channels] ?? 0);
      filtered[to + i] = (samples[from + i] ?? 0) - left;
    }
  }
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header[8] = 8;
  header[9] = { 1: 0, 3: 2, 4: 6 }[channels];
  const chunks = [
    Uint8Array.from(signature),
    chunk('IHDR', header),
    chunk('IDAT', await deflated(filtered, { level })),
    chunk('IEND', new Uint8Array(0)),
  ];
  return Buffer.concat(chunks);
}

function chunk(type: string, body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, body.length);
  bytes.set(new TextEncoder().encode(type), 4);
  bytes.set(body, 8);
  view.setUint32(8 + body.length, crc32(bytes.subarray(4, 8 + body.length)));
  return bytes;
}
