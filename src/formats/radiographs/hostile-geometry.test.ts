import { describe, expect, it } from 'vitest';
import { contention } from '#worker/testing/contention.ts';
import { bytesSource } from '../bytes/byte-source.ts';
import { collect } from '../testing/collect.ts';
import { expectRefused } from '../testing/expect-refused.ts';
import { writeZip } from '../zip/write-zip.ts';
import { holdsRadiographs, openRadiographs } from './open-radiographs.ts';
import { readCtsimuMetadata } from './read-ctsimu.ts';

const text = (content: string) => new TextEncoder().encode(content);
const zip = async (files: Record<string, Uint8Array>) =>
  bytesSource(
    'scan.zip',
    await collect(writeZip(Object.entries(files).map(([path, data]) => ({ path, data, compress: true })))),
  );
const metadata = (projections: object) => ({
  file: { file_type: 'CTSimU Metadata' },
  output: { projections: { number: 3, dimensions: { x: { value: 3 }, y: { value: 2 } }, ...projections } },
});

describe('the metadata of CTSimU', () => {
  it('with an unsupported data type is refused by name', () => {
    expect(readCtsimuMetadata(metadata({ datatype: 'uint16' }))?.raw?.dataType).toBe('uint16');
    for (const datatype of ['long', 'constructor', 7, null])
      expect(() => readCtsimuMetadata(metadata({ datatype }))).toThrow(/grey values of type/);
  });

  it('with a path of many numbers is matched at once', async () => {
    const json = metadata({ filename: '%d'.repeat(30), datatype: 'uint8' });
    const archive = await zip({
      [`${'1'.repeat(60)}x.raw`]: new Uint8Array(18),
      'metadata.json': text(JSON.stringify(json)),
    });
    const started = performance.now();
    expect(await holdsRadiographs([archive])).toBe(true);
    expect(performance.now() - started).toBeLessThan(5000 * contention());
  });
});

it('searches for geometry only in a limited amount of text', async () => {
  const geometry = text(JSON.stringify({ sourceToAxisMm: 100, sourceToDetectorMm: 400 }));
  const notes = text(`${' '.repeat(7 << 20)}{}`);
  expect(await holdsRadiographs([await zip({ '1.json': notes, '2.json': geometry })])).toBe(true);
  const many = { '1.json': notes, '2.json': notes, '3.json': notes, '4.json': geometry };
  expect(await holdsRadiographs([await zip(many)])).toBe(false);
});

it.each([
  [{ pixelSizeMm: 0 }, /size of a pixel \(pixelSizeMm\) is 0/],
  [{ pixelSizeMm: [1, -1] }, /size of a pixel/],
  [{ sourceToAxisMm: -5 }, /source to the axis/],
  [{ sourceToDetectorMm: 1e300 }, /source to the detector/],
  [{ totalAngleDeg: 0 }, /angle over which/],
  [
    { detectorPose: { centerMm: [1, 2], alongColumns: [0, 1, 0], alongRows: [0, 0, 1] } },
    /three numbers for centerMm/,
  ],
])('impossible geometry is refused: %o', async (wrong, message) => {
  const right = { sourceToAxisMm: 100, sourceToDetectorMm: 400, pixelSizeMm: 1, totalAngleDeg: 360 };
  const told = { ...right, detector: [3, 2], projections: 3, dataType: 'uint8', ...wrong };
  const files = { 'p.raw': new Uint8Array(18), 'geometry.json': text(JSON.stringify(told)) };
  await expectRefused(async () => openRadiographs([await zip(files)]), message);
});
