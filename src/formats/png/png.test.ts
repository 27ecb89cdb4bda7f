import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../format-error.ts';
import { readPng } from './read-png.ts';
import { writePng } from './write-png.ts';

const chunk = (type: string, body: Uint8Array) => {
  const bytes = Buffer.alloc(12 + body.length);
  bytes.writeUInt32BE(body.length);
  bytes.write(type, 4);
  bytes.set(body, 8);
  return bytes;
};
/** A PNG with any header and rows, for files that our writer would not write. */
function makePng(header: number[], rows: number[], parts = 1): Uint8Array {
  const packed = deflateSync(Uint8Array.from(rows));
  const size = Math.ceil(packed.length / parts);
  const data = Array.from({ length: parts }, (_, i) =>
    chunk('IDAT', packed.subarray(i * size, (i + 1) * size)),
  );
  return Buffer.concat([
    Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', Uint8Array.from(header)),
    ...data,
    chunk('IEND', new Uint8Array()),
  ]);
}
const header = (width: number, height: number, depth = 8, colour = 0, interlaced = 0) => [
  ...[0, 0, 0, width],
  ...[0, 0, 0, height],
  ...[depth, colour, 0, 0, interlaced],
];

describe('PNG', () => {
  it('restores every sample, grey and in colour', async () => {
    for (const channels of [1, 3, 4] as const) {
      const samples = Uint8Array.from({ length: 7 * 5 * channels }, (_, i) => (i * 89) & 255);
      const picture = { width: 7, height: 5, channels, samples };
      expect(await readPng(await writePng(picture))).toEqual(picture);
    }
  });

  it('is read with each of the five row filters, in several parts', async () => {
    // Every row decodes to 10 20 40; the filters are none, left, above, average and Paeth.
    const rows = [
      [0, 10, 20, 40],
      [1, 10, 10, 20],
      [2, 0, 0, 0],
      [3, 5, 5, 10],
      [4, 0, 0, 0],
    ];
    const { samples } = await readPng(makePng(header(3, 5), rows.flat(), 3));
    expect([...samples]).toEqual([0, 1, 2, 3, 4].flatMap(() => [10, 20, 40]));
  });

  it('is refused with a reason when it is damaged or of an unsupported kind', async () => {
    const refusal = async (bytes: Uint8Array) => {
      const error = await readPng(bytes).catch((each: unknown) => each);
      expect(error).toBeInstanceOf(FormatError);
      return (error as FormatError).message;
    };
    expect(await refusal(new Uint8Array(50))).toMatch(/does not begin as a PNG/);
    expect(await refusal(makePng(header(3, 1, 16), [0, 1, 2, 3]))).toMatch(/16 bits a sample/);
    expect(await refusal(makePng(header(3, 1, 8, 0, 1), [0, 1, 2, 3]))).toMatch(/interlaced/);
    expect(await refusal(makePng(header(3, 1), [0, 1, 2]))).toMatch(/fewer samples/);
    expect(await refusal(makePng(header(3, 1), [0, 1, 2, 3, 4]))).toMatch(/more samples/);
    expect(await refusal(makePng(header(3, 1), [7, 1, 2, 3]))).toMatch(/filter 7/);
    const whole = makePng(header(3, 1), [0, 1, 2, 3]);
    expect(await refusal(whole.subarray(0, 45))).toMatch(/ends within a chunk/);
    expect(await refusal(whole.with(44, 0xff))).toMatch(/damaged/);
  });
});
