import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { writePng } from '#formats/png/write-png.ts';
import { colorMap } from '#kernels/color/maps.ts';
import type { Picture } from '#kernels/picture/picture.ts';
import { slicePicture } from '#kernels/picture/slice-picture.ts';
import { meshPicture, paintSurface, type SurfaceView, squarePane } from './surface-picture.ts';

/** The samples of a PNG with filter 1 in every row, by the specification, not by our writer. */
function readSamples(png: Uint8Array, channels: number) {
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

test('a PNG holds the samples that were written', async () => {
  const samples = Uint8Array.from([0, 10, 250, 3, 255, 7]);
  expect(readSamples(await writePng({ width: 3, height: 2, channels: 1, samples }), 1)).toEqual([
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
  const { signal } = new AbortController();
  const positions = Float32Array.from([0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1]);
  const mesh = { positions, indices: Uint32Array.from([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]) };
  const pixel = ({ samples, channels }: Picture, x: number, y: number) => [
    ...samples.subarray((y * 64 + x) * channels, (y * 64 + x + 1) * channels),
  ];

  const plain = {
    camera: null,
    clips: { box: null, planes: [], beforePlace: null },
    scene: { edges: false, gradient: false },
  };

  const listPixels = (picture: Picture) =>
    Array.from({ length: 64 * 64 }, (_, i) => pixel(picture, i % 64, Math.floor(i / 64)).join());

  test('shows it centred on a transparent background', async () => {
    const picture = await meshPicture(mesh, 64, signal);
    expect(pixel(picture, 32, 32)[3]).toBe(255);
    expect(pixel(picture, 0, 0)[3]).toBe(0);
    expect(pixel(picture, 32, 32)[0]).toBeGreaterThan(40);
  });

  test('is the same on an opaque background, which replaces only transparency', async () => {
    const values = { heightMm: Float32Array.of(0, 0, 1, 1) };
    const surface = { mesh: { ...mesh, scalars: values }, texture: null, scalars: [] };
    const look = { scalar: 'heightMm', map: 'viridis', range: [0, 1], opacity: 1, shaded: false } as const;
    const view: SurfaceView = { ...plain, surface: { ...look, range: [0, 1], brush: null } };
    const [clear, filled] = [squarePane(64, 4), squarePane(64, 3)];
    expect(await paintSurface(clear, surface, view, signal)).toEqual([0, 1]);
    await paintSurface(filled, surface, view, signal, { ground: [9, 8, 7] });
    expect(pixel(filled.picture, 0, 0)).toEqual([9, 8, 7]);
    const middle = pixel(clear.picture, 32, 32);
    expect(middle[3]).toBe(255);
    expect(pixel(filled.picture, 32, 32)).toEqual(middle.slice(0, 3));
    const entries = Array.from({ length: 256 }, (_, i) => [
      ...colorMap('viridis').subarray(3 * i, 3 * i + 3),
    ]);
    const nearest = Math.min(
      ...entries.map((entry) => Math.max(...entry.map((value, k) => Math.abs(value - (middle[k] ?? 0))))),
    );
    expect(nearest).toBeLessThanOrEqual(2);
  });

  test('shows tolerance bands, a brush, and the result’s limits as the viewer does', async () => {
    const values = { deviationMm: Float32Array.of(0.3, 0.3, 0.3, 0.3) };
    const scalar = { name: 'deviationMm', title: 'Deviation', unit: 'mm', center: 'zero' } as const;
    const limits: [number, number] = [-0.05, 0.2];
    const surface = { mesh: { ...mesh, scalars: values }, texture: null, scalars: [{ ...scalar, limits }] };
    const draw = async (change: Partial<SurfaceView['surface']>) => {
      const look = {
        scalar: 'deviationMm',
        map: 'tolerance',
        range: null,
        brush: null,
        opacity: 1,
        shaded: false,
      };
      const pane = squarePane(64, 3);
      const view = { ...plain, surface: { ...look, ...change } } as SurfaceView;
      const range = await paintSurface(pane, surface, view, signal);
      return { range, colours: new Set(range && listPixels(pane.picture)) };
    };
    const over = await draw({});
    expect(over.range).toEqual(limits);
    expect(over.colours).toContain([...colorMap('tolerance').subarray(-3)].join());
    const within = [...colorMap('tolerance').subarray(0, 3)].join();
    expect(over.colours).not.toContain(within);
    expect((await draw({ range: [0.2, 0.4] })).colours).toContain(within);
    expect((await draw({ range: [0.2, 0.4], brush: [0.2, 0.25] })).colours).not.toContain(within);
    expect((await draw({ map: 'coolwarm' })).range).toEqual([-0.2, 0.2]);
  });

  test('has lines along borders and creases, and none with exact colours', async () => {
    // Faces with corners of their own turn where they meet; shared ones have one normal, and bend nowhere.
    const corners = [...mesh.indices].flatMap((i) => [...positions.subarray(3 * i, 3 * i + 3)]);
    const facets = { positions: Float32Array.from(corners), indices: mesh.indices.map((_, i) => i) };
    const draw = async (shaded: boolean, edges: boolean) => {
      const look = { scalar: null, map: 'viridis', range: null, brush: null, opacity: 1, shaded } as const;
      const pane = squarePane(64, 3);
      const view = { ...plain, scene: { edges, gradient: true }, surface: look };
      await paintSurface(pane, { mesh: facets, texture: null, scalars: [] }, view, signal);
      return pane.picture;
    };
    const sum = ({ samples }: Picture) => samples.reduce((all, value) => all + value, 0);
    const [lit, lined] = [await draw(true, false), await draw(true, true)];
    expect(sum(lined)).toBeLessThan(sum(lit) - 20_000);
    const [before, after] = [listPixels(lit), listPixels(lined)];
    const darker = before.filter((each, i) => each !== after[i]).length;
    expect(darker).toBeGreaterThan(100);
    expect(darker).toBeLessThan(1000);
    expect(await draw(false, true)).toEqual(await draw(false, false));
    // Lighter above than below, but not with exact colours.
    expect(pixel(lit, 0, 0)[0]).toBeGreaterThan((pixel(lit, 0, 63)[0] ?? 255) + 20);
    expect(pixel(await draw(false, true), 0, 63)).toEqual([0xf3, 0xf5, 0xf7]);
  });
});
