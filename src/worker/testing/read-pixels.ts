import { inflateSync } from 'node:zlib';
import { expect } from 'vitest';

/**
 * Reads an 8-bit RGB PNG whose rows use filter 1 (difference to the pixel on the left).
 *
 * @returns red, green and blue of the pixel in a column and a row
 */
export function readPixels(png: Uint8Array): (x: number, y: number) => number[] {
  const bytes = Buffer.from(png);
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const data: Buffer[] = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  }
  const stride = 3 * width + 1;
  const rows = inflateSync(Buffer.concat(data));
  expect(rows.length).toBe(stride * height);
  for (let start = 0; start < rows.length; start += stride) {
    expect(rows[start]).toBe(1);
    for (let i = start + 4; i < start + stride; i++) rows[i] += rows[i - 3];
  }
  return (x, y) => [...rows.subarray(y * stride + 1 + 3 * x, y * stride + 4 + 3 * x)];
}
