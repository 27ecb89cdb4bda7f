import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Picture } from '#formats/png/picture.ts';
import { writePng } from '#formats/png/write-png.ts';
import { meshPicture } from './mesh-picture.ts';
import { slicePicture } from './slice-picture.ts';

/** The samples of a PNG with filter 1 in every row, by the specification, not by our writer. */
function samplesOf(png: Uint8Array, channels: number) {
  const view = new DataView(png.buffer, png.byteOffset);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  const data: Uint8Array[] = [];
  for (let at = 8; at < png.length; ) {
    const length = view.getUint32(at);
    const type = Buffer.from(png.subarray(at + 4, at + 8)).toString();
    if (type === 'IDAT') data.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(data));
  const rows: number[][] = [];
  for (let y = 0; y < height; y++) {
    const row = [...raw.subarray(y * (width * channels + 1) + 1, (y + 1) * (width * channels + 1))];
    for (let i = channels; i < row.length; i++) row[i] = (row[i] + row[i - channels]) & 255;
    rows.push(row);
  }
  return rows;
}

test('a PNG holds the samples that were written', () => {
  const samples = Uint8Array.from([0, 10, 250, 3, 255, 7]);
  expect(samplesOf(writePng({ width: 3, height: 2, channels: 1, samples }), 1)).toEqual([
    [0, 10, 250],
    [3, 255, 7],
  ]);
});

test('a picture of a slice keeps the proportions in millimetres and stretches the grey values', () => {
  const plane = Uint16Array.from({ length: 40 * 20 }, (_, i) => (i % 40 < 20 ? 1000 : 3000));
  const picture = slicePicture(plane, [40, 20], [0.1, 0.1], 256);
  expect([picture.width, picture.height]).toEqual([256, 128]);
  expect(picture.samples[0]).toBe(0);
  expect(picture.samples[255]).toBe(255);
  const anisotropic = slicePicture(plane, [40, 20], [0.1, 0.2], 256);
  expect([anisotropic.width, anisotropic.height]).toEqual([256, 256]);
});

test('a slice of one grey value and one of NaN become pictures too', () => {
  expect(slicePicture(new Float32Array(16).fill(5), [4, 4], [1, 1], 8).samples).toEqual(new Uint8Array(64));
  expect(slicePicture(new Float32Array(16).fill(Number.NaN), [4, 4], [1, 1], 8).samples).toEqual(
    new Uint8Array(64),
  );
});

describe('a picture of a mesh', () => {
  const positions = Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]);
  const mesh = { positions, indices: Uint32Array.from([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]) };
  const pixel = ({ samples, channels }: Picture, x: number, y: number) => [
    ...samples.subarray((y * 64 + x) * channels, (y * 64 + x + 1) * channels),
  ];

  test('has it in the middle, and is transparent beside it', () => {
    const picture = meshPicture(mesh, 64);
    expect(pixel(picture, 32, 32)[3]).toBe(255);
    expect(pixel(picture, 0, 0)[3]).toBe(0);
    expect(pixel(picture, 32, 32)[0]).toBeGreaterThan(40);
  });

  test('is the same on a ground, which takes the place of what is transparent', () => {
    const colors = Uint8Array.from([200, 10, 10, 200, 10, 10, 200, 10, 10, 200, 10, 10]);
    for (const look of [{}, { colors }]) {
      const [clear, filled] = [
        meshPicture(mesh, 64, look),
        meshPicture(mesh, 64, { ...look, ground: [9, 8, 7] }),
      ];
      expect(pixel(filled, 0, 0)).toEqual([9, 8, 7]);
      expect(pixel(filled, 32, 32)).toEqual(pixel(clear, 32, 32).slice(0, 3));
    }
    const [red, green] = pixel(meshPicture(mesh, 64, { colors }), 32, 32);
    expect(red).toBeGreaterThan(8 * green);
  });
});
