import { undoPngFilters } from '#kernels/bytes/png-filters.ts';
import type { Picture } from '#kernels/picture/picture.ts';
import { malformed, unsupported } from '../format-error.ts';

const channelsOf: Record<number, 1 | 3 | 4> = { 0: 1, 2: 3, 6: 4 };
/** Larger images are refused. */
const maxSamples = 1 << 28;

/**
 * The samples of a PNG with 8 bits per sample, grey, RGB or RGBA, without interlacing. Runs in Node and in browsers.
 * Colour profiles are ignored.
 *
 * @throws FormatError MALFORMED, or UNSUPPORTED for other kinds of PNG
 * @see https://www.w3.org/TR/png-3/
 */
export async function readPng(bytes: Uint8Array): Promise<Picture> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 33 || view.getUint32(0) !== 0x89504e47 || view.getUint32(4) !== 0x0d0a1a0a) {
    throw malformed('PNG: the file does not begin as a PNG does.');
  }
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  const [depth, colour, interlaced] = [view.getUint8(24), view.getUint8(25), view.getUint8(28)];
  const channels = channelsOf[colour];
  if (depth !== 8 || !channels || interlaced !== 0) {
    throw unsupported(
      `PNG: ${depth} bits a sample of colour type ${colour}${interlaced ? ', interlaced,' : ''} is not read; 8 bits of grey, RGB or RGBA are.`,
    );
  }
  if (width * height * channels > maxSamples) {
    throw unsupported(`PNG: a picture of ${width} × ${height} pixels is larger than is read.`);
  }
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    if (at + 12 + length > bytes.length) throw malformed('PNG: the file ends within a chunk.');
    if (view.getUint32(at + 4) === 0x49444154) parts.push(bytes.slice(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const rowLength = width * channels;
  const filtered = await inflated(parts, (rowLength + 1) * height);
  for (let row = 0; row < height; row++) {
    const kind = filtered[row * (rowLength + 1)] ?? 0;
    if (kind > 4) throw malformed(`PNG: row ${row} has filter ${kind}, which does not exist.`);
  }
  return { width, height, channels, samples: undoPngFilters(filtered, rowLength, height, channels) };
}

async function inflated(parts: Uint8Array<ArrayBuffer>[], expected: number): Promise<Uint8Array> {
  const out = new Uint8Array(expected);
  let at = 0;
  const reader = new Blob(parts).stream().pipeThrough(new DecompressionStream('deflate')).getReader();
  try {
    for (let { done, value } = await reader.read(); !done && value; { done, value } = await reader.read()) {
      if (at + value.length > expected) throw malformed('PNG: there are more samples than the picture has.');
      out.set(value, at);
      at += value.length;
    }
  } catch (cause) {
    if (cause instanceof TypeError) throw malformed('PNG: the compressed samples are damaged.');
    throw cause;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  if (at < expected) throw malformed('PNG: there are fewer samples than the picture has.');
  return out;
}
